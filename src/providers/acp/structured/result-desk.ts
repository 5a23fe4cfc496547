/**
 * Takes the structured result of one run after another: the first value that fits (A14).
 *
 * Invariants: values are checked one after the other, in the order in which they came, also where a schema takes its time;
 * the first that fits stands, whatever comes later.
 */
import type { Issue } from '../../../structured/issues.ts'
import { lastJsonObject } from '../../../structured/last-json.ts'
import type { OutputValidator } from '../../../structured/validator.ts'
import { doesNotFit, noResult, resultStands, resultTaken, structuredOutputTool } from '../../../structured/wording.ts'

/** What the child is told. */
export interface Answer {
  readonly text: string
  readonly isError: boolean
}

export class ResultDesk {
  readonly #validator: OutputValidator
  #taken: { readonly value: unknown } | undefined
  #issues: readonly Issue[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(validator: OutputValidator) {
    this.#validator = validator
  }

  renew(): void {
    this.#taken = undefined
    this.#issues = []
  }

  /** Never rejects. */
  give(value: unknown): Promise<Answer> {
    const answer = this.#last.then(() => this.#check(value))
    this.#last = answer
    return answer
  }

  /** Once what was given is checked. @param text of the child, for the result that it wrote there */
  async result(text: string): Promise<{ readonly value: unknown } | { readonly missing: string }> {
    await this.#last
    if (this.#taken) return this.#taken
    const written = lastJsonObject(text)
    if (written) {
      await this.#check(written)
      if (this.#taken) return this.#taken
    }
    return { missing: noResult(this.#issues, `no call of ${structuredOutputTool}, and no JSON object in its text`) }
  }

  async #check(value: unknown): Promise<Answer> {
    if (this.#taken) return { text: resultStands, isError: true }
    const validation = await this.#validator.validate(value)
    if ('issues' in validation) {
      this.#issues = validation.issues
      return { text: doesNotFit(validation.issues), isError: true }
    }
    this.#taken = { value: validation.value }
    return { text: resultTaken, isError: false }
  }
}
