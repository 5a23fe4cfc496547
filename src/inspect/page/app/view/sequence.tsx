/** Events between a run, those who work for it, and those who sent them something: one line of life each. */
import { useMemo } from 'preact/hooks'
import type { JournalRun, JournalState } from '../../../state.ts'
import { duration } from '../model/format.ts'
import { sequenceOf } from '../model/sequence.ts'
import type { Message } from '../model/sequence.ts'
import { nameOf } from '../model/standing.ts'
import { history, select, shownCount, state, zero } from '../store.ts'
import { Virtual } from './virtual.tsx'

const lineHeight = 30
const headHeight = 48
const timeWidth = 76
/** Of a line of life. */
const column = 124
/** Right of the last line, for the states of its actor. */
const margin = 84

export function SequenceView({ run }: { readonly run: JournalRun }) {
  const count = shownCount.value
  const { actors, messages } = useMemo(() => sequenceOf(history.of(history.actorsOf(run.actor), count)), [run.actor, count])
  if (messages.length === 0) return <p class="empty">No event of it is left in this journal.</p>
  const places = new Map(actors.map((actor, index) => [actor, timeWidth + column * (index + 0.5)]))
  const width = timeWidth + column * actors.length + margin
  return (
    <Virtual
      class="sequence"
      count={messages.length}
      lineHeight={lineHeight}
      headHeight={headHeight}
      attributes={{ role: 'list', 'aria-label': 'Events, in order', tabIndex: 0, style: { '--width': `${width}px` } as never }}
      head={
        <div class="lives" aria-hidden="true">
          {actors.map((actor) => (
            <div key={actor ?? ''} class="life" style={{ left: `${places.get(actor)! - column / 2 + 4}px`, width: `${column - 8}px` }}>
              <Life actor={actor} current={run.actor} />
            </div>
          ))}
        </div>
      }
      line={(index, key) => <Line key={key} message={messages[index]!} places={places} width={width} since={zero.value} />}
    />
  )
}

function Life({ actor, current }: { readonly actor: string | undefined; readonly current: string }) {
  const [kind, name] = namesOf(actor, state.value)
  const isRun = actor !== undefined && actor !== current && state.value.runs.get(actor) !== undefined
  return (
    <>
      <span class="muted">{kind}</span>
      {isRun ? (
        <button type="button" class="link" tabIndex={-1} title={name} onClick={() => select(actor)}>
          {name}
        </button>
      ) : (
        <b title={name}>{name}</b>
      )}
    </>
  )
}

function namesOf(actor: string | undefined, { actors, runs }: JournalState): [kind: string, name: string] {
  if (actor === undefined) return ['not an actor', 'outside']
  const run = runs.get(actor)
  if (run) return ['run', nameOf(run)]
  const known = actors.get(actor)
  return known?.kind === 'registry' ? ['registry', 'registry'] : [known?.kind ?? 'actor', known?.name ?? actor]
}

function Line({
  message,
  places,
  width,
  since,
}: {
  readonly message: Message
  readonly places: ReadonlyMap<string | undefined, number>
  readonly width: number
  readonly since: number
}) {
  const { from, to, event, at, state: led, code } = message
  const [x1, x2] = [places.get(from)!, places.get(to)!]
  const middle = lineHeight / 2 + 6
  const isSelf = from === to
  const left = Math.min(x1, x2)
  const told = namesOf(to, state.value)[1]
  return (
    <div class="message" role="listitem" style={{ width: `${width}px` }}>
      <span class="hidden">
        {duration(at - since)}: {namesOf(from, state.value)[1]} sends {event} to {told}
        {led === undefined ? '' : `, which is then in ${led}`}
      </span>
      <span class="message-at" aria-hidden="true">
        {duration(at - since)}
      </span>
      <svg width={width} height={lineHeight} aria-hidden="true">
        {[...places.values()].map((x) => (
          <line key={x} class="life-line" x1={x} x2={x} y1="0" y2={lineHeight} />
        ))}
        {isSelf ? (
          <path class="message-line" d={`M${x1} ${middle - 6}h22v8h-17`} marker-end="url(#tip-sequence)" />
        ) : (
          <path class="message-line" d={`M${x1} ${middle}H${x2 > x1 ? x2 - 2 : x2 + 2}`} marker-end="url(#tip-sequence)" />
        )}
        <circle class="message-dot" cx={x1} cy={isSelf ? middle - 6 : middle} r="2.5" />
      </svg>
      <span
        class="message-event"
        style={isSelf ? { left: `${x1 + 28}px` } : { left: `${left + 8}px`, width: `${Math.abs(x2 - x1) - 16}px` }}
        aria-hidden="true"
      >
        <span title={event}>{event}</span>
      </span>
      {(led !== undefined || code !== undefined) && (
        <span class="message-state" style={{ left: `${Math.max(x1, x2) + (isSelf ? 34 : 8)}px` }} aria-hidden="true">
          → {led ?? code}
        </span>
      )}
    </div>
  )
}
