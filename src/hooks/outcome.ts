/**
 * What the end of a command means (H5). A hook only observes: what would stop or change an agent in Claude Code is told to the
 * log and changes nothing (H6).
 */
import { limitText } from '../run/text.ts'
import type { CommandEnd } from './command.ts'
import type { HookEvent } from './config.ts'

/** Claude Code takes 10 000 characters of a hook. */
const mostContextBytes = 32 * 1024
/** Of what a hook says, in a message of the log. */
const mostSaidBytes = 1000

export interface OutcomeReport {
  warn(text: string): void
  debug(text: string): void
}

/** @returns the context that the hook adds for the child */
export function readOutcome(event: HookEvent, end: CommandEnd, timeoutMs: number, report: OutcomeReport): string | undefined {
  const { by, exit, stderr } = end
  const said = stderr.trim() === '' ? '' : ` It said: ${limitText(stderr.trim(), mostSaidBytes)}`
  if (by === 'stopped') report.debug('was ended, since the bridge was disposed.')
  else if (by === 'timeout') report.warn(`was ended after its timeout of ${timeoutMs / 1000} s, with everything that it started.${said}`)
  else if (exit.error) report.warn(exit.error.message)
  else if (exit.code === 2) report.warn(blocked('exit code 2', stderr.trim()))
  else if (exit.code !== 0) report.warn(`failed with ${exit.code === null ? exit.signal : `exit code ${exit.code}`}.${said}`)
  else return readAnswer(event, end, report)
  return undefined
}

function readAnswer(event: HookEvent, { stdout, isCut }: CommandEnd, report: OutcomeReport): string | undefined {
  const text = stdout.trim()
  if (!text.startsWith('{')) {
    if (text !== '') report.debug('printed text, of which nothing is made.')
    return undefined
  }
  const answer = isCut ? undefined : (parseObject(text) ?? parseObject(text.split('\n', 1)[0]!))
  if (!answer) {
    report.warn(
      isCut ? 'printed more than 256 KiB, of which nothing is made.' : 'printed what begins like JSON and is none; nothing is made of it.',
    )
    return undefined
  }
  const { decision, reason, stopReason, systemMessage, hookSpecificOutput } = answer
  if (answer['continue'] === false) report.warn(blocked('continue: false', stopReason))
  if (decision === 'block' || decision === 'deny') report.warn(blocked(`decision: ${decision}`, reason))
  if (typeof systemMessage === 'string' && systemMessage.trim() !== '') report.warn(`says: ${limitText(systemMessage, mostSaidBytes)}`)
  return isRecord(hookSpecificOutput) ? readSpecific(event, hookSpecificOutput, report) : undefined
}

function readSpecific(event: HookEvent, specific: Readonly<Record<string, unknown>>, report: OutcomeReport): string | undefined {
  const { hookEventName, permissionDecision, permissionDecisionReason, additionalContext } = specific
  if (hookEventName !== event) {
    const named = typeof hookEventName === 'string' ? `is for ${limitText(JSON.stringify(hookEventName), 100)}` : 'names no event'
    report.warn(`gave a hookSpecificOutput that ${named}; it has to have hookEventName "${event}". It is discarded.`)
    return undefined
  }
  if (permissionDecision === 'deny') report.warn(blocked('permissionDecision: deny', permissionDecisionReason))
  if (typeof additionalContext !== 'string' || additionalContext.trim() === '') return undefined
  if (event !== 'SubagentStart') {
    report.debug('gave an additionalContext, which an agent that has ended cannot take.')
    return undefined
  }
  const context = limitText(additionalContext, mostContextBytes)
  if (context !== additionalContext)
    report.warn(`gave an additionalContext of more than ${mostContextBytes / 1024} KiB; the rest is cut off.`)
  return context
}

function blocked(how: string, reason: unknown): string {
  const why = typeof reason === 'string' && reason.trim() !== '' ? `: ${limitText(reason.trim(), mostSaidBytes)}` : '.'
  return `would block (${how}), which changes nothing here${why}`
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
