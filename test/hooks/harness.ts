import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHooksBridge } from '../../src/hooks/index.ts'
import type { HooksBridge, HooksBridgeOptions } from '../../src/hooks/index.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { ParentAgent, SubagentProvider, SubagentResult, SubagentRun, SubagentService, SubagentStartRequest } from '../../src/index.ts'
import { defineProvider } from '../../src/providers/define.ts'
import { deferred } from '../../src/run/deferred.ts'
import type { Deferred } from '../../src/run/deferred.ts'
import type { Logger } from '../../src/types.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'

export interface HooksBench {
  readonly service: SubagentService
  /** Where children work. */
  readonly folder: string
  readonly parent: ParentAgent
  readonly warnings: string[]
  readonly debugs: string[]
  bridge(config: HooksBridgeOptions['config'], options?: Partial<HooksBridgeOptions>): HooksBridge
  /** A run of the provider `hand`, whose child answers when it is told to. */
  start(request?: Partial<SubagentStartRequest>): { readonly run: SubagentRun; answer(result?: string | SubagentResult): Promise<void> }
  /** Starts one, answers it, and waits for its hooks. */
  delegate(bridge: HooksBridge, request?: Partial<SubagentStartRequest>): Promise<void>
  /** The lines of a file of the folder, `[]` where there is none. */
  lines(file: string): Promise<string[]>
}

export interface BenchOptions {
  readonly providers?: readonly SubagentProvider[]
  readonly files?: Readonly<Record<string, string>>
}

export async function createHooksBench({ providers = [], files = {} }: BenchOptions = {}): Promise<HooksBench> {
  const folder = await temporaryFolder(files)
  const warnings: string[] = []
  const debugs: string[] = []
  const logger: Logger = {
    debug: (message) => void debugs.push(message),
    warn: (message) => void warnings.push(message),
    error: (message) => void warnings.push(message),
  }
  const answers = new Map<string, Deferred<string | SubagentResult>>()
  const answerOf = (runId: string): Deferred<string | SubagentResult> => {
    if (!answers.has(runId)) answers.set(runId, deferred())
    return answers.get(runId)!
  }
  const hand = defineProvider({
    name: 'hand',
    run: (_, { runId, signal }) => {
      const { promise, reject } = answerOf(runId)
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    },
  })
  const service = createSubagentService({ providers: [hand, ...providers], logger })
  onTestFinished(() => service.close())
  const parent = rootAgent({ cwd: folder })
  const start: HooksBench['start'] = (request = {}) => {
    const run = service.start('hand', { parent, prompt: 'Do it', ...request })
    return {
      run,
      answer: async (answer = 'Done.') => {
        answerOf(run.runId).resolve(answer)
        await run.result
      },
    }
  }
  return {
    service,
    folder,
    parent,
    warnings,
    debugs,
    bridge: (config, options) => {
      const bridge = createHooksBridge({ service, config, logger, ...options })
      onTestFinished(() => bridge.dispose())
      return bridge
    },
    start,
    delegate: async (bridge, request) => {
      const { run, answer } = start(request)
      await answer()
      await bridge.idle()
      await run.dispose()
    },
    lines: async (file) => (await readFile(join(folder, file), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
  }
}

/** Settings with one group an event. */
export const hooks = (start: readonly (string | object)[], stop: readonly (string | object)[] = []): object => {
  const group = (list: readonly (string | object)[]) => [
    { hooks: list.map((hook) => (typeof hook === 'string' ? { command: hook } : hook)) },
  ]
  return { hooks: { SubagentStart: group(start), SubagentStop: group(stop) } }
}
