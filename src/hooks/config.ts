/**
 * Hooks in Claude Code's format as a list of commands an event. Whatever is wrong with a part of it drops that part, with a
 * warning that says where it stands, and nothing else (H1).
 */
import { maxTimerMs } from '../run/request.ts'
import { parseMatcher } from './matcher.ts'
import type { Matcher } from './matcher.ts'

export const hookEvents = ['SubagentStart', 'SubagentStop'] as const
export type HookEvent = (typeof hookEvents)[number]

export interface HookCommand {
  /** Where it stands in the settings. Messages name it so: a command may have a token in it. */
  readonly at: string
  /** A line for the shell, with its variables as they were written. */
  readonly command: string
  readonly timeoutMs: number
}

export interface HookGroup {
  readonly matches: Matcher
  readonly commands: readonly HookCommand[]
}

export type HookConfig = Readonly<Record<HookEvent, readonly HookGroup[]>>

export const defaultTimeoutMs = 600_000
export const noHooks: HookConfig = { SubagentStart: [], SubagentStop: [] }

export interface ReadConfigOptions {
  /** There is a value for `CLAUDE_PLUGIN_ROOT`. */
  readonly hasPluginRoot: boolean
  warn(text: string): void
}

type JsonObject = Readonly<Record<string, unknown>>

export function readConfig(settings: unknown, options: ReadConfigOptions): HookConfig {
  const { warn } = options
  if (!isObject(settings)) {
    warn(`the settings have to be an object with hooks, and are ${kindOf(settings)}: there are no hooks.`)
    return noHooks
  }
  if (settings['disableAllHooks'] === true) {
    warn('disableAllHooks is true: there are no hooks.')
    return noHooks
  }
  // Settings have other things beside their hooks; what is no settings is the map of events itself.
  const isWrapped = settings['hooks'] !== undefined
  const events = isWrapped ? settings['hooks'] : settings
  if (!isObject(events)) {
    warn(`hooks has to be an object with an array for each event, and is ${kindOf(events)}: there are no hooks.`)
    return noHooks
  }
  const groupsOf = (event: HookEvent): readonly HookGroup[] =>
    readList(events[event], `${isWrapped ? 'hooks.' : ''}${event}`, options, readGroup)
  return { SubagentStart: groupsOf('SubagentStart'), SubagentStop: groupsOf('SubagentStop') }
}

type Read<T> = (entry: JsonObject, at: string, options: ReadConfigOptions) => T | undefined

function readList<T>(list: unknown, at: string, options: ReadConfigOptions, read: Read<T>): T[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) {
    options.warn(`${at} has to be an array, and is ${kindOf(list)}: it is left out.`)
    return []
  }
  return list.flatMap((entry: unknown, index) => {
    const place = `${at}[${index}]`
    if (isObject(entry)) return read(entry, place, options) ?? []
    options.warn(`${place} has to be an object, and is ${kindOf(entry)}: it is left out.`)
    return []
  })
}

function readGroup(group: JsonObject, at: string, options: ReadConfigOptions): HookGroup | undefined {
  const { matcher, hooks } = group
  if (matcher !== undefined && typeof matcher !== 'string') {
    options.warn(`${at}.matcher has to be a string, and is ${kindOf(matcher)}: the entry is left out.`)
    return undefined
  }
  if (!Array.isArray(hooks)) {
    options.warn(`${at}.hooks has to be an array of hooks, and is ${kindOf(hooks)}: the entry is left out.`)
    return undefined
  }
  const matches = parseMatcher(matcher)
  if (!matches) {
    options.warn(`${at}.matcher is no valid regular expression: it never matches.`)
    return undefined
  }
  return { matches, commands: readList(hooks, `${at}.hooks`, options, readCommand) }
}

function readCommand(hook: JsonObject, at: string, { hasPluginRoot, warn }: ReadConfigOptions): HookCommand | undefined {
  const { type = 'command', command, timeout } = hook
  const leaveOut = (why: string): undefined => warn(`${at}${why}: the hook is left out.`) as undefined
  if (type !== 'command')
    return leaveOut(`.type is ${typeof type === 'string' ? JSON.stringify(type) : kindOf(type)}, and only "command" is run`)
  if (typeof command !== 'string' || command.trim() === '')
    return leaveOut(`.command has to be a command line, and is ${command === undefined ? 'missing' : kindOf(command)}`)
  if (command.includes('\0')) return leaveOut('.command has a NUL in it')
  if (timeout !== undefined && !(typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0))
    return leaveOut(`.timeout has to be a number of seconds above 0, and is ${typeof timeout === 'number' ? timeout : kindOf(timeout)}`)
  // These change what a command is, or when it runs: without them it would be another than its author meant.
  if (hook['args'] !== undefined) return leaveOut('.args is not supported; write one command line')
  if (hook['shell'] !== undefined && hook['shell'] !== 'bash') return leaveOut('.shell is not supported; the command line is for sh')
  if (hook['if'] !== undefined) return leaveOut('.if is for events of tools, and never true here')
  if (!hasPluginRoot && /\$\{?CLAUDE_PLUGIN_ROOT\b/.test(command))
    return leaveOut('.command names CLAUDE_PLUGIN_ROOT, and the option pluginRoot was not given')
  return { at, command, timeoutMs: timeout === undefined ? defaultTimeoutMs : Math.min(Math.ceil(timeout * 1000), maxTimerMs) }
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without the value: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'empty'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
