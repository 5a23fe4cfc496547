/** The subagent tool with its controls, for the AI SDK: a set that follows the registry (T2, T11). */
import type { ToolSet } from 'ai'
import { aiToolOf, createAiTool } from './ai-tool.ts'
import { Mirror } from './mirror.ts'
import type { Mirrored } from './mirror.ts'
import type { SubagentToolOptions } from './options.ts'

/** Whoever makes it disposes it. */
export interface SubagentTools extends Disposable {
  /**
   * The tools as they are now: the subagent tool while its provider is registered (of a list: one of its providers), and, where
   * `background` is on, its controls. The same object as long as nothing changed, so it can be asked before each step.
   */
  current(): ToolSet
  /** Empty from here on, and its names are free again. Runs in the background go on. */
  dispose(): void
}

/**
 * The subagent tool for the AI SDK as a live set.
 *
 * @throws SubagentError as {@link defineSubagentTool} does
 *
 * @example
 * ```ts
 * const subagents = subagentTools({ service, provider: 'spawn', background: true })
 * const agents = createAgents({ model, tools: () => ({ search, ...subagents.current() }) })
 * ```
 */
export function subagentTools(options: SubagentToolOptions): SubagentTools {
  const mirror = new Mirror(options)
  let shown: Mirrored | undefined
  let tools: ToolSet = {}
  const controls: ToolSet = {}
  const dispose = () => mirror.dispose()
  return {
    current() {
      const current = mirror.current()
      if (current !== shown) {
        shown = current
        // A new tool for each change: frameworks read its wording once.
        tools = {
          ...(current.binding && { [current.binding.toolName]: createAiTool(current.binding) }),
          ...Object.fromEntries(current.controls.map((control) => [control.name, (controls[control.name] ??= aiToolOf(control))])),
        }
      }
      return tools
    },
    dispose,
    [Symbol.dispose]: dispose,
  }
}
