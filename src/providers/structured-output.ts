/**
 * The structured result of an in-process child: a tool to give it by, and what a run without one comes to (P9).
 *
 * Invariants: the first arguments that fit are the result, and only once their tool result is in the log; nothing that the
 * model called after them is executed, and no step follows; what does not fit is an error that names each path, so that the
 * model repairs it in the same turn.
 */
import type { CreateAgentOptions } from '../agents/agents.ts'
import { isThenable } from '../run/contain.ts'
import { deferred } from '../run/deferred.ts'
import type { Deferred } from '../run/deferred.ts'
import type { Issue } from '../structured/issues.ts'
import { uncheckedSchema } from '../structured/tool-schema.ts'
import { createOutputValidator } from '../structured/validator.ts'
import type { OutputValidator, Validation } from '../structured/validator.ts'
import {
  callInstruction,
  doesNotFit,
  noResult,
  resultStands,
  resultTaken,
  structuredOutputTool,
  toolDescription,
} from '../structured/wording.ts'
import type { JsonSchema, ProviderStartRequest, RunContext, SubagentResult } from '../types.ts'

/** What of the AI SDK's options for a tool call is read here. */
interface Call {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** @throws SubagentError INVALID_REQUEST naming outputSchema, where it cannot be checked against */
export function structuredOutputOf({ outputSchema }: ProviderStartRequest, { resolved }: RunContext): StructuredOutput | undefined {
  if (outputSchema === undefined) return undefined
  return new StructuredOutput(createOutputValidator(outputSchema), resolved.outputSchema!)
}

export class StructuredOutput {
  readonly #validator: OutputValidator
  readonly #schema: JsonSchema
  #capture: { readonly value: unknown; readonly call: Call } | undefined
  #committed = false
  #issues: readonly Issue[] = []
  /** Calls that are being checked: those after them wait, since a schema may take its time. */
  #checking: { readonly signal: AbortSignal | undefined; readonly slots: Deferred<void>[] } | undefined

  constructor(validator: OutputValidator, schema: JsonSchema) {
    this.#validator = validator
    this.#schema = schema
  }

  /** The result was given, if not yet committed: a message would find nobody to answer it. */
  get isGiven(): boolean {
    // One that was given in a turn that was cancelled before its result was in the log counts for nothing.
    return this.#capture !== undefined && !this.#capture.call.abortSignal?.aborted
  }

  get agentOptions(): Pick<CreateAgentOptions, 'extraTools' | 'instruction' | 'beforeTool' | 'concludeWhen'> {
    const tool = {
      description: toolDescription,
      inputSchema: uncheckedSchema(() => this.#schema),
      execute: (input: unknown, call: Call) => this.#give(input, call),
    }
    return {
      extraTools: { [structuredOutputTool]: tool } as NonNullable<CreateAgentOptions['extraTools']>,
      instruction: callInstruction(structuredOutputTool),
      beforeTool: (name, call) => this.#before(name, call),
      concludeWhen: () => (this.#committed = this.isGiven),
    }
  }

  /** The result of a run, with what was given; a clean end without it is none. */
  conclude(result: SubagentResult): SubagentResult {
    if (result.stopReason !== 'completed') return result
    if (this.#committed) return { ...result, structured: this.#capture!.value }
    const message = noResult(this.#issues, `it made no call of ${structuredOutputTool} that could be read`)
    return {
      ...result,
      stopReason: 'error',
      failure: { code: 'NO_STRUCTURED_OUTPUT', phase: 'running', retryable: true, message },
      diagnostic: message,
    }
  }
  #before(name: string, call: Call): void | Promise<void> {
    // Of a turn that was cancelled: nobody waits for it any more.
    if (this.#checking?.signal !== call.abortSignal) this.#checking = undefined
    const earlier = this.#checking?.slots.at(-1)?.promise
    if (name === structuredOutputTool) (this.#checking ??= { signal: call.abortSignal, slots: [] }).slots.push(deferred())
    return earlier ? earlier.then(() => this.#refuseAfterwards(name, call)) : this.#refuseAfterwards(name, call)
  }

  /** Nothing that was called after the result is executed. */
  #refuseAfterwards(name: string, call: Call): void {
    if (name === structuredOutputTool) {
      if (!this.isGiven) return
      this.#checked()
      throw new Error(resultStands)
    }
    if (this.isGiven && this.#capture?.call.abortSignal === call.abortSignal)
      throw new Error('Not executed: the result was given before this call, and that ended the work.')
  }

  #give(input: unknown, call: Call): string | Promise<string> {
    const validation = this.#validator.validate(input)
    return isThenable(validation) ? validation.then((late) => this.#take(late, call)) : this.#take(validation, call)
  }

  #take(validation: Validation, call: Call): string {
    // First, so that those that wait go on when this is decided.
    this.#checked()
    if ('issues' in validation) {
      this.#issues = validation.issues
      throw new Error(doesNotFit(validation.issues))
    }
    this.#capture = { value: validation.value, call }
    return resultTaken
  }

  #checked(): void {
    const { slots } = this.#checking ?? {}
    slots?.shift()?.resolve()
    if (slots?.length === 0) this.#checking = undefined
  }
}
