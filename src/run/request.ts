/**
 * The door: a request is checked, copied, resolved to JSON and frozen, once (S11, V3).
 */
import { SubagentError } from '../errors.ts'
import type {
  ContentBlock,
  Json,
  ParentAgent,
  ProviderStartRequest,
  ResolvedStartRequest,
  SubagentStartRequest,
  ToolFilter,
} from '../types.ts'
import { describeThrown } from './contain.ts'
import { copy, copyJson, deepFreeze, isJson } from './copy.ts'
import { isStandard, jsonSchemaOf } from './schema.ts'
import { sharedGetters } from './shared-getters.ts'

export type RequestParts = Omit<ResolvedStartRequest, 'runId' | 'parent' | 'depth'>

export interface RequestDefaults {
  readonly timeoutMs?: number
  readonly cancelGraceMs: number
  readonly releaseGraceMs: number
}

/** The names of all fields that a request has by itself; a provider may take others. */
export const requestFields = Object.keys({
  prompt: true,
  parent: true,
  id: true,
  label: true,
  signal: true,
  agentOptions: true,
  outputSchema: true,
  maxDepth: true,
  toolFilter: true,
  persona: true,
  timeoutMs: true,
  cancelGraceMs: true,
  releaseGraceMs: true,
} satisfies Record<keyof SubagentStartRequest, true>) as (keyof SubagentStartRequest)[]

/**
 * The caller's request as an object of our own. Each field is read once, so that what is checked is what starts; fields that
 * are inherited, from a class or from a request with defaults, count like its own.
 */
export function ownRequest(request: SubagentStartRequest): SubagentStartRequest {
  // What is no request at all is refused by the check.
  if (typeof request !== 'object' || request === null) return request
  const own: Record<string, unknown> = { ...request }
  if (Object.getPrototypeOf(request) === Object.prototype) return own as unknown as SubagentStartRequest
  for (const field in request) if (!Object.hasOwn(own, field)) own[field] = request[field as keyof SubagentStartRequest]
  for (const field of requestFields) if (!Object.hasOwn(own, field) && field in request) own[field] = request[field]
  return own as unknown as SubagentStartRequest
}

/** The largest delay that timers take. */
export const maxTimerMs = 2_147_483_647

/**
 * Everything of a request but who asks, as frozen JSON.
 * @throws SubagentError INVALID_REQUEST naming the field
 */
export function checkRequest(request: SubagentStartRequest, defaults: RequestDefaults): RequestParts {
  if (typeof request !== 'object' || request === null) throw invalid('request', 'an object with prompt and parent', request)
  const { id, label, signal, agentOptions, outputSchema, maxDepth, toolFilter, persona } = request
  const prompt = blocks(request.prompt)
  checkParent(request.parent)
  if (id !== undefined && (typeof id !== 'string' || id === '')) throw invalid('id', 'a non-empty string', id)
  if (label !== undefined && typeof label !== 'string') throw invalid('label', 'a string', label)
  if (signal !== undefined && !isSignal(signal)) throw invalid('signal', 'an AbortSignal', signal)
  if (agentOptions !== undefined && (typeof agentOptions !== 'object' || agentOptions === null))
    throw invalid('agentOptions', 'an object', agentOptions)
  if (maxDepth !== undefined && (!Number.isSafeInteger(maxDepth) || maxDepth < 0 || Object.is(maxDepth, -0)))
    throw invalid('maxDepth', 'a whole number from 0', maxDepth)
  if (persona !== undefined && typeof persona !== 'string') throw invalid('persona', "a string ('' for no system prompt)", persona)
  const timeoutMs = request.timeoutMs ?? defaults.timeoutMs
  if (request.timeoutMs !== undefined) checkMs('timeoutMs', request.timeoutMs, 1)
  if (request.cancelGraceMs !== undefined) checkMs('cancelGraceMs', request.cancelGraceMs, 0)
  if (request.releaseGraceMs !== undefined) checkMs('releaseGraceMs', request.releaseGraceMs, 0)

  const parts: { -readonly [Key in keyof RequestParts]: RequestParts[Key] } = {
    prompt,
    cancelGraceMs: request.cancelGraceMs ?? defaults.cancelGraceMs,
    releaseGraceMs: request.releaseGraceMs ?? defaults.releaseGraceMs,
  }
  if (label !== undefined) parts.label = label
  if (agentOptions !== undefined) parts.agentOptions = jsonOptions(agentOptions)
  if (outputSchema !== undefined) parts.outputSchema = jsonSchemaOf(outputSchema)
  if (maxDepth !== undefined) parts.maxDepth = maxDepth
  if (toolFilter !== undefined) parts.toolFilter = filter(toolFilter)
  if (persona !== undefined) parts.persona = persona
  if (timeoutMs !== undefined) parts.timeoutMs = timeoutMs
  return parts
}

type Signalled = Pick<ProviderStartRequest, 'signal'>
const withSignal = sharedGetters<Signalled, Signalled>({ signal: (signalled) => signalled.signal })

/**
 * The request as the provider sees it: what was copied at the door in place of the caller's own, and the linked signal.
 * Own properties only, since providers spread this object; a getter for the signal, since most never look at it.
 *
 * @param signalled has the signal, which is not read here
 */
export function providerRequest(request: SubagentStartRequest, resolved: ResolvedStartRequest, signalled: Signalled): ProviderStartRequest {
  const plain = { id: resolved.runId, prompt: resolved.prompt, parent: request.parent }
  const provided: { [field: string]: unknown } = withSignal(plain, signalled)
  for (const field in request) if (!Object.hasOwn(provided, field)) provided[field] = request[field as keyof SubagentStartRequest]
  if (resolved.toolFilter) provided.toolFilter = resolved.toolFilter
  if (resolved.outputSchema && !isStandard(request.outputSchema)) provided.outputSchema = resolved.outputSchema
  return provided as unknown as ProviderStartRequest
}

/**
 * Content as frozen blocks of our own; a string is one text block.
 * @throws SubagentError INVALID_REQUEST naming `field` and the block
 */
export function blocks(content: unknown, field = 'prompt'): readonly ContentBlock[] {
  if (typeof content === 'string') {
    if (content === '') throw invalid(field, 'a non-empty string or a non-empty array of content blocks', content)
    return Object.freeze([Object.freeze<ContentBlock>({ type: 'text', text: content })])
  }
  if (!Array.isArray(content) || content.length === 0)
    throw invalid(field, 'a non-empty string or a non-empty array of content blocks', content)
  for (const [index, block] of content.entries()) checkBlock(block, `${field}[${index}]`)
  try {
    return deepFreeze(copyJson(content as ContentBlock[]))
  } catch (cause) {
    throw new SubagentError('INVALID_REQUEST', `${field} must be plain JSON: ${describeThrown(cause)}.`, { cause })
  }
}

type FieldKind = 'string' | 'string?' | 'object'
type Fields = Readonly<Record<string, FieldKind>>

const blockFields: Record<ContentBlock['type'], Fields> = {
  text: { text: 'string' },
  image: { data: 'string', mimeType: 'string' },
  audio: { data: 'string', mimeType: 'string' },
  resource_link: { uri: 'string', name: 'string', mimeType: 'string?', description: 'string?' },
  resource: { resource: 'object' },
}

/** @throws SubagentError INVALID_REQUEST naming `field`; and what a field throws when it is read */
export function checkBlock(block: unknown, field: string): void {
  const flaw = blockFlaw(block, field)
  if (flaw !== undefined) throw new SubagentError('INVALID_REQUEST', `${flaw}.`)
}

/** Why something is no content block, in words that name `field`; `undefined` for one. */
export function blockFlaw(block: unknown, field: string): string | undefined {
  const type = typeof block === 'object' && block !== null ? (block as ContentBlock).type : undefined
  // Nearly all are, and every answer comes by here.
  if (type === 'text' && typeof (block as { text?: unknown }).text === 'string') return undefined
  const fields = typeof type === 'string' && Object.hasOwn(blockFields, type) ? blockFields[type] : undefined
  if (!fields) return requirement(field, `a content block of type ${Object.keys(blockFields).join(', ')}`, type ?? block)
  const flaw = fieldFlaw(block as object, fields, field)
  if (flaw !== undefined || type !== 'resource') return flaw
  const { resource } = block as Extract<ContentBlock, { type: 'resource' }>
  const content: Fields = 'blob' in resource ? { blob: 'string' } : { text: 'string' }
  return fieldFlaw(resource, { uri: 'string', ...content, mimeType: 'string?' }, `${field}.resource`)
}

function fieldFlaw(holder: object, fields: Fields, path: string): string | undefined {
  for (const [name, kind] of Object.entries(fields)) {
    const value = (holder as Record<string, unknown>)[name]
    // Peers that write JSON by hand give null for what is absent.
    if (kind === 'string?' && (value === undefined || value === null)) continue
    if (typeof value !== (kind === 'object' ? 'object' : 'string') || value === null)
      return requirement(`${path}.${name}`, kind === 'object' ? 'an object' : 'a string', value)
  }
  return undefined
}

/** @throws SubagentError INVALID_REQUEST */
export function checkParent(parent: unknown): asserts parent is ParentAgent {
  const candidate = parent as Partial<ParentAgent> | null | undefined
  const hint = 'the agent that delegates (a script without one: rootAgent())'
  if (typeof candidate !== 'object' || candidate === null) throw invalid('parent', hint, parent)
  if (typeof candidate.id !== 'string' || candidate.id === '') throw invalid('parent.id', 'a non-empty string', candidate.id)
  if (typeof candidate.options !== 'object' || candidate.options === null) throw invalid('parent.options', 'an object', candidate.options)
  if (typeof candidate.session?.header !== 'object' || candidate.session.header === null || typeof candidate.session.header.id !== 'string')
    throw invalid('parent.session', 'a session with a header that has an id', candidate.session)
}

/** @throws SubagentError INVALID_REQUEST */
export function checkMs(field: string, value: unknown, least: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > maxTimerMs || Object.is(value, -0))
    throw invalid(field, `whole milliseconds from ${least} to ${maxTimerMs}`, value)
}

function filter(toolFilter: unknown): ToolFilter {
  const checked = filterLists(toolFilter, 'toolFilter')
  if (!checked.allow && !checked.deny) throw invalid('toolFilter', 'an object with allow or deny', toolFilter)
  return checked
}

/**
 * A frozen copy of a filter.
 * @throws SubagentError INVALID_REQUEST naming `field`
 */
export function filterLists(toolFilter: unknown, field: string): ToolFilter {
  if (typeof toolFilter !== 'object' || toolFilter === null) throw invalid(field, 'an object with allow or deny', toolFilter)
  const { allow, deny } = toolFilter as ToolFilter
  const checked: { allow?: readonly string[]; deny?: readonly string[] } = {}
  for (const [name, list] of [
    ['allow', allow],
    ['deny', deny],
  ] as const) {
    if (list === undefined) continue
    if (!Array.isArray(list) || list.some((tool) => typeof tool !== 'string'))
      throw invalid(`${field}.${name}`, 'an array of tool names', list)
    checked[name] = Object.freeze([...list])
  }
  return Object.freeze(checked)
}

/** The options that are JSON; what is live (a model object) goes to the provider with the request only. */
function jsonOptions(options: object): { readonly [option: string]: Json | undefined } {
  const json: Record<string, Json> = {}
  for (const [name, value] of Object.entries(options)) if (isJson(value, 32)) json[name] = copy(value)
  return deepFreeze(json)
}

function isSignal(signal: unknown): signal is AbortSignal {
  return (
    typeof signal === 'object' &&
    signal !== null &&
    typeof (signal as AbortSignal).aborted === 'boolean' &&
    typeof (signal as AbortSignal).addEventListener === 'function' &&
    typeof (signal as AbortSignal).removeEventListener === 'function'
  )
}

export function invalid(field: string, expected: string, got: unknown): SubagentError {
  return new SubagentError('INVALID_REQUEST', `${requirement(field, expected, got)}.`)
}

function requirement(field: string, expected: string, got: unknown): string {
  return `${field} must be ${expected}, got ${show(got)}`
}

function show(value: unknown): string {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'string') return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  return typeof value === 'object' ? 'an object of another shape' : `a ${typeof value}`
}
