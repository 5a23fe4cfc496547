/**
 * The controls of runs in the background: tools beside the subagent tool, named after it (T11).
 *
 * Invariant: a run answers to the parent that started it alone. Whoever names another's is told the same as whoever names one
 * that does not exist, so that nobody learns which ids there are.
 */
import type { JsonSchema } from '../../types.ts'
import type { Binding } from '../binding.ts'
import { messageOf, parentOf } from '../call.ts'
import type { SubagentToolCall } from '../call.ts'
import type { SubagentToolDefinition } from '../define.ts'
import { errorResult } from '../outcome.ts'
import type { SubagentToolResult } from '../outcome.ts'
import { bookOf } from './book.ts'
import { cancelRun } from './control-cancel.ts'
import { listRuns } from './control-list.ts'
import { readResult } from './control-result.ts'
import { sendToRun } from './control-send.ts'
import { defaultWaitMs } from './control.ts'
import type { ControlCall, RunControl } from './control.ts'

const text = (value: string): SubagentToolResult => ({ isError: false, content: [{ type: 'text', text: value }] })

/** The names that a tool with controls takes, its own first. */
export function toolNames({ toolName, background }: Binding): readonly string[] {
  return background ? [toolName, ...['result', 'send', 'cancel', 'list'].map((control) => `${toolName}_${control}`)] : [toolName]
}

export function createControls(binding: Binding): readonly SubagentToolDefinition[] {
  const { toolName, background, maxOutputBytes } = binding
  if (!background) return []
  const id = { type: 'string', description: `The run id that ${toolName} gave.` }
  const control = (
    name: string,
    description: string,
    properties: JsonSchema,
    required: readonly string[],
    act: (call: ControlCall) => SubagentToolResult | Promise<SubagentToolResult>,
  ): SubagentToolDefinition => ({
    name: `${toolName}_${name}`,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    execute: (input, call = {}) => execute(binding, input, call, act),
  })
  return [
    control(
      'result',
      'Reads the answer of a subagent that runs in the background, or waits for it. Of one that is still running it says how far it is.',
      {
        id,
        timeout_ms: {
          type: 'integer',
          minimum: 0,
          maximum: background.maxWaitMs,
          description: `How long to wait for its end, in milliseconds; 0 only looks. Default ${Math.min(defaultWaitMs, background.maxWaitMs)}.`,
        },
        offset: {
          type: 'integer',
          minimum: 0,
          description: `From which byte of a long answer to read on; one call gives at most ${maxOutputBytes} bytes.`,
        },
      },
      ['id'],
      onRun(readResult),
    ),
    control(
      'send',
      'Writes to a subagent in the background: to one that works, or to one that has ended, which then goes on under the same run id.',
      { id, message: { type: 'string', description: 'What it is to know or to do.' } },
      ['id', 'message'],
      onRun(sendToRun),
    ),
    control(
      'cancel',
      'Stops a subagent that runs in the background. What it had written until then is kept.',
      { id, reason: { type: 'string', description: 'Why, in a few words.' } },
      ['id'],
      onRun(cancelRun),
    ),
    control('list', 'Shows your subagents in the background: run id, description, agent, state, time taken.', {}, [], ({ book }) =>
      text(listRuns(book)),
    ),
  ]
}

async function execute(
  binding: Binding,
  input: unknown,
  call: SubagentToolCall,
  act: (call: ControlCall) => SubagentToolResult | Promise<SubagentToolResult>,
): Promise<SubagentToolResult> {
  const parent = parentOf(binding, call)
  if (!parent) return errorResult('Nothing says which agent calls. The tool has to be made with a parent, or be called by an agent.')
  const given = input ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) return errorResult('The input must be an object. Call the tool again with one.')
  try {
    return await act({
      binding,
      parent,
      book: bookOf(binding.service, parent),
      input: given as ControlCall['input'],
      signal: call.abortSignal,
    })
  } catch (thrown) {
    return errorResult(messageOf(thrown))
  }
}

function onRun(act: RunControl): (call: ControlCall) => SubagentToolResult | Promise<SubagentToolResult> {
  return (call) => {
    const { book, input, binding } = call
    const { id } = input
    if (typeof id !== 'string' || id === '')
      return errorResult(`id must be the run id that ${binding.toolName} gave. Call the tool again with it.`)
    const run = book.runs.get(id)
    if (run) return act(run, call)
    if (book.isDropped(id))
      return errorResult(
        `The outcome of run ${id} is not kept any more: only the last ${binding.background!.keepEnded} are. Its notice told its end; delegate again for what is missing.`,
      )
    return errorResult(
      `UNAUTHORIZED: you have no background run ${JSON.stringify(id.slice(0, 100))}. A run answers to the agent that started it alone; ${binding.toolName}_list shows yours.`,
    )
  }
}
