/** The charts of those who work for a run: the state that each is in is lit, the way that it took is drawn through. */
import { useSignal } from '@preact/signals'
import { stateName } from '../../../state.ts'
import type { JournalActor, JournalRun } from '../../../state.ts'
import type { ChartLayout, PlacedEdge, PlacedState } from '../../protocol.ts'
import { count, duration, plural } from '../model/format.ts'
import { wayOf } from '../model/way.ts'
import type { Way } from '../model/way.ts'
import { history, layouts, state, until, zero } from '../store.ts'
import { ArrowTip } from './arrow-tip.tsx'

const kinds: Readonly<Record<string, string>> = {
  run: 'run',
  agent: 'agent',
  'acp-process': 'process',
  registry: 'registry',
  other: 'actor',
}

export function ChartView({ run }: { readonly run: JournalRun }) {
  const { actors } = state.value
  const registry = [...history.actorsOf(run.actor), actors.get(run.actor)?.parent]
  const charted = registry.flatMap((key) => {
    const actor = key === undefined ? undefined : actors.get(key)
    return actor?.value === undefined ? [] : [actor]
  })
  const chosen = useSignal(run.actor)
  const actor = charted.find((each) => each.actor === chosen.value) ?? charted[0]
  if (!actor) return <p class="empty">There is no chart of it in this journal.</p>
  const layout = layouts.value.get(actor.chart ?? actor.kind)
  const way = wayOf(actor.path, layout?.edges ?? [])
  return (
    <div class="chart-view">
      <div class="choice" role="radiogroup" aria-label="Whose chart">
        {charted.map((each) => (
          <label key={each.actor} class={each === actor ? 'is-chosen' : ''}>
            <input type="radio" name="chart" checked={each === actor} onChange={() => (chosen.value = each.actor)} />
            {kinds[each.kind] ?? each.kind}
            {each.kind !== 'run' && each.kind !== 'registry' && <code>{each.name}</code>}
          </label>
        ))}
      </div>
      {layout ? <Drawing layout={layout} way={way} /> : <p class="muted chart-wait">The chart is being laid out.</p>}
      <Steps actor={actor} />
    </div>
  )
}

/** Smaller than this its text cannot be read. */
const leastScale = 0.8

function Drawing({ layout, way }: { readonly layout: ChartLayout; readonly way: Way }) {
  const names = [...way.present].join(', ')
  const order = layout.edges.map((edge, index) => ({ edge, index, times: way.taken.get(index) ?? 0 })).sort((a, b) => a.times - b.times)
  return (
    <figure class="chart">
      <svg
        width={layout.width}
        height={layout.height}
        style={{ minWidth: `${Math.round(layout.width * leastScale)}px` }}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="img"
        aria-label={`Chart of ${layout.chart}. It is in ${names || 'no state'}.`}
      >
        <defs>
          {['plain', 'taken'].map((kind) => (
            <ArrowTip key={kind} name={kind} class={`tip is-${kind}`} />
          ))}
        </defs>
        {layout.states.map((placed) => (
          <StateBox key={placed.id} placed={placed} visits={way.visits.get(placed.id) ?? 0} isPresent={way.present.has(placed.id)} />
        ))}
        {order.map(({ edge, index, times }) => (
          <Arrow key={index} edge={edge} times={times} />
        ))}
      </svg>
      <figcaption>
        <span class="key is-present">in it now</span>
        <span class="key is-visited">was in it</span>
        <span class="key is-never">never in it</span>
        <span class="key is-taken">way taken</span>
      </figcaption>
    </figure>
  )
}

function StateBox({ placed, visits, isPresent }: { readonly placed: PlacedState; readonly visits: number; readonly isPresent: boolean }) {
  const { id, name, type, x, y, width, height, isInitial } = placed
  const isCompound = type === 'compound' || type === 'parallel'
  const kind = isPresent ? 'is-present' : visits > 0 ? 'is-visited' : 'is-never'
  return (
    <g class={`box ${kind} ${isCompound ? 'is-compound' : 'is-atomic'}`}>
      <title>{`${id}${isInitial ? ', where it begins' : ''}${visits > 0 ? `, entered ${plural(visits, 'time')}` : ''}${isPresent ? ', in it now' : ''}`}</title>
      <rect x={x + 0.5} y={y + 0.5} width={width - 1} height={height - 1} rx={isCompound ? 8 : 6} />
      {type === 'final' && <rect x={x + 3.5} y={y + 3.5} width={width - 7} height={height - 7} rx="4" class="inner" />}
      {isInitial && <circle cx={x + 10} cy={isCompound ? y + 15 : y + height / 2} r="3" class="initial" />}
      {isCompound ? (
        <text x={x + (isInitial ? 20 : 12)} y={y + 19}>
          {name}
        </text>
      ) : (
        <text x={x + width / 2 + (isInitial ? 5 : 0)} y={y + height / 2 + 4.5} text-anchor="middle">
          {name}
        </text>
      )}
      {visits > 1 && (
        <text class="times" x={x + width + 4} y={y + 10}>
          ×{visits}
        </text>
      )}
    </g>
  )
}

function Arrow({ edge, times }: { readonly edge: PlacedEdge; readonly times: number }) {
  const { events, points, label } = edge
  if (points.length < 2) return null
  return (
    <g class={`arrow ${times > 0 ? 'is-taken' : 'is-plain'}`}>
      <path d={rounded(points)} marker-end={`url(#tip-${times > 0 ? 'taken' : 'plain'})`} />
      {label && (
        <text>
          {events.map((event, index) => (
            <tspan key={event} x={label.x + 4} y={label.y + 12 + index * 14}>
              {event}
              {index === events.length - 1 && times > 1 ? ` ×${times}` : ''}
            </tspan>
          ))}
        </text>
      )}
    </g>
  )
}

/** A line with its corners taken off. */
function rounded(points: PlacedEdge['points']): string {
  const radius = 5
  return points
    .map(([x, y], index) => {
      const before = points[index - 1]
      const after = points[index + 1]
      if (!before) return `M${x} ${y}`
      if (!after) return `L${x} ${y}`
      const [a, b] = [toward([x, y], before, radius), toward([x, y], after, radius)]
      return `L${a} Q${x} ${y} ${b}`
    })
    .join(' ')
}

function toward([x, y]: readonly [number, number], [toX, toY]: readonly [number, number], most: number): string {
  const length = Math.hypot(toX - x, toY - y)
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length
  return `${x + (toX - x) * part} ${y + (toY - y) * part}`
}

const mostSteps = 200

function Steps({ actor }: { readonly actor: JournalActor }) {
  const { path, droppedSteps } = actor
  const steps = path.slice(-mostSteps)
  const skipped = droppedSteps + path.length - steps.length
  const end = actor.status === 'active' ? until.value : (actor.endedAt ?? until.value)
  return (
    <section class="steps">
      <h3>The way that it took</h3>
      {skipped > 0 && <p class="muted">{count(skipped)} steps before these are left out.</p>}
      <ol>
        {steps.map(({ value, at, event }, index) => {
          const last = index === steps.length - 1
          const isOver = last && actor.status !== 'active'
          return (
            <li key={index} class={last && actor.status === 'active' ? 'is-present' : ''}>
              <span class="step-at">{duration(at - zero.value)}</span>
              <code>{stateName(value)}</code>
              <span class="muted">{event === undefined ? 'first seen' : event}</span>
              <span class="step-took">{isOver ? '' : duration((steps[index + 1]?.at ?? end) - at)}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
