/** What there is in all: whether it is live, how the runs stand, and what is searched for. */
import { count, plural } from '../model/format.ts'
import { mostEntries } from '../model/history.ts'
import { groups } from '../model/standing.ts'
import {
  connection,
  counts,
  filter,
  forgotten,
  hello,
  helpIsOpen,
  isClosed,
  isReplay,
  providers,
  questions,
  select,
  selected,
  state,
  tab,
  toggleGroup,
  unread,
  zoom,
  zoomBy,
  zoomTo,
} from '../store.ts'
import { nextTheme, theme } from '../theme.ts'
import { IconButton } from './icon-button.tsx'
import { runOf } from './permission.tsx'
import { Sign } from './sign.tsx'

export function Header() {
  return (
    <header>
      <div class="bar">
        <h1>Runs</h1>
        <Status />
        <div class="chips" role="group" aria-label="Show only runs that are">
          {groups.map(({ group, word, sign }) => (
            <button
              key={group}
              type="button"
              class="chip"
              aria-pressed={filter.value.groups.has(group)}
              disabled={counts.value[group] === 0 && !filter.value.groups.has(group)}
              onClick={() => toggleGroup(group)}
            >
              <Sign standing={sign} />
              <span class="number">{count(counts.value[group])}</span> {word}
            </button>
          ))}
        </div>
        <div class="grow" />
        <label class="search">
          <span class="hidden">Search runs</span>
          <input
            id="search"
            type="search"
            placeholder="Search"
            autocomplete="off"
            spellcheck={false}
            value={filter.value.text}
            onInput={({ currentTarget }) => (filter.value = { ...filter.value, text: currentTarget.value })}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        {(providers.value.length > 1 || filter.value.provider !== '') && (
          <label>
            <span class="hidden">Provider</span>
            <select
              value={filter.value.provider}
              onChange={({ currentTarget }) => (filter.value = { ...filter.value, provider: currentTarget.value })}
            >
              <option value="">All providers</option>
              {providers.value.map((provider) => (
                <option key={provider} value={provider}>
                  {provider}
                </option>
              ))}
            </select>
          </label>
        )}
        <div class="zoom" role="group" aria-label="Stretch of time">
          <IconButton label="Show less time" title="Less time (+)" path="M7 2v10M2 7h10" onClick={() => zoomBy(0.5)} />
          <IconButton label="Show more time" title="More time (−)" path="M2 7h10" disabled={!zoom.value} onClick={() => zoomBy(2)} />
          <IconButton
            label="Show the time of the run that is chosen"
            title="The run that is chosen (f)"
            path="M1.5 2v10M12.5 2v10M4 7h6M5.5 5.2 3.7 7l1.8 1.8M8.5 5.2 10.3 7 8.5 8.8"
            onClick={() => selected.value !== undefined && zoomTo(selected.value)}
          />
          <button type="button" class="text" title="All of it (0)" disabled={!zoom.value} onClick={() => (zoom.value = undefined)}>
            All
          </button>
        </div>
        <button type="button" class="text theme" onClick={nextTheme} title="Colours: as the system has them, light, dark">
          <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <circle cx="7" cy="7" r="5.25" />
            <path d="M7 1.75a5.25 5.25 0 0 1 0 10.5Z" class="solid" />
          </svg>
          <span class="hidden">Colours: </span>
          {theme.value}
        </button>
        <button
          type="button"
          class="icon"
          title="Keys (?)"
          aria-label="Keys"
          aria-haspopup="dialog"
          onClick={() => (helpIsOpen.value = true)}
        >
          <b aria-hidden="true">?</b>
        </button>
      </div>
      <Asked />
    </header>
  )
}

function Status() {
  const { dropped } = state.value
  const [kind, text, why] = statusOf()
  return (
    <div class="status" role="status">
      <span class={`state is-${kind}`} title={why}>
        <i aria-hidden="true" />
        {text}
      </span>
      {unread.value > 0 && <span class="note">reading {count(unread.value)} more</span>}
      {dropped > 0 && (
        <span class="note is-warning" title="This page, or the disk of the recording, was too slow for them. What is live was told again.">
          {plural(dropped, 'entry', 'entries')} missed
        </span>
      )}
      {forgotten.value > 0 && (
        <span
          class="note is-warning"
          title={`This page keeps ${count(mostEntries)} at most. Runs and their ends are all here; the events and updates of the oldest are not.`}
        >
          {plural(forgotten.value, 'entry', 'entries')} no longer kept
        </span>
      )}
      {hello.value?.isTorn && (
        <span class="note is-warning" title="Whoever wrote the recording was stopped in the middle of its last line, which is left out.">
          last line torn
        </span>
      )}
    </div>
  )
}

function statusOf(): [kind: string, text: string, why: string] {
  const { value: said } = connection
  if (isReplay.value && said !== 'connecting') return ['replay', hello.value!.file ?? 'recording', 'A recording']
  if (said === 'connecting') return ['lost', 'connecting', 'The server of this page does not answer yet']
  if (said === 'lost')
    return ['lost', 'not connected', 'The program has ended, or its connection is gone. What is shown is as far as it came.']
  if (said === 'ended') return ['ended', 'ended', 'The program has closed this page. What is shown is all that there was.']
  if (isClosed.value) return ['ended', 'closed', 'The service is closed. Nothing more will happen.']
  return ['live', 'live', 'What happens shows here as it happens']
}

/** Somebody waits for a person: to be seen wherever one looks. */
function Asked() {
  const first = questions.value[0]
  if (!first) return null
  const run = runOf(first)
  return (
    <div class="asked" role="alert">
      <Sign standing="asking" />
      <span class="asked-text">
        {questions.value.length === 1 ? 'A run waits' : `${count(questions.value.length)} questions wait`} for your answer:{' '}
        <b>{first.title}</b>
      </span>
      <button
        type="button"
        onClick={() => {
          if (!run) return
          select(run.actor)
          tab.value = 'overview'
          requestAnimationFrame(() => document.querySelector<HTMLElement>('.question button')?.focus())
        }}
      >
        Go there <kbd aria-hidden="true">p</kbd>
      </button>
    </div>
  )
}
