/** What a run told of itself while it went on. */
import { useMemo } from 'preact/hooks'
import type { JournalRun } from '../../../state.ts'
import { count, duration, plural } from '../model/format.ts'
import { updateLines } from '../model/updates.ts'
import type { UpdateLine } from '../model/updates.ts'
import { history, shownCount, zero } from '../store.ts'
import { Virtual } from './virtual.tsx'

const lineHeight = 28

export function UpdatesView({ run }: { readonly run: JournalRun }) {
  const shown = shownCount.value
  const lines = useMemo(() => updateLines(history.of([run.actor], shown), run.actor), [run.actor, shown])
  if (lines.length === 0)
    return <p class="empty">{run.endedAt === undefined ? 'No update yet.' : 'It gave no update, or none is left in this journal.'}</p>
  return (
    <Virtual
      class="updates"
      count={lines.length}
      lineHeight={lineHeight}
      headHeight={28}
      attributes={{ role: 'list', 'aria-label': 'Updates, in order', tabIndex: 0 }}
      head={
        <div class="update update-head" aria-hidden="true">
          <span>At</span>
          <span>Update</span>
          <span>What</span>
          <span>Took</span>
        </div>
      }
      line={(index, key) => <Line key={key} line={lines[index]!} isRunning={run.endedAt === undefined} />}
    />
  )
}

function Line({ line, isRunning }: { readonly line: UpdateLine; readonly isRunning: boolean }) {
  const { type, at, until } = line
  const told = whatOf(line, isRunning)
  return (
    <div class="update" role="listitem">
      <span class="update-at">{duration(at - zero.value)}</span>
      <span class={`update-type is-${type}`}>{type}</span>
      <span class="update-what" title={told}>
        {told}
      </span>
      <span class="update-took">{until === undefined ? '' : duration(until - at)}</span>
    </div>
  )
}

function whatOf({ type, pieces, length, text, update, status }: UpdateLine, isRunning: boolean): string {
  if (type === 'text' || type === 'thought')
    return text ?? `${plural(length, 'character')}${pieces > 1 ? ` in ${plural(pieces, 'piece')}` : ''}`
  if (type === 'tool-call') {
    const input = update.input === undefined ? '' : ` ${JSON.stringify(update.input)}`
    return `${update.name ?? 'tool'}${input} · ${status ?? (isRunning ? 'at work' : 'no end was told')}`
  }
  if (type === 'tool-result') return status ?? 'ok'
  if (update.usage)
    return Object.entries(update.usage)
      .filter(([name, tokens]) => (tokens as number) > 0 || !/^(?:reasoning|cached)/.test(name))
      .map(([name, tokens]) => `${name.replace('Tokens', '')} ${count(tokens as number)}`)
      .join(' · ')
  if (update.plan) return planOf(update.plan)
  if (update.permission) {
    const { title, toolName, options } = update.permission
    return `${title ?? toolName ?? 'a permission'} · ${options.map(({ name, kind }) => name ?? kind.replace('_', ' ')).join(', ')}`
  }
  return update.raw === undefined ? '' : JSON.stringify(update.raw)
}

function planOf(plan: readonly { readonly status: string; readonly content?: string }[]): string {
  const done = plan.filter(({ status }) => status === 'completed').length
  const current = plan.find(({ status }) => status === 'in_progress')?.content
  return `${done} of ${plural(plan.length, 'step')} done${current === undefined ? '' : `, now: ${current}`}`
}
