/** One run: what it is and how it stands, and four views of it. */
import { plural } from '../model/format.ts'
import { nameOf, standingOf } from '../model/standing.ts'
import { select, selected, state, tab, tabs } from '../store.ts'
import type { Tab } from '../store.ts'
import { ChartView } from './chart.tsx'
import { Overview } from './overview.tsx'
import { SequenceView } from './sequence.tsx'
import { StandingWord } from './sign.tsx'
import { UpdatesView } from './updates.tsx'

const words: Readonly<Record<Tab, string>> = { overview: 'Overview', chart: 'Chart', sequence: 'Sequence', updates: 'Updates' }
const views = { overview: Overview, chart: ChartView, sequence: SequenceView, updates: UpdatesView }

export function Detail() {
  const run = selected.value === undefined ? undefined : state.value.runs.get(selected.value)
  if (!run)
    return (
      <section id="detail" class="detail" tabIndex={-1} aria-label="Run">
        <div class="empty">
          <p>
            {state.value.runs.size === 0
              ? 'What there is to know of a run shows here.'
              : 'Choose a run to see what there is to know of it.'}
          </p>
        </div>
      </section>
    )
  const View = views[tab.value]
  const above = run.parentRun === undefined ? undefined : state.value.runs.get(run.parentRun)
  return (
    <section id="detail" class="detail" tabIndex={-1} aria-label={`Run ${nameOf(run)}`}>
      <div class="detail-head">
        <p class="way-up">
          {above ? (
            <button type="button" class="link" onClick={() => select(above.actor)}>
              {nameOf(above)}
            </button>
          ) : (
            <span class="muted">
              {run.childRuns.length > 0 ? `Started ${plural(run.childRuns.length, 'run')}` : 'Started from outside'}
            </span>
          )}
          {above && (
            <span class="muted" aria-hidden="true">
              ›
            </span>
          )}
        </p>
        <h2 title={nameOf(run)}>{nameOf(run)}</h2>
        <StandingWord standing={standingOf(run, state.value.actors.get(run.actor))} />
      </div>
      <div
        class="tabs"
        role="tablist"
        aria-label="Views of the run"
        onKeyDown={(event) => {
          const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
          if (by === undefined) return
          tab.value = tabs[(tabs.indexOf(tab.value) + by + tabs.length) % tabs.length]!
          document.getElementById(`tab-${tab.value}`)?.focus()
          event.preventDefault()
        }}
      >
        {tabs.map((each, index) => (
          <button
            key={each}
            id={`tab-${each}`}
            type="button"
            role="tab"
            aria-selected={tab.value === each}
            aria-controls="view"
            tabIndex={tab.value === each ? 0 : -1}
            title={`${words[each]} (${index + 1})`}
            onClick={() => (tab.value = each)}
          >
            {words[each]}
          </button>
        ))}
      </div>
      <div id="view" class={`view is-${tab.value}`} role="tabpanel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        <View key={run.actor} run={run} />
      </div>
    </section>
  )
}
