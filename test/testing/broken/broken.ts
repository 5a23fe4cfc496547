import type { CaseId, MakeProvider } from '../../../src/testing/index.ts'

/** A provider with one thing wrong, the case that has to find it, and what its author has to be told. */
export interface Broken {
  readonly name: string
  readonly id: CaseId
  readonly sentence: string
  /** The lines of the message. */
  readonly seen: RegExp
  readonly look: RegExp
  readonly make: MakeProvider
}
