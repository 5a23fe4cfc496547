import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { launchProcess } from '../../../src/processes/launch.ts'
import type { LaunchOptions } from '../../../src/processes/launched-process.ts'
import { createAcpProvider } from '../../../src/providers/acp/provider.ts'
import { systemClock } from '../../../src/run/defaults.ts'
import { rootAgent } from '../../../src/index.ts'
import type { PermissionAnswer } from '../../../src/index.ts'
import type { MakeProvider } from '../../../src/testing/index.ts'
import { Control, controlledAgent } from './control.ts'

/** Children that are real processes, told what to do over a socket. */
export const acpSubject: MakeProvider = async () => {
  const control = new Control()
  const port = await control.listen()
  const pids = new Set<number>()
  const closing: Promise<unknown>[] = []
  let launches = 0
  const elsewhere = new Set<number>()
  let release: Promise<void> | undefined
  const asked: { resolve(answer: PermissionAnswer): void }[] = []

  const provider = createAcpProvider(
    {
      command: process.execPath,
      args: [controlledAgent],
      // The clock of the kit stands still: a window on it would never end.
      drainMs: 0,
      honoursDepth: true,
      enforces: { persona: (persona) => ({ persona }), toolFilter: (toolFilter) => ({ toolFilter }) },
      permission: () => new Promise<PermissionAnswer>((resolve) => asked.push({ resolve })),
    },
    {
      launch: (options: LaunchOptions) => {
        const env = { ...options.env, ACP_CONTROL_PORT: String(port), ACP_CONTROL_ID: String(launches++) }
        // A teardown takes real time.
        const launched = launchProcess({ ...options, env, clock: systemClock })
        if (launched.pid !== undefined) pids.add(launched.pid)
        const original = launched.close.bind(launched)
        launched.close = async () => {
          const closed = original()
          closing.push(closed)
          const report = await closed
          await release
          return report
        }
        return launched
      },
    },
  )
  const tell = (child: number, order: { readonly do: string; readonly [field: string]: unknown }): void =>
    control.order(String(child), order)
  const prompts = (child: number): string[] =>
    control.events(String(child)).flatMap(({ event, text }) => (event === 'prompt' ? [text!] : []))
  const session = (child: number): { readonly depth?: number; readonly params?: any } | undefined => control.find(String(child), 'session')
  const tools = ['read', 'write']
  let answeredFirst = false

  return {
    provider,
    request: (child) => ({ parent: rootAgent({ cwd: elsewhere.has(child) ? '/nowhere/at/all' : tmpdir() }) }),
    isUp: (child) => prompts(child).length > 0,
    ready: (child) => tell(child, { do: 'open' }),
    settle: (text, child) => {
      tell(child, { do: 'open' })
      tell(child, { do: 'text', text })
      // A message that steered it is a prompt of its own.
      tell(child, { do: 'end', all: true })
    },
    fail: (message, child) => {
      tell(child, { do: 'open' })
      tell(child, { do: 'fail', message })
    },
    stream: (text, child) => tell(child, { do: 'text', text }),
    structure: (value, child) => {
      tell(child, { do: 'open' })
      tell(child, { do: 'structure', value })
    },
    ask: (child) => {
      tell(child, { do: 'ask' })
      return { answer: () => asked.shift()?.resolve({ optionId: 'yes' }) }
    },
    ignoreCancel: (child) => tell(child, { do: 'deaf' }),
    failStart: (child) => void elsewhere.add(child),
    holdRelease: () => {
      let letGo!: () => void
      release = new Promise((resolve) => (letGo = resolve))
      return letGo
    },
    failRelease: () => {
      release = Promise.reject(new Error('The process does not go.'))
      release.catch(() => {})
    },
    sees: {
      prompt: (child) => prompts(child)[0],
      depth: (child) => session(child)?.depth,
      persona: (child) => session(child)?.params._meta.persona,
      tools: (child) => {
        const seen = session(child)
        const { allow = tools, deny = [] } = seen?.params._meta.toolFilter ?? {}
        return seen && tools.filter((tool) => allow.includes(tool) && !deny.includes(tool))
      },
      messages: (child) => {
        // A message is the next prompt of the session, so the first has to come to its end.
        if (!answeredFirst) tell(child, { do: 'end' })
        answeredFirst = true
        return prompts(child).slice(1)
      },
    },
    leftovers: async () => {
      // A release that is held up is given up on the clock of the kit, while the process takes real time to go.
      if (release) await Promise.all(closing)
      return [...pids].filter((pid) => existsSync(`/proc/${pid}`)).map((pid) => `process ${pid}`)
    },
    cleanUp: () => control.close(),
  }
}
