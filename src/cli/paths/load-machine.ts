/** The state machine that a user's module exports. */
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyStateMachine } from 'xstate'
import { pick } from '../pick.ts'
import { UsageError } from '../usage-error.ts'

export interface LoadedMachine {
  readonly machine: AnyStateMachine
  /** Absolute. */
  readonly path: string
  /** `default` for the default export. */
  readonly exportName: string
}

/** Runs the module. @throws UsageError where it cannot be loaded, or has not the one machine that is meant */
export async function loadMachine(module: string, exportName: string | undefined, cwd: string): Promise<LoadedMachine> {
  const path = resolve(cwd, module)
  const exports = await load(path, module)
  const machines = Object.keys(exports).filter((name) => isMachine(exports[name]))
  const found = (name: string): LoadedMachine => ({ machine: exports[name] as AnyStateMachine, path, exportName: name })
  if (exportName !== undefined) {
    if (exportName in exports && !isMachine(exports[exportName]))
      throw new UsageError(`--export ${exportName}: this is no state machine of XState. ${listed(machines)}`)
    if (machines.length === 0) throw new UsageError(`${module}: ${listed(machines)}`)
    return found(pick(exportName, machines, `--export ${JSON.stringify(exportName)}: ${module} exports no machine of that name`))
  }
  const [name, second] = machines
  if (name === undefined) throw new UsageError(`${module}: ${listed(machines)}`)
  if (second !== undefined) throw new UsageError(`${module}: ${listed(machines)} Name one: --export ${name}`)
  return found(name)
}

async function load(path: string, module: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>
  } catch (cause) {
    const { code, message } = cause as { readonly code?: string; readonly message?: string }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /^\.[cm]?tsx?$/.test(extname(path))) {
      throw new UsageError(
        `${module}: this Node (${process.version}) does not load TypeScript. Take Node 22.18 or newer, a loader (NODE_OPTIONS="--import tsx"), or the compiled module.`,
        { cause },
      )
    }
    if (code === 'ERR_MODULE_NOT_FOUND' && message?.includes(`'${path}'`))
      throw new UsageError(`${module} does not exist. Give the path of a module that exports a state machine.`, { cause })
    throw new UsageError(`${module} cannot be loaded: ${message ?? String(cause)}`, { cause })
  }
}

function listed(machines: readonly string[]): string {
  if (machines.length === 0) return 'It exports no XState machine, as createMachine() or setup().createMachine() makes one.'
  return `It exports ${machines.length === 1 ? 'the machine' : 'the machines'} ${machines.join(', ')}.`
}

/** Also one of another copy of XState than ours. */
function isMachine(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'root' in value && 'implementations' in value && 'provide' in value
}
