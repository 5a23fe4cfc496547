/**
 * What the child asks to be allowed (A13).
 *
 * Every question goes one way: the run waits for it, its clock stands still, and it is answered: by the policy, by a
 * handler within its time, or, where neither answers, by a refusal. A refusal picks the agent's own option to reject, since
 * to most agents `cancelled` means the end of the turn; what holds for ever is picked by a handler alone.
 */
import { cleanStart } from '../../agents/environment-secrets.ts'
import type { Redactor } from '../../agents/environment-secrets.ts'
import { toJson } from '../../run/json.ts'
import { describeThrown, warn } from '../../run/contain.ts'
import type { PermissionAnswer, PermissionHandler, PermissionRequest, RunContext } from '../../types.ts'
import { fields, isObject, json, list, text } from './protocol.ts'
import { waitAtMost } from './stage-timer.ts'
import { toolName } from './updates.ts'

/** `'ask'`: the handler of the service, `createSubagentService({ onPermission })`. */
export type PermissionPolicy = 'reject' | 'allow' | 'ask' | PermissionHandler

export interface PermissionRules {
  readonly policy: PermissionPolicy
  /** How long a handler may take. */
  readonly timeoutMs: number
  /** Questions that are allowed whatever the policy says: the tool by which the structured result comes (A14). */
  readonly isOwnTool?: (toolCall: { readonly [field: string]: unknown }) => boolean
  /** Takes out what must not be logged. */
  readonly safe: Redactor
}

export type PermissionOutcome = { readonly outcome: 'cancelled' } | { readonly outcome: 'selected'; readonly optionId: string }

const kinds: readonly PermissionRequest['options'][number]['kind'][] = ['allow_once', 'allow_always', 'reject_once', 'reject_always']
/** Characters of a title, and of a reason. */
const shownOfWarning = 200
const cancelled: PermissionOutcome = { outcome: 'cancelled' }

/** The questions of one run. */
export class PermissionDesk {
  readonly #context: RunContext
  readonly #rules: PermissionRules
  readonly #provider: string
  readonly #onOpen: (open: number) => void
  /** What takes back each question that is open. */
  readonly #open = new Set<() => void>()
  #isClosed = false
  #asked = 0
  /** How many were refused. */
  refused = 0

  /** @param onOpen called with the number of open questions, whenever it changes */
  constructor(context: RunContext, provider: string, rules: PermissionRules, onOpen: (open: number) => void) {
    this.#context = context
    this.#provider = provider
    this.#rules = rules
    this.#onOpen = onOpen
  }

  /** Never rejects. @param signal aborts where the agent takes the question back */
  async answer(params: unknown, signal: AbortSignal): Promise<PermissionOutcome> {
    if (this.#isClosed || !isObject(params)) return cancelled
    const { toolCall } = params
    const request = readRequest(params, `${this.#context.runId}-permission-${this.#asked++}`)
    if (isObject(toolCall) && this.#rules.isOwnTool?.(toolCall)) return allow(request) ?? cancelled
    let takeBack!: () => void
    const taken = new Promise<void>((resolve) => (takeBack = resolve))
    this.#open.add(takeBack)
    signal.addEventListener('abort', takeBack, { once: true })
    const asked = this.#context.ask(request)
    this.#onOpen(this.#open.size)
    try {
      const outcome = await this.#choose(request, asked.decide, taken)
      if (outcome.outcome === 'cancelled' || isRefusal(request, outcome.optionId)) this.refused++
      return outcome
    } finally {
      signal.removeEventListener('abort', takeBack)
      this.#open.delete(takeBack)
      asked.answer()
      this.#onOpen(this.#open.size)
    }
  }

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** Answers every open question, and each that comes, with `cancelled`. */
  close(): void {
    this.#isClosed = true
    for (const takeBack of this.#open) takeBack()
  }

  async #choose(
    request: PermissionRequest,
    decide: (() => Promise<PermissionAnswer | undefined>) | undefined,
    taken: Promise<void>,
  ): Promise<PermissionOutcome> {
    const { policy } = this.#rules
    if (policy === 'reject') return reject(request)
    if (policy === 'allow') return allow(request) ?? reject(request)
    const { runId, resolved, clock } = this.#context
    const { label, parent } = resolved
    const question = { runId, provider: this.#provider, lineage: parent.lineage, ...(label !== undefined && { label }), request }
    const deciding = policy === 'ask' ? decide?.() : Promise.resolve().then(() => policy(question))
    if (!deciding) return reject(request)
    let answer: Decided | undefined
    const decided = deciding.then(
      (given) => void (answer = { given }),
      (thrown: unknown) => void (answer = { refusal: `its handler failed: ${describeThrown(thrown)}` }),
    )
    let isTaken = false
    void taken.then(() => (isTaken = true))
    await waitAtMost(clock, this.#rules.timeoutMs, Promise.race([decided, taken]))
    if (isTaken || this.#isClosed) return cancelled
    const { optionId, refusal } = readDecision(answer, request, this.#rules.timeoutMs)
    if (refusal !== undefined) this.#warn(request, refusal)
    return optionId === undefined ? reject(request) : { outcome: 'selected', optionId }
  }

  #warn({ title }: PermissionRequest, why: string): void {
    const show = (text: string): string => shorten(cleanStart(text, shownOfWarning, this.#rules.safe))
    warn(this.#context.logger, `Run ${this.#context.runId} asks for a permission (${show(title)}): ${show(why)}. It is refused.`)
  }
}

type Decided = { readonly given: unknown; readonly refusal?: undefined } | { readonly refusal: string }

/** What a handler decided; `refusal` where it is refused for a reason that should be known. */
function readDecision(
  answer: Decided | undefined,
  { options }: PermissionRequest,
  timeoutMs: number,
): { readonly optionId?: string; readonly refusal?: string } {
  if (!answer) return { refusal: `no handler has answered it within ${timeoutMs} ms` }
  if (answer.refusal !== undefined) return { refusal: answer.refusal }
  const { given } = answer
  if (given === undefined || given === null) return {}
  try {
    const { optionId } = fields(given)
    if (isObject(given) && optionId === undefined) return {}
    if (typeof optionId === 'string' && options.some(({ id }) => id === optionId)) return { optionId }
    return { refusal: `its handler chose ${JSON.stringify(toJson(optionId ?? given))}, which the agent does not offer` }
  } catch (thrown) {
    return { refusal: `what its handler gave cannot be read: ${describeThrown(thrown)}` }
  }
}

const shorten = (text: string): string =>
  text.length > shownOfWarning ? `${text.slice(0, shownOfWarning).replace(/[\uD800-\uDBFF]$/, '')} …` : text

/** Options of a kind that is not known are not offered to anybody: nobody could tell what they allow. */
function readRequest(params: { readonly [field: string]: unknown }, id: string): PermissionRequest {
  const toolCall = fields(params.toolCall)
  const { toolCallId, kind, rawInput } = toolCall
  const name = text(toolCall.name)
  return {
    id,
    title: text(toolCall.title) ?? toolName(toolCall),
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...(name !== undefined && { toolName: name }),
    ...(typeof kind === 'string' && { toolKind: kind }),
    ...(rawInput !== undefined && rawInput !== null && { input: json(rawInput) }),
    options: list(params.options).flatMap((option) => {
      const known = kinds.find((each) => each === option.kind)
      const optionId = text(option.optionId)
      return known && optionId !== undefined ? [{ id: optionId, name: text(option.name) ?? optionId, kind: known }] : []
    }),
  }
}

function pick({ options }: PermissionRequest, kind: 'allow_once' | 'reject_once'): PermissionOutcome | undefined {
  const option = options.find((each) => each.kind === kind)
  return option && { outcome: 'selected', optionId: option.id }
}

const allow = (request: PermissionRequest): PermissionOutcome | undefined => pick(request, 'allow_once')
const reject = (request: PermissionRequest): PermissionOutcome => pick(request, 'reject_once') ?? cancelled

const isRefusal = ({ options }: PermissionRequest, optionId: string): boolean =>
  options.find(({ id }) => id === optionId)?.kind.startsWith('reject') ?? false
