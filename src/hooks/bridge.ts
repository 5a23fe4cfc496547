/**
 * Runs the SubagentStart and SubagentStop hooks of Claude Code on the lifecycle of runs.
 *
 * Owns: which commands an event has, in which order they run, what becomes of their answers. Does not own: the runs. It hears
 * of them and changes none; nothing waits for it.
 *
 * Invariants: an event costs its run no more than a lookup, processes are started later; commands of one run are serial (H4);
 * once `dispose` has resolved there is no process of a hook (H7).
 */
import { childEnvironment } from '../processes/environment.ts'
import { debug, describeThrown, warn } from '../run/contain.ts'
import type { SubagentEndEvent } from '../types.ts'
import { describeChild, hookInput } from './child.ts'
import type { HookedChild } from './child.ts'
import { runCommand } from './command.ts'
import { hookEvents, noHooks, readConfig } from './config.ts'
import type { HookCommand, HookConfig, HookEvent } from './config.ts'
import { projectOf, readConfigFile } from './config-file.ts'
import { checkBridgeOptions } from './options.ts'
import type { CheckedOptions, HooksBridge, HooksBridgeOptions } from './options.ts'
import { readOutcome } from './outcome.ts'
import { HookQueue } from './queue.ts'
import { substitute } from './variables.ts'
import type { HookVariables } from './variables.ts'

/**
 * Runs the hooks of `config` for the runs of a service, from now on: `SubagentStart` at `subagent/start`, `SubagentStop` at
 * `subagent/end`. A hook is a command line for the shell, which gets what it has to know as JSON on stdin. It observes: no run
 * waits for it, and what would block an agent in Claude Code is logged. The `additionalContext` of a start hook is injected
 * into the child, if that is one of `agents` and still runs.
 *
 * A hook that ends takes what it left in the background with it. Sends SIGTERM at the timeout, and SIGKILL a second later.
 *
 * @throws SubagentError INVALID_REQUEST for an option of the wrong shape. Never for what is wrong with the hooks: that is a
 * warning, and leaves out what it concerns (H1)
 *
 * @example
 * ```ts
 * const hooks = createHooksBridge({ service, agents, config: '.claude/settings.json' })
 * await service.delegate('spawn', { parent, prompt: 'Find every TODO and rank them' })
 * await hooks.idle()
 * await hooks.dispose()
 * ```
 */
export function createHooksBridge(options: HooksBridgeOptions): HooksBridge {
  const checked = checkBridgeOptions(options)
  const { service, agents, pluginRoot, env, maxConcurrent, logger, clock } = checked
  const { name, config, projectDir } = load(checked)
  const sources = { ...checked, ...(projectDir !== undefined && { projectDir }) }
  const queue = new HookQueue(maxConcurrent)
  const children = new Map<string, HookedChild>()
  const stops = new Set<() => void>()
  const withoutContext = new Set<string>()
  let dropped = 0
  let disposal: Promise<void> | undefined

  const childOf = (event: Parameters<typeof describeChild>[0]): HookedChild => children.get(event.runId) ?? describeChild(event, sources)

  function enqueue(event: HookEvent, child: HookedChild, end?: SubagentEndEvent): void {
    const commands = config[event].flatMap((group) => (group.matches(child.agentType) ? group.commands : []))
    if (commands.length === 0 || queue.add(child.runId, () => runAll(event, commands, child, end))) return
    if (dropped++ > 0) return
    warn(logger, `${name}: too many events wait for their hooks; those that come now get none.`)
    void queue.idle().then(() => {
      warn(logger, `${name}: ${dropped} events got no hooks, since too many waited.`)
      dropped = 0
    })
  }

  async function runAll(event: HookEvent, commands: readonly HookCommand[], child: HookedChild, end?: SubagentEndEvent): Promise<void> {
    const input = hookInput(event, child, sources, end)
    const variables: HookVariables = {
      CLAUDE_PROJECT_DIR: child.projectDir,
      ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
    }
    for (const hook of commands) {
      if (disposal) return debug(logger, `${name}: ${event} of run ${child.runId}: the bridge was disposed before all of its hooks ran.`)
      try {
        await run(event, hook, child, input, variables)
      } catch (thrown) {
        warn(logger, `${name}: ${hook.at} of run ${child.runId} failed: ${describeThrown(thrown)}`)
      }
    }
  }

  async function run(event: HookEvent, hook: HookCommand, child: HookedChild, input: string, variables: HookVariables): Promise<void> {
    const ended = await runCommand({
      command: substitute(hook.command, variables),
      timeoutMs: hook.timeoutMs,
      cwd: child.cwd,
      env: childEnvironment({ ...variables, ...env }),
      input,
      clock,
      logger,
      stops,
    })
    const what = `${name}: ${hook.at} of run ${child.runId}`
    const context = readOutcome(event, ended, hook.timeoutMs, {
      warn: (text) => warn(logger, `${what} ${text}`),
      debug: (text) => debug(logger, `${what} ${text}`),
    })
    if (context !== undefined && !disposal) inject(context, child, what)
  }

  function inject(context: string, child: HookedChild, what: string): void {
    if (!child.isAgent) {
      if (withoutContext.has(child.provider)) return
      withoutContext.add(child.provider)
      return warn(logger, `${what} gave an additionalContext, which children of the provider ${child.provider} cannot take.`)
    }
    const drop = (why: string) => debug(logger, `${what}: its additionalContext was dropped: ${why}`)
    if (child.hasEnded) return drop('the run has ended.')
    try {
      const agent = agents?.get(child.id)
      if (!agent || agent.status === 'disposed') return drop('the child is gone.')
      agent.inject(context, { source: 'hooks' })
    } catch (thrown) {
      drop(describeThrown(thrown))
    }
  }

  const listening = hookEvents.some((event) => config[event].some(({ commands }) => commands.length > 0))
    ? [
        service.on('subagent/start', (event) => {
          const child = childOf(event)
          children.set(event.runId, child)
          enqueue('SubagentStart', child)
        }),
        service.on('subagent/end', (event) => {
          const child = childOf(event)
          children.delete(event.runId)
          child.hasEnded = true
          enqueue('SubagentStop', child, event)
        }),
      ]
    : []

  async function end(): Promise<void> {
    for (const { unsubscribe } of listening) unsubscribe()
    children.clear()
    for (const stop of stops) stop()
    await queue.idle()
  }
  const dispose = (): Promise<void> => (disposal ??= end())
  return { dispose, idle: () => queue.idle(), [Symbol.asyncDispose]: dispose }
}

function load({ config, projectDir, pluginRoot, logger }: CheckedOptions): {
  name: string
  config: HookConfig
  projectDir: string | undefined
} {
  const name = typeof config === 'string' ? `Hooks of ${config}` : 'Hooks'
  const say = (text: string): void => warn(logger, `${name}: ${text}`)
  const read = typeof config === 'string' ? readConfigFile(config, say) : { settings: config }
  return {
    name,
    config: read ? readConfig(read.settings, { hasPluginRoot: pluginRoot !== undefined, warn: say }) : noHooks,
    projectDir: projectDir ?? (typeof config === 'string' ? projectOf(config) : undefined),
  }
}
