/** The tree of runs with a lane for each: one list, worked with the arrow keys. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { JournalState } from '../../../state.ts'
import { doingOf } from '../model/doing.ts'
import { count, duration } from '../model/format.ts'
import { isFiltering } from '../model/rows.ts'
import type { Row } from '../model/rows.ts'
import { isOver, nameOf, standingOf, standings } from '../model/standing.ts'
import {
  clearFilter,
  connection,
  domain,
  filter,
  isReplay,
  moveBy,
  providers,
  rows,
  select,
  selected,
  state,
  toggle,
  unread,
  until,
  zero,
  zoom,
  zoomBy,
  zoomTo,
} from '../store.ts'
import { Axis, Lane } from './lane.tsx'
import type { Domain } from './lane.tsx'
import { Sign } from './sign.tsx'
import { Virtual } from './virtual.tsx'

export const lineHeight = 28
const headHeight = 28
/** How far a press of an arrow moves the stretch of time. */
const step = 0.2

export function Tree() {
  const box = useRef<HTMLDivElement>(null)
  const axis = useRef<HTMLDivElement>(null)
  const axisWidth = useSignal(400)
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => (axisWidth.value = entry!.contentRect.width))
    sized.observe(axis.current!)
    return () => sized.disconnect()
  }, [axisWidth])
  useSignalEffect(() => {
    // For whoever reads the page by ear: nothing is told of every entry, only of how many there are.
    document.title = `${count(state.value.runs.size)} ${state.value.runs.size === 1 ? 'run' : 'runs'}`
  })

  const list = rows.value
  const current = list.findIndex(({ run }) => run.actor === selected.value)
  const shown = { state: state.value, domain: domain.value, until: until.value }
  const choose = (index: number) => {
    const row = list[Math.max(0, Math.min(list.length - 1, index))]
    if (row) select(row.run.actor)
  }
  const page = () => Math.max(1, Math.floor((box.current!.clientHeight - headHeight) / lineHeight) - 1)
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => choose(current + 1),
    ArrowUp: () => choose(current - 1),
    PageDown: () => choose(current + page()),
    PageUp: () => choose(current - page()),
    Home: () => choose(0),
    End: () => choose(list.length - 1),
    ArrowRight: () => {
      const row = list[current]
      if (row?.hasChildren && row.isOpen) choose(current + 1)
      else if (row?.hasChildren) toggle(row.run.actor, true)
    },
    ArrowLeft: () => {
      const row = list[current]
      if (row?.isOpen && !isFiltering(filter.value)) toggle(row.run.actor, false)
      else if (row?.run.parentRun !== undefined) select(row.run.parentRun)
    },
    Enter: () => document.getElementById('detail')?.focus(),
    '+': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    '0': () => (zoom.value = undefined),
    f: () => selected.value !== undefined && zoomTo(selected.value),
  }
  return (
    <Virtual
      scroller={box}
      class="tree"
      count={list.length}
      lineHeight={lineHeight}
      headHeight={headHeight}
      current={current}
      head={
        <>
          <div class="tree-head row" role="presentation">
            <div class="name">Run</div>
            <div class="what">State</div>
            <div class="took">Time</div>
            <div class="lane-cell" ref={axis}>
              <Axis domain={shown.domain} zero={zero.value} width={axisWidth.value} />
            </div>
          </div>
          {list.length === 0 && <Empty />}
        </>
      }
      attributes={{
        id: 'tree',
        role: 'tree',
        tabIndex: 0,
        'aria-label': 'Runs',
        'aria-activedescendant': current < 0 ? undefined : `run-${current}`,
        onKeyDown: (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return
          if (event.shiftKey && event.key.startsWith('Arrow')) {
            if (event.key === 'ArrowLeft') moveBy(-step)
            else if (event.key === 'ArrowRight') moveBy(step)
            else return
          } else {
            const act = keys[event.key]
            if (!act) return
            act()
          }
          event.preventDefault()
        },
        onWheel: (event) => {
          if (!event.shiftKey || !zoom.value) return
          event.preventDefault()
          moveBy(Math.sign(event.deltaX || event.deltaY) * 0.1)
        },
      }}
      line={(index, key) => <Line key={key} row={list[index]!} index={index} isCurrent={index === current} {...shown} />}
    />
  )
}

function Line({
  row,
  index,
  isCurrent,
  state,
  domain,
  until,
}: {
  readonly row: Row
  readonly index: number
  readonly isCurrent: boolean
  readonly state: JournalState
  readonly domain: Domain
  readonly until: number
}) {
  const { run, depth, hasChildren, isOpen, isMatch, position, siblings } = row
  const actor = state.actors.get(run.actor)
  const standing = standingOf(run, actor)
  const doing = doingOf(run, state)
  const { word } = standings[standing]
  const what =
    standing === 'running' || standing === 'asking' || standing === 'queued' || standing === 'stopping'
      ? doing
      : (run.failure?.code ?? run.refused)
  const over = isOver(standing)
  const took = run.durationMs ?? (over ? (actor?.endedAt ?? until) : until) - run.since
  const name = nameOf(run)
  const text =
    what === undefined || what === ''
      ? word
      : standing === 'failed' || standing === 'rejected' || standing === 'refused'
        ? `${word}: ${what}`
        : over
          ? word
          : what
  return (
    <div
      id={`run-${index}`}
      role="treeitem"
      class={`row${isCurrent ? ' is-current' : ''}${isMatch ? '' : ' is-context'}`}
      aria-level={depth}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isCurrent}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-label={`${name}, ${run.provider}, ${word}${what ? `, ${what}` : ''}, ${duration(took)}`}
      onMouseDown={() => select(run.actor)}
    >
      <div class="name" style={{ paddingLeft: `${8 + Math.min(depth - 1, 12) * 16}px` }}>
        <span
          class={`twisty${hasChildren ? (isOpen ? ' is-open' : ' is-shut') : ''}`}
          onMouseDown={(event) => {
            if (!hasChildren) return
            event.stopPropagation()
            toggle(run.actor, !isOpen)
          }}
        />
        <Sign standing={standing} />
        <span class="label" title={name}>
          {name}
        </span>
        {providers.value.length > 1 && <span class="provider">{run.provider}</span>}
      </div>
      <div class={`what is-${standing}`} title={text}>
        {text}
      </div>
      <div class="took">{duration(took)}</div>
      <div class="lane-cell">
        <Lane actor={actor} domain={domain} until={until} zero={zero.value} standing={standing} />
      </div>
    </div>
  )
}

function Empty() {
  const filtered = isFiltering(filter.value) && state.value.runs.size > 0
  if (filtered)
    return (
      <div class="empty">
        <p>No run is like that.</p>
        <button type="button" onClick={clearFilter}>
          Show all {count(state.value.runs.size)}
        </button>
      </div>
    )
  const text =
    connection.value === 'connecting' || unread.value > 0
      ? 'Reading…'
      : isReplay.value
        ? 'No run had begun by then.'
        : connection.value === 'ended'
          ? 'There was no run.'
          : 'No run yet. The first one shows here as soon as it begins.'
  return (
    <div class="empty">
      <p>{text}</p>
    </div>
  )
}
