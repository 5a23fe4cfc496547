/** What an ACP provider is made with, checked before anything is started (A1). */
import { childEnvironment } from '../../processes/environment.ts'
import { checkOptionNames } from '../../run/known-names.ts'
import { checkMs, invalid } from '../../run/request.ts'
import type { ToolFilter } from '../../types.ts'
import type { PermissionPolicy } from './permission.ts'
import type { SessionSettings } from './session-settings.ts'
import { checkAbsolute } from './working-directory.ts'

/** What is put into `_meta` of `session/new` so that the agent enforces it (A15). */
export interface AgentEnforces {
  /** The entries of `_meta` for the persona of a request. */
  readonly persona?: (persona: string) => { readonly [key: string]: unknown }
  /** The entries of `_meta` for the tools that a child may use, nearest filter and all above it in one. */
  readonly toolFilter?: (filter: ToolFilter) => { readonly [key: string]: unknown }
}

/**
 * What children of `acpProvider` are started with. Times are milliseconds; what has the wrong shape is thrown as INVALID_REQUEST
 * when the provider is made.
 */
export interface AcpProviderOptions extends SessionSettings {
  /** @default 'acp' */
  readonly name?: string
  /** Path or name of the program that speaks ACP; it is not given to a shell. */
  readonly command: string
  /** @default none */
  readonly args?: readonly string[]
  /** Absolute path of the directory that children work in. @default the parent session's */
  readonly cwd?: string
  /** On top of the allow-list of the host's environment that children get (A21); `undefined` takes a variable away. */
  readonly env?: { readonly [name: string]: string | undefined }
  /**
   * What children may do that they ask for: nothing, all of it once, what the service's `onPermission` decides, or what this
   * function decides. Many agents ask for some things only, some for none: this is no sandbox.
   * @default 'reject'
   */
  readonly permission?: PermissionPolicy
  /** How long a handler may take to decide, in milliseconds; then the answer is no. @default 300000 */
  readonly permissionTimeoutMs?: number
  /** The way to log in, by the id that the agent gives it. @default none: an agent that wants a login fails the run */
  readonly authMethod?: string
  /** How long each stage of the handshake may take, in milliseconds. @default 60000 */
  readonly handshakeTimeoutMs?: number
  /** How long the agent may send nothing while a prompt is under way, in milliseconds. @default none */
  readonly idleTimeoutMs?: number
  /** How long the result waits for text that comes after the answer to the prompt, in milliseconds. @default 100 */
  readonly drainMs?: number
  /** How long the process may take to end once its stdin has ended, in milliseconds. @default 1000 */
  readonly eofGraceMs?: number
  /**
   * How long it may take after SIGTERM, in milliseconds. A run waits `releaseGraceMs` for its release in all: raise that with it.
   * @default 2000
   */
  readonly termGraceMs?: number
  /**
   * Keeps so many processes ready, started and greeted, so that a run does not wait for that. Each serves one run. They are
   * there from the first run on, for the folder and the environment that runs had last, and end with the service, or when the
   * provider is removed. What each costs is what the agent costs at rest.
   * @default none
   */
  readonly pool?: { readonly size: number }
  /** True where the agent reads `SUBAGENT_DEPTH` and `SUBAGENT_MAX_DEPTH` and keeps to them. @default false */
  readonly honoursDepth?: boolean
  /** False where the agent calls no tool of a server that it is given, nor ends its text with JSON when it is asked to. @default true */
  readonly structuredOutput?: boolean
  /** @default nothing: the capabilities persona and toolFilter are false */
  readonly enforces?: AgentEnforces
  /**
   * Hears what the agent writes to stderr, as it comes.
   * Contract: may throw, which is logged; not called once the run is disposed. What it hears is not redacted.
   */
  readonly onStderr?: (chunk: Uint8Array, runId: string) => void
}

const milliseconds = { permissionTimeoutMs: 1, handshakeTimeoutMs: 1, idleTimeoutMs: 1, drainMs: 0, eofGraceMs: 0, termGraceMs: 0 } as const
/** What known agents have beside options, which is spread with them. */
const unlisted = ['verified']
const names = Object.keys({
  name: true,
  command: true,
  args: true,
  cwd: true,
  env: true,
  permission: true,
  permissionTimeoutMs: true,
  authMethod: true,
  handshakeTimeoutMs: true,
  idleTimeoutMs: true,
  drainMs: true,
  eofGraceMs: true,
  termGraceMs: true,
  pool: true,
  honoursDepth: true,
  structuredOutput: true,
  enforces: true,
  onStderr: true,
  model: true,
  mode: true,
  config: true,
} satisfies { readonly [Name in keyof Required<AcpProviderOptions>]: true })
const policies = ['reject', 'allow', 'ask']

/** @throws SubagentError INVALID_REQUEST naming the option */
export function checkOptions(options: AcpProviderOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object with a command', options)
  checkOptionNames(options, names, 'An ACP provider', unlisted)
  const { name, command, args, cwd, env, permission, config, enforces, honoursDepth, onStderr, pool } = options
  checkText('command', command)
  for (const [field, value] of Object.entries({ name, model: options.model, mode: options.mode, authMethod: options.authMethod }))
    if (value !== undefined) checkText(field, value)
  if (args !== undefined && (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')))
    throw invalid('args', 'an array of strings', args)
  if (cwd !== undefined) checkAbsolute('cwd', cwd)
  if (env !== undefined) {
    if (!isPlain(env)) throw invalid('env', 'an object of strings', env)
    childEnvironment(env)
  }
  if (pool !== undefined && (typeof pool !== 'object' || pool === null)) throw invalid('pool', 'an object with a size', pool)
  if (pool !== undefined && !(Number.isSafeInteger(pool.size) && pool.size >= 1))
    throw invalid('pool.size', 'a whole number from 1', pool.size)
  if (permission !== undefined && typeof permission !== 'function' && !policies.includes(permission))
    throw invalid('permission', "'reject', 'allow', 'ask' or a function", permission)
  for (const [field, least] of Object.entries(milliseconds)) {
    const value = options[field as keyof typeof milliseconds]
    if (value !== undefined) checkMs(field, value, least)
  }
  checkConfig(config)
  for (const [field, value] of Object.entries({ honoursDepth, structuredOutput: options.structuredOutput }))
    if (value !== undefined && typeof value !== 'boolean') throw invalid(field, 'true or false', value)
  if (enforces !== undefined && !isPlain(enforces)) throw invalid('enforces', 'an object', enforces)
  for (const field of ['persona', 'toolFilter'] as const)
    if (enforces?.[field] !== undefined && typeof enforces[field] !== 'function')
      throw invalid(`enforces.${field}`, 'a function', enforces[field])
  if (onStderr !== undefined && typeof onStderr !== 'function') throw invalid('onStderr', 'a function', onStderr)
}

function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(field, 'a non-empty string', value)
}

/** A map or an array would be taken in silence, with nothing in it. */
function isPlain(value: unknown): value is { readonly [field: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function checkConfig(config: unknown): void {
  if (config === undefined) return
  if (!isPlain(config)) throw invalid('config', 'an object of strings and booleans', config)
  for (const [id, value] of Object.entries(config))
    if (typeof value !== 'string' && typeof value !== 'boolean') throw invalid(`config.${id}`, 'a string or a boolean', value)
}
