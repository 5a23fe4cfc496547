/**
 * A provider from an async function: the shortest way to make any code a child (P16).
 */
import { SubagentError } from '../errors.ts'
import type { ContentBlock, ProviderStartRequest, RunContext, SubagentCapabilities, SubagentProvider, SubagentResult } from '../types.ts'

export interface DefineProviderOptions {
  readonly name: string
  /** @default none: outputSchema, depthLimit and toolFilter are false */
  readonly capabilities?: Partial<SubagentCapabilities>
  /** @default false */
  readonly inheritsParentContext?: boolean
  /**
   * Does the work. A string is the text of a completed result.
   * Contract: called once a run; `context.signal` (also `request.signal`) aborts on cancel; a throw rejects the run's `result`.
   */
  readonly run: (request: ProviderStartRequest, context: RunContext) => Promise<SubagentResult | string> | SubagentResult | string
}

/** @throws SubagentError INVALID_PROVIDER */
export function defineProvider({ name, capabilities, inheritsParentContext, run }: DefineProviderOptions): SubagentProvider {
  if (typeof run !== 'function')
    throw new SubagentError('INVALID_PROVIDER', `defineProvider: run of ${JSON.stringify(name)} must be a function, got ${typeof run}.`)
  return {
    name,
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false, ...capabilities },
    ...(inheritsParentContext !== undefined && { inheritsParentContext }),
    start: (request, context) => {
      // Called when start has returned, so that nothing it does comes before the run is announced.
      const result = Promise.resolve()
        .then(() => {
          context.signal.throwIfAborted()
          return run(request, context)
        })
        .then((answer) => (typeof answer === 'string' ? completed(answer) : answer))
      return {
        result,
        // The linked signal is aborted by the engine before this is called.
        cancel: () => {},
        dispose: () => result.then(ignore, ignore),
      }
    },
  }
}

function completed(text: string): SubagentResult {
  const output: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }]
  return { output, stopReason: 'completed' }
}

const ignore = (): void => {}
