/** What the stream of an agent of the AI SDK comes to: updates while it is read, and the result (P5, P6, P16). */
import type { TextStreamPart, ToolSet } from 'ai'
import { describeModelError } from '../../agents/model-error.ts'
import type { TurnError } from '../../agents/model-error.ts'
import { shortMessage } from '../../agents/redact.ts'
import { errorOutput, StepDraft } from '../../agents/step-draft.ts'
import { endOf } from '../../agents/step-end.ts'
import type { StepOutcome } from '../../agents/steps.ts'
import { addUsage } from '../../agents/usage.ts'
import { describeReason } from '../../run/contain.ts'
import { toJson } from '../../run/json.ts'
import type { ContentBlock, SubagentFailure, SubagentResult, SubagentUpdateContent, TurnEndReason, Usage } from '../../types.ts'
import { failureOf, stopReasonOf } from '../outcome.ts'

type StreamPart = TextStreamPart<ToolSet>

/** The agent does not say what model it has. */
const provider = 'The model'

export class AgentReading {
  readonly #update: (update: SubagentUpdateContent) => void
  #steps = 1
  #draft: StepDraft
  /** Whether the step that is read has brought anything. */
  #answering = false
  #lastStep: StepOutcome | undefined
  #lastContent: readonly ContentBlock[] = []
  #usage: Usage | undefined
  #error: TurnError | undefined

  constructor(update: (update: SubagentUpdateContent) => void) {
    this.#update = update
    this.#draft = new StepDraft('1', update)
  }

  take(part: { readonly type: string }): void {
    const known = part as StreamPart
    switch (known.type) {
      case 'start':
        return
      case 'start-step':
        // An agent that goes on has overcome what went wrong.
        this.#error = undefined
        this.#answering = false
        return
      case 'error':
        return this.fail(known.error)
      case 'abort':
        this.#error ??= { kind: 'error', message: `The agent broke off by itself${said(known.reason)}`, retryable: true }
        return
      default:
        this.#answering = true
        this.#takeContent(known)
    }
  }

  #takeContent(part: StreamPart): void {
    const draft = this.#draft
    switch (part.type) {
      case 'text-delta':
        return draft.text(part.text, part.id)
      case 'reasoning-delta':
        return draft.thought(part.text)
      case 'file':
        return draft.file(part.file.mediaType, part.file.base64)
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted } = part
        return draft.call({ toolCallId, name: toolName, input: toJson(input), byProvider: providerExecuted === true })
      }
      case 'tool-result':
        return part.preliminary ? undefined : draft.settle(part.toolCallId, 'ok', toJson(part.output))
      case 'tool-error':
        return draft.settle(part.toolCallId, 'error', errorOutput(part.error))
      case 'finish-step':
        draft.finish(part.finishReason, part.rawFinishReason, part.usage)
        return this.#endStep()
    }
  }

  /** What was thrown, or came as an error; the first of a step counts. */
  fail(error: unknown): void {
    this.#error ??= describeModelError(error, { provider, answering: this.#answering })
  }

  /** The result of a stream that has ended. */
  end(): SubagentResult {
    if (this.#error) return this.result(this.#error)
    const step = this.#draft.outcome('finished')
    const isBroken = !this.#lastStep || step.content.length > 0 || step.calls.length > 0
    const last = isBroken ? step : this.#lastStep!
    const end = endOf(last, provider)
    return end === 'next-step' ? this.#result('error', stoppedAt(last)) : this.result(end)
  }

  result(reason: TurnEndReason): SubagentResult {
    return this.#result(stopReasonOf(reason), failureOf(reason))
  }

  #result(stopReason: SubagentResult['stopReason'], failure: SubagentFailure | undefined): SubagentResult {
    const { content } = this.#draft.outcome('aborted')
    return {
      output: [...(content.length > 0 ? content : this.#lastContent)],
      stopReason,
      ...(failure && { failure, diagnostic: failure.message }),
      ...(this.#usage && { usage: this.#usage }),
    }
  }

  #endStep(): void {
    this.#lastStep = this.#draft.outcome('finished')
    if (this.#lastStep.content.length > 0) this.#lastContent = this.#lastStep.content
    if (this.#lastStep.usage) {
      this.#usage = addUsage(this.#usage, this.#lastStep.usage)
      this.#update({ type: 'usage', usage: this.#usage })
    }
    this.#draft = new StepDraft(String(++this.#steps), this.#update)
  }
}

/** Why an agent ended with a step that asks for another one. */
function stoppedAt({ calls }: StepOutcome): SubagentFailure {
  const open = calls.find((call) => !call.result && !call.byProvider)
  const [code, message] = open
    ? [
        'UNANSWERED_TOOL_CALL',
        `The agent ended with a call of its tool ${JSON.stringify(open.name)} that nobody answered: the tool has no execute function here, or wants an approval.`,
      ]
    : [
        'MAX_STEPS',
        'The agent was still calling tools when its stopWhen ended it (by default after 20 steps). Raise that, or give it a smaller task.',
      ]
  return { code, phase: 'running', retryable: false, message }
}

function said(reason: unknown): string {
  return reason === undefined ? '.' : `: ${shortMessage(describeReason(reason))}`
}
