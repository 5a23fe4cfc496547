/** A question of a child for a permission, with its answers. */
import { useSignal } from '@preact/signals'
import type { JournalRun } from '../../../state.ts'
import type { PagePermission } from '../../protocol.ts'
import { answer } from '../feed.ts'
import type { Answered } from '../feed.ts'
import { hello, questions, state } from '../store.ts'
import { isOver, standingOf } from '../model/standing.ts'
import { Sign } from './sign.tsx'

/** The live run that asks. */
export function runOf({ runId }: PagePermission): JournalRun | undefined {
  const { runs, actors } = state.value
  let found: JournalRun | undefined
  for (const run of runs) if (run.runId === runId && !isOver(standingOf(run, actors.get(run.actor)))) found = run
  return found
}

export function Questions({ run }: { readonly run: JournalRun }) {
  const own = questions.value.filter(({ runId }) => runId === run.runId)
  if (isOver(standingOf(run, state.value.actors.get(run.actor)))) return null
  if (own.length > 0)
    return (
      <>
        {own.map((question) => (
          <Question key={question.requestId} question={question} />
        ))}
      </>
    )
  if (!run.permission) return null
  const { toolName, title, options } = run.permission
  return (
    <section class="question">
      <h3>
        <Sign standing="asking" />
        {title ?? `It asks for a permission${toolName === undefined ? '' : ` for ${toolName}`}`}
      </h3>
      <p class="muted">
        {hello.value?.canAnswer
          ? 'The question is on its way, or was put elsewhere.'
          : hello.value?.mode === 'replay'
            ? 'So it stood then.'
            : 'It is answered elsewhere: this page was opened without a place for answers.'}{' '}
        Possible: {options.map(({ name, kind }) => name ?? kind.replace('_', ' ')).join(', ') || 'nothing'}.
      </p>
    </section>
  )
}

const faults: Readonly<Record<Exclude<Answered, 'taken'>, string>> = {
  gone: 'It waits no longer: it was answered elsewhere, or withdrawn.',
  unreachable: 'The answer did not get through. The program may have ended.',
}

function Question({ question }: { readonly question: PagePermission }) {
  const { runId, requestId, title, toolName, options } = question
  const sent = useSignal<'no' | 'sending' | Answered>('no')
  const give = async (optionId: string) => {
    sent.value = 'sending'
    sent.value = await answer(runId, requestId, optionId)
    document.getElementById('tree')?.focus()
  }
  const fault = sent.value === 'gone' || sent.value === 'unreachable' ? faults[sent.value] : ''
  return (
    <section class="question" aria-label="A question for you">
      <h3>
        <Sign standing="asking" />
        {title}
      </h3>
      {toolName !== undefined && (
        <p>
          Tool <code>{toolName}</code>
        </p>
      )}
      <div class="answers">
        {options.map(({ id, name, kind }) => (
          <button
            key={id}
            type="button"
            class={kind.startsWith('allow') ? 'is-allow' : 'is-reject'}
            disabled={sent.value === 'sending'}
            onClick={() => void give(id)}
          >
            <span aria-hidden="true">{kind.startsWith('allow') ? '✓' : '✕'}</span> {name}
          </button>
        ))}
      </div>
      {fault !== '' && <p role="alert">{fault}</p>}
    </section>
  )
}
