/**
 * How a parent hears that a run of its own has ended (T11): once for each end, also in the middle of a turn, where it goes in
 * after the running step. A parent that is gone hears nothing.
 */
import { contain } from '../../run/contain.ts'
import type { Agent, ParentAgent, SubagentStopReason } from '../../types.ts'
import type { Finished } from '../call.ts'
import { textOf } from '../outcome.ts'
import { byteLength, cutText } from '../cut.ts'
import type { BackgroundRun } from './run.ts'

/** The end of a run in the background. */
export interface SubagentNotice {
  /** Who started the run. */
  readonly parent: ParentAgent
  /** What the run is called in the controls. */
  readonly id: string
  /** The task in a few words, as the model gave it: the run's label. */
  readonly description: string
  /** Which of the tool's agents it was. */
  readonly agent?: string
  /** How the run ended. */
  readonly stopReason: SubagentStopReason
  /** The notice in words for the model, with the answer, at most 4096 bytes of it. */
  readonly text: string
}

/** Many may come at once, so each is short; all of the answer is there to be read. */
const answerLimitBytes = 4096

/** @param isAwaited a call of `subagent_result` is waiting for the answer, so the notice does not repeat it */
export function giveNotice(run: BackgroundRun, finished: Finished, isAwaited: boolean): void {
  const { id, description, agent, parent, binding } = run
  const text = wording(run, finished, isAwaited)
  const { inject, status } = parent as Partial<Agent>
  if (typeof inject === 'function') {
    if (status === 'disposed') return
    contain(binding.logger, `The notice of background run ${id}`, () => inject.call(parent, text, { source: 'subagent' }))
    return
  }
  const { onNotice } = binding.background!
  if (!onNotice) return
  const { stopReason } = finished
  const name = agent.name !== undefined && { agent: agent.name }
  contain(binding.logger, `onNotice of tool ${binding.toolName}`, () => onNotice({ parent, id, description, ...name, stopReason, text }))
}

function wording({ id, description, agent, binding }: BackgroundRun, { result, stopReason }: Finished, isAwaited: boolean): string {
  const who = agent.name === undefined ? '' : `, agent ${agent.name}`
  const head = `Background run ${id} (${description}${who}) has ended: ${stopReason}.`
  const reader = `${binding.toolName}_result`
  if (isAwaited) return `${head} Its answer was given to ${reader}.`
  const text = textOf(result.content)
  const isShown = byteLength(text) <= answerLimitBytes && result.content.every((block) => block.type === 'text')
  const answer = text === '' ? '' : `\n\n${cutText(text, answerLimitBytes)}`
  return `${head}${isShown ? '' : ` Read all of its answer with ${reader}.`}${answer}`
}
