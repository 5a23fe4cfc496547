/**
 * What the author of a provider supplies: the provider, and the means to drive its children as the world would.
 */
import type { Json, Logger, SubagentProvider, SubagentStartRequest } from '../../types.ts'
import type { SimulatedClock } from '../simulated-clock.ts'
import type { CaseId } from './requirements.ts'

/** What a case hands to the author. */
export interface SubjectSetting {
  /** The clock of the service. It stands still but where a case lets a deadline or a grace pass. */
  readonly clock: SimulatedClock
  /** The logger of the service; what it is told is quoted where a case fails. */
  readonly logger: Logger
}

/** Called once a case, so that cases share nothing. */
export type MakeProvider = (setting: SubjectSetting) => ProviderSubject | Promise<ProviderSubject>

type Done = void | Promise<void>

/**
 * A provider under test. Children are numbered from 0 in the order of their starts.
 *
 * Contract: every control but `settle` may be absent where the provider cannot do such a thing; its cases then need a skip
 * with a reason. A control that is there does what it says, now or soon; none of them touches the run, which is the kit's.
 * `failStart`, `ignoreCancel`, `holdRelease` and `failRelease` are called before the child is started.
 */
export interface ProviderSubject {
  /** Registered with a service of the case's own, which is closed after it. */
  readonly provider: SubagentProvider
  /** Fields that a request needs for this provider: a model, a working directory. */
  request?(child: number): Partial<SubagentStartRequest>

  /**
   * Whether the child has come up so far that it can be driven and cancelled; asked until it is true. For children that need
   * a moment, a process for one.
   * @default it is up when it is started
   */
  isUp?(child: number): boolean

  /** The child completes its work with this text as its output, or as the last part of it. */
  settle(text: string, child: number): Done
  /** The child comes ready. For providers with `signalsReady` that can be held back before. */
  ready?(child: number): Done
  /** The child fails at its work: a model that is down, a task that cannot be done. */
  fail?(message: string, child: number): Done
  /** The means to run the child fail: the promise `result` rejects with this error. */
  reject?(error: Error, child: number): Done
  /** The child asks for a permission (`context.ask`); `answer` is what whoever decides calls. */
  ask?(child: number): { answer(): Done }
  /** The child streams a part of its text. */
  stream?(text: string, child: number): Done
  /**
   * The child gives this as its structured result, and completes; where the provider does not take it, the child has nothing else
   * to give. For providers with the capability `outputSchema`.
   */
  structure?(value: Json, child: number): Done

  /** The next start throws. */
  failStart?(child: number): Done
  /** The child will not react to a cancel; `settle` still ends it. */
  ignoreCancel?(child: number): Done
  /** The release of the child will not end before the function that this returns is called. */
  holdRelease?(child: number): (() => Done) | Promise<() => Done>
  /** The release of the child will fail. */
  failRelease?(child: number): Done

  /** What the child was given, as far as it can be seen; asked until it is there. */
  readonly sees?: {
    /** Text of its prompt. */
    prompt?(child: number): string | undefined
    /** Names of the tools that it was offered. */
    tools?(child: number): readonly string[] | undefined
    /** The system prompt, `''` where it has none. */
    persona?(child: number): string | undefined
    /** How deep it takes itself to be. */
    depth?(child: number): number | undefined
    /** Messages that steered it. */
    messages?(child: number): readonly string[]
  }

  /** What is left of the children once all are disposed, in words: processes, sockets, files. */
  leftovers?(): readonly string[] | Promise<readonly string[]>
  /** Frees what the subject itself holds; called last, whatever came of the case. */
  cleanUp?(): Done
}

/** The controls that may be absent, with the requirement under which their cases are skipped, and what they do. */
export const controls = {
  ready: { id: 'R18', does: 'makes a provider with signalsReady call context.ready()' },
  fail: { id: 'R13', does: 'makes the child fail at its work' },
  reject: { id: 'R12', does: 'makes the promise result reject' },
  ask: { id: 'A13', does: 'makes the child ask for a permission' },
  stream: { id: 'R16', does: 'makes the child stream a part of its text' },
  structure: { id: 'V4', does: 'makes the child complete with a structured result' },
  failStart: { id: 'S13', does: 'makes the next start throw' },
  ignoreCancel: { id: 'R8', does: 'makes the child deaf to a cancel' },
  holdRelease: { id: 'R11', does: 'keeps the release from ending' },
  failRelease: { id: 'R11', does: 'makes the release fail' },
  'sees.prompt': { id: 'V3', does: 'tells what prompt the child was given' },
  'sees.tools': { id: 'P10', does: 'tells which tools the child was offered' },
  'sees.persona': { id: 'P11', does: 'tells the system prompt of the child' },
  'sees.depth': { id: 'P1', does: 'tells how deep the child takes itself to be' },
  'sees.messages': { id: 'P12', does: 'tells which messages steered the child' },
} as const satisfies Readonly<Record<string, { readonly id: CaseId; readonly does: string }>>

/** A control of a `ProviderSubject`, with a dot for one of a group. */
export type ControlName = keyof typeof controls

export function hasControl(subject: ProviderSubject, name: ControlName): boolean {
  const [first, second] = name.split('.') as [string, string?]
  const own = (subject as unknown as Record<string, any>)[first]
  return typeof (second === undefined ? own : own?.[second]) === 'function'
}
