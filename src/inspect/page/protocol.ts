/**
 * What the page's server tells the page, as JSON: types only, for both of them. A message is an event of one stream; `hello` is
 * the first, and after it the page begins anew.
 */
import type { JournalEntry } from '../entries.ts'

export interface PageMessages {
  hello: PageHello
  /** In order. */
  entries: readonly JournalEntry[]
  /** How a chart is drawn; some time after the chart itself. */
  layout: ChartLayout
  /** All questions that wait for an answer, whenever that changes. */
  permissions: readonly PagePermission[]
  /** Nothing more will come: the service is closed, or the recording is at its end. */
  bye: Record<string, never>
}
export type PageMessageType = keyof PageMessages

export interface PageHello {
  readonly mode: 'live' | 'replay'
  /** By the clock of the journal, in milliseconds since the epoch. */
  readonly now: number
  /** True where a question for a permission can be answered from the page. */
  readonly canAnswer: boolean
  /** Of a recording. */
  readonly file?: string
  /** Of a recording: how many entries will come. */
  readonly entries?: number
  /** Of a recording: its last line is not whole. */
  readonly isTorn?: boolean
}

/** A question that waits for an answer, as a person is asked it. */
export interface PagePermission {
  readonly runId: string
  readonly requestId: string
  readonly title: string
  readonly toolName?: string
  readonly options: readonly { readonly id: string; readonly name: string; readonly kind: string }[]
}

/** The body of an answer. */
export interface PageAnswer {
  readonly runId: string
  readonly requestId: string
  readonly optionId: string
}

/** A chart on paper, in pixels from its upper left corner. */
export interface ChartLayout {
  /** The key of the chart in the journal. */
  readonly chart: string
  readonly width: number
  readonly height: number
  /** Outermost first. */
  readonly states: readonly PlacedState[]
  readonly edges: readonly PlacedEdge[]
}
export interface PlacedState {
  /** Names from the top, joined with dots: `settling.held`. */
  readonly id: string
  readonly name: string
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly isInitial: boolean
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
export interface PlacedEdge {
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Where its events are written: the upper left corner. */
  readonly label?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}
