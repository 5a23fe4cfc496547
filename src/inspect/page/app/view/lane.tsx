/** A run on the axis of time: its phases, where it was stopped and where it settled. */
import type { JournalActor } from '../../../state.ts'
import { axisLabel, duration, ticks } from '../model/format.ts'
import { marksOf, phases, spansOf } from '../model/spans.ts'
import type { Mark } from '../model/spans.ts'
import type { Standing } from '../model/standing.ts'

export interface Domain {
  readonly from: number
  readonly to: number
}

const words: Readonly<Record<Mark['kind'], string>> = { cancel: 'cancelled', deadline: 'deadline', settle: 'settled' }

/** In thousandths of the width. */
const placeOf =
  ({ from, to }: Domain) =>
  (at: number): number =>
    ((at - from) / (to - from)) * 100

export function Lane({
  actor,
  domain,
  until,
  zero,
  standing,
}: {
  readonly actor: JournalActor | undefined
  readonly domain: Domain
  readonly until: number
  readonly zero: number
  readonly standing: Standing
}) {
  if (!actor) return <div class="lane" />
  const place = placeOf(domain)
  return (
    <div class="lane" aria-hidden="true">
      {spansOf(actor, until).map(({ phase, from, to }) => {
        if (to < domain.from || from > domain.to) return null
        const left = Math.max(-1, place(from))
        return (
          <div
            key={from}
            class={`span is-${phase}`}
            style={{ left: `${left}%`, width: `max(2px, ${Math.min(101, place(to)) - left}%)` }}
            title={`${phases[phase]}: ${duration(to - from)}, from ${duration(from - zero)}`}
          />
        )
      })}
      {marksOf(actor).map(({ kind, at }) =>
        at < domain.from || at > domain.to ? null : (
          <div
            key={kind}
            class={`mark is-${kind} of-${standing}`}
            style={{ left: `${place(at)}%` }}
            title={`${words[kind]} at ${duration(at - zero)}`}
          />
        ),
      )}
    </div>
  )
}

export function Axis({ domain, zero, width }: { readonly domain: Domain; readonly zero: number; readonly width: number }) {
  const place = placeOf(domain)
  const moments = ticks(domain.from, domain.to, zero, Math.max(2, Math.floor(width / 88)))
  const step = (moments[1] ?? 0) - (moments[0] ?? 0)
  return (
    <div class="axis" aria-hidden="true">
      {moments.map((at) => (
        <div key={at} class={`tick${place(at) > 94 ? ' is-last' : ''}`} style={{ left: `${place(at)}%` }}>
          <span>{axisLabel(Math.round(at - zero), step)}</span>
        </div>
      ))}
    </div>
  )
}
