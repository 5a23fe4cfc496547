/**
 * Questions for permissions, put to whoever sits at the terminal, one after the other (A13, C3).
 *
 * Invariants: one question at a time; what was typed before it was shown is no answer to it; without an answer in its time,
 * without a terminal, and once its run has ended, it is refused.
 */
import type { PermissionAnswer, PermissionQuestion } from '../../types.ts'
import type { CliIo } from '../io.ts'
import { safeLine } from '../output/safe-text.ts'
import type { TaskOutput } from '../output/task-output.ts'
import { formatElapsed } from '../output/elapsed.ts'
import { choicesOf, questionText } from './question-text.ts'

/** How long a question waits for its answer, in milliseconds. */
export const permissionWaitMs = 300_000

export interface TerminalDesk {
  /** Whether there is somebody to ask. */
  readonly isStaffed: boolean
  /** @param elsewhere aborts when somebody has answered it in another place */
  ask(question: PermissionQuestion, elsewhere?: AbortSignal): Promise<PermissionAnswer | undefined>
  /** The run needs no answer any more. */
  ended(runId: string): void
}

export function terminalDesk(
  { keyboard, stderr, after }: Pick<CliIo, 'keyboard' | 'stderr' | 'after'>,
  output: Pick<TaskOutput, 'warn' | 'hold'>,
  clean: (text: string) => string,
): TerminalDesk {
  /** Runs with questions, and what takes those back. */
  const open = new Map<string, Set<AbortController>>()
  let last: Promise<unknown> = Promise.resolve()

  async function put(question: PermissionQuestion, signal: AbortSignal, elsewhere?: AbortSignal): Promise<PermissionAnswer | undefined> {
    if (!keyboard || signal.aborted) return undefined
    const { choices, usual } = choicesOf(question)
    const keys = choices.map(({ key }) => key).join(', ')
    const held = output.hold()
    try {
      const chosen = await keyboard.readLine(
        () => {
          held.write(`${questionText(question, usual, choices, clean)}\n`)
          held.write(`Answer ${keys} within ${formatElapsed(permissionWaitMs)}, or Enter for ${usual.key}: `)
        },
        (line) => {
          const typed = line.trim()
          const found = typed === '' ? usual : choices.find(({ key }) => key === typed)
          if (!found) held.write(`Answer ${keys}, or Enter for ${usual.key}: `)
          return found
        },
        signal,
      )
      if (!chosen) held.write(elsewhere?.aborted ? '\nAnswered in the page.\n' : '\nNot answered: rejected.\n')
      const { optionId } = chosen ?? usual
      return optionId === undefined ? undefined : { optionId }
    } finally {
      held.letGo()
    }
  }

  const isStaffed = keyboard !== undefined && stderr.isTTY === true
  return {
    isStaffed,
    async ask(question, elsewhere) {
      const { runId, provider, request } = question
      if (!isStaffed) {
        output.warn(
          `warning: ${provider} asks for a permission: ${safeLine(request.title, 100)}. Rejected, since there is no terminal to ask at; --permission allow allows what is asked.`,
        )
        return undefined
      }
      const controller = new AbortController()
      const questions = open.get(runId) ?? new Set()
      open.set(runId, questions.add(controller))
      const stop = after(permissionWaitMs, () => controller.abort())
      const answered = () => controller.abort()
      if (elsewhere?.aborted) answered()
      else elsewhere?.addEventListener('abort', answered, { once: true })
      const answer = last.then(() => put(question, controller.signal, elsewhere))
      last = answer.catch(() => {})
      try {
        return await answer
      } finally {
        stop()
        elsewhere?.removeEventListener('abort', answered)
        questions.delete(controller)
      }
    },
    ended(runId) {
      for (const controller of open.get(runId) ?? []) controller.abort()
      open.delete(runId)
    },
  }
}
