/**
 * Questions for permissions that are put at the terminal and in the page of `--inspect`: the first answer holds, and the other
 * place forgets the question (A13, I3).
 */
import type { PermissionDesk } from '../../inspect/index.ts'
import type { PermissionAnswer, PermissionQuestion } from '../../types.ts'
import type { CliIo } from '../io.ts'
import { permissionWaitMs, type TerminalDesk } from './permission-desk.ts'

export function twoDesks(terminal: TerminalDesk, page: PermissionDesk, after: CliIo['after']): TerminalDesk {
  /** Runs with questions that wait in the page, and what takes those back. */
  const open = new Map<string, Set<AbortController>>()
  return {
    isStaffed: true,
    async ask(question: PermissionQuestion): Promise<PermissionAnswer | undefined> {
      const { runId, request } = question
      const controller = new AbortController()
      const { signal } = controller
      const questions = open.get(runId) ?? new Set()
      open.set(runId, questions.add(controller))
      const stop = after(permissionWaitMs, () => controller.abort())
      try {
        const answers = [page.ask({ runId, request }, signal)]
        if (terminal.isStaffed) answers.push(terminal.ask(question, signal))
        return await Promise.race(answers)
      } finally {
        stop()
        controller.abort()
        questions.delete(controller)
      }
    },
    ended(runId) {
      for (const controller of open.get(runId) ?? []) controller.abort()
      open.delete(runId)
      terminal.ended(runId)
    },
  }
}
