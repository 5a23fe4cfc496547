/**
 * Cases as data: what to do with a provider, and what must be seen. JSON, so that any runner can list, filter and take them.
 */
import type { Json, SubagentStopReason } from '../../types.ts'
import type { RunPath } from '../paths/run-paths.ts'
import type { CaseId } from './requirements.ts'
import type { ControlName } from './subject.ts'

/** The bounds that every run of a case has, in milliseconds of the simulated clock. */
export const caseTimes = { timeoutMs: 10_000, cancelGraceMs: 500, releaseGraceMs: 900 } as const

/** Something to do, through the public face or by a control of the subject, and the state that the run must be in then. */
export type ProviderAct = {
  /** Where the run must be: its state value as a name, `running.active`. */
  readonly state?: string
  /**
   * `at once`: when the call returned. `soon`: within the patience of the kit. `still`: in the end of some turns of the
   * event loop, and meanwhile.
   * @default 'soon'
   */
  readonly when?: 'at once' | 'soon' | 'still'
  /** The event of the path that this causes. */
  readonly edge?: string
  /** Which child, by the number of its start. @default 0 */
  readonly child?: number
} & (
  | { readonly do: 'arrange'; readonly control: 'failStart' | 'ignoreCancel' | 'holdRelease' | 'failRelease' }
  | {
      readonly do: 'start'
      /** Fields of the request beside those of every case. */
      readonly request?: { readonly [field: string]: Json }
      /** One slot, taken by another run. */
      readonly waits?: true
      /** The caller's signal aborts while `provider.start` is on the stack. */
      readonly abortInside?: true
      /** Denies the first tool that this child sees. */
      readonly denyToolOf?: number
    }
  | { readonly do: 'ready' | 'fail' | 'reject' | 'ask' | 'answer' }
  | { readonly do: 'settle' | 'stream'; readonly text: string }
  | { readonly do: 'structure'; readonly value: Json }
  | { readonly do: 'free the slot' | 'abort the signal' | 'cancel' | 'dispose' | 'close the service' | 'wait' }
  | { readonly do: 'let time pass'; readonly ms: number }
  /** Through `sendMessage` and `resume` of the run, where it has them. */
  | { readonly do: 'send a message' | 'resume'; readonly text: string }
  /** The run that the provider gave is disposed a second time. */
  | { readonly do: 'dispose the child again' }
  | { readonly do: 'see'; readonly what: 'prompt' | 'persona' | 'messages'; readonly includes: string }
  | { readonly do: 'see'; readonly what: 'depth'; readonly equals: number }
  | { readonly do: 'see'; readonly what: 'system prompt'; readonly equals: string }
  | { readonly do: 'see'; readonly what: 'tools'; readonly equals: readonly string[] }
  | { readonly do: 'see'; readonly what: 'denied tool' }
)

/** What a provider does wrong without its run showing it. */
export type ConductRule =
  | 'settles once'
  | 'keeps its id'
  | 'cancel does not throw'
  | 'second dispose does no harm'
  | 'no update once settled'
  | 'updates are well formed'
  | 'ready only where declared'
  | 'output stays as it was given'

/** What the result of a child has to be. `child` is its index, in the order of starts. @default the first */
export interface ResultExpectation {
  /** From 0, in the order of starts. @default 0 */
  readonly child?: number
  /** `none`: not settled yet. `rejects`: with the very error of the control. */
  readonly is: 'none' | 'rejects' | SubagentStopReason
  /** What the text of the output includes; `''` for no output at all. */
  readonly text?: string
  /** The whole text of the output. */
  readonly exact?: string
  /** The validated object of the result, compared deeply. */
  readonly structured?: Json
  /** A code, or `any` for a well-formed one. */
  readonly failure?: string
}

/** What must be seen of a provider when a case is over. What is absent is not looked at, where no default is named. */
export interface ProviderExpectation {
  /** What becomes of the first start. `throws`: what the provider threw, untouched. @default 'returns' */
  readonly start?: 'returns' | 'throws' | 'INVALID_REQUEST' | 'UNSUPPORTED_CAPABILITY'
  /** How often `provider.start` is called. @default once a start */
  readonly started?: number
  /** One for each child that is looked at. */
  readonly results?: readonly ResultExpectation[]
  /** How the kit's disposal of the first run ends; `none`: it has not ended yet. @default not looked at */
  readonly disposal?: 'none' | 'resolves' | 'rejects'
  /** Types of the lifecycle events of the first run, updates left out. @default start and end, or none where start throws */
  readonly events?: readonly string[]
  /** What its children are held against. @default none */
  readonly conduct?: readonly ConductRule[]
}

/** One case of the conformance kit, as data. */
export interface ProviderCase {
  /** The requirement that it stands for first. */
  readonly id: CaseId
  /** All that it stands for: a skip of any of them covers it. */
  readonly ids: readonly CaseId[]
  /** What holds, in words: the title of its test. */
  readonly sentence: string
  /** The path through the run machine that it takes. */
  readonly path?: RunPath
  /** Only for providers that claim this capability, or only for those that do not. */
  readonly capability?: { readonly name: 'outputSchema' | 'toolFilter' | 'persona' | 'depthLimit'; readonly claimed: boolean }
  /** Controls that it cannot do without. */
  readonly needs: readonly ControlName[]
  /** What is done, in order. */
  readonly act: readonly ProviderAct[]
  /** Beside it, after every case: nothing is left, and nothing reached the process unhandled. */
  readonly expect: ProviderExpectation
}

/** `R7, R8: takes accept → …` */
export const caseTitle = ({ ids, sentence }: ProviderCase): string => `${ids.join(', ')}: ${sentence}`
