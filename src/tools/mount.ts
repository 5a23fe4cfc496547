/** The subagent tool with its controls, for frameworks that mount tools: there while its provider is (T2, T11). */
import { contain, describeThrown, isThenable, warn } from '../run/contain.ts'
import { invalid } from '../run/request.ts'
import { createDefinition } from './define.ts'
import type { SubagentToolDefinition } from './define.ts'
import { Mirror } from './mirror.ts'
import type { Mirrored } from './mirror.ts'
import type { SubagentToolOptions } from './options.ts'

/**
 * Puts a tool among a framework's own, and returns how to take it out again.
 *
 * Contract: called synchronously, also out of `registerProvider`; a tool is taken out before one of the same name is put in.
 * What it throws or rejects with is logged, and the tool is not there; the provider's registration stands. A promise is waited
 * for by nobody but the taking out, which is by what it resolves to.
 */
export type MountTool = (tool: SubagentToolDefinition) => Unmount | void | PromiseLike<Unmount | void>

type Unmount = () => unknown

/** Takes out what is mounted, and mounts nothing any more: call it, or let `using` do so. Once. */
export interface SubagentToolMount extends Disposable {
  (): void
}

/**
 * Mounts the subagent tool while its provider is registered (of a list: one of its providers), with wording that fits it; takes
 * it out when the provider is removed. Controls of runs in the background come with it, and stay when it goes.
 *
 * @throws SubagentError as {@link defineSubagentTool} does; INVALID_REQUEST where `mount` is no function
 *
 * @example
 * ```ts
 * const unmount = mountSubagentTool({ service, provider: 'spawn', parent }, (tool) => {
 *   server.addTool(tool.name, tool)
 *   return () => server.removeTool(tool.name)
 * })
 * ```
 */
export function mountSubagentTool(options: SubagentToolOptions, mount: MountTool): SubagentToolMount {
  if (typeof mount !== 'function') throw invalid('mount', 'a function that takes a tool', mount)
  const mirror = new Mirror(options)
  const { service, logger } = mirror.binding
  const mounted = new Map<string, () => unknown>()
  let shown: Mirrored | undefined
  let isSyncing = false

  const put = (tool: SubagentToolDefinition): void => {
    const failed = (thrown: unknown): void =>
      warn(logger, `Mounting tool ${tool.name} failed, so it is not there: ${describeThrown(thrown)}`)
    try {
      const unmount = mount(tool)
      if (!isThenable(unmount)) mounted.set(tool.name, () => unmount?.())
      else {
        const mounting = Promise.resolve(unmount).catch(failed)
        mounted.set(tool.name, () => mounting.then((later) => later?.()))
      }
    } catch (thrown) {
      failed(thrown)
    }
  }
  const take = (name: string): void => {
    const unmount = mounted.get(name)
    mounted.delete(name)
    if (unmount) contain(logger, `Taking out tool ${name}`, unmount)
  }
  /** A mount may register or remove a provider itself; what it changes is seen to after it. */
  const sync = (): void => {
    if (isSyncing) return
    isSyncing = true
    for (let current = mirror.current(); current !== shown; current = mirror.current()) {
      const earlier = shown
      shown = current
      const { binding, controls } = current
      take(mirror.binding.toolName)
      if (binding) put(createDefinition(binding))
      if (!mirror.isDisposed && controls !== earlier?.controls) for (const control of controls) put(control)
      if (mirror.isDisposed) for (const name of mounted.keys()) take(name)
    }
    isSyncing = false
  }

  const subscriptions = [service.on('subagent/provider-added', sync), service.on('subagent/provider-removed', sync)]
  sync()
  const dispose = (): void => {
    for (const subscription of subscriptions) subscription.unsubscribe()
    mirror.dispose()
    sync()
  }
  return Object.assign(dispose, { [Symbol.dispose]: dispose })
}
