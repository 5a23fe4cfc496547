import type { Chart } from './chart.ts'

/** All that leads from one state to one other: one arrow of a drawing. */
export interface Arrow {
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
}

/** The arrows of a drawing. An event that keeps the state and does nothing has none; one that does something leads back. */
export function arrowsOf({ edges }: Chart): Arrow[] {
  const arrows = new Map<string, { from: string; to: string; events: string[] }>()
  for (const { from, event, to, actions } of edges) {
    if (from === '' || (to === null && actions.length === 0)) continue
    const key = `${from} ${to ?? from}`
    const arrow = arrows.get(key)
    if (arrow) arrow.events.push(event)
    else arrows.set(key, { from, to: to ?? from, events: [event] })
  }
  return [...arrows.values()]
}
