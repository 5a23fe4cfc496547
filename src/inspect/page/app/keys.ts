/** Keys that work wherever the focus is, but in fields that text is written into. */
import { groupOf, standingOf } from './model/standing.ts'
import { clearFilter, filter, helpIsOpen, questions, rows, select, selected, state, tab, tabs } from './store.ts'

export function listen(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || helpIsOpen.value) return
    const target = event.target as HTMLElement
    if (event.key === 'Escape') {
      clearFilter()
      document.getElementById('tree')?.focus()
      return
    }
    if (target.matches('input[type=search], select')) {
      if (event.key === 'ArrowDown' && target.matches('input')) {
        document.getElementById('tree')?.focus()
        event.preventDefault()
      }
      return
    }
    const act = actions[event.key]
    if (!act) return
    act()
    event.preventDefault()
  })
}

const actions: Readonly<Record<string, () => void>> = {
  '/': () => {
    const search = document.getElementById('search') as HTMLInputElement | null
    search?.focus()
    search?.select()
  },
  '?': () => (helpIsOpen.value = true),
  n: nextFailed,
  p: nextQuestion,
  ...Object.fromEntries(tabs.map((each, index) => [String(index + 1), () => (tab.value = each)])),
}

function nextFailed(): void {
  const list = rows.value
  const from = list.findIndex(({ run }) => run.actor === selected.value)
  for (let step = 1; step <= list.length; step++) {
    const { run } = list[(from + step + list.length) % list.length]!
    if (groupOf(standingOf(run, state.value.actors.get(run.actor))) === 'failed') return select(run.actor)
  }
}

function nextQuestion(): void {
  const first = questions.value[0]
  const run = first && [...state.value.runs].findLast(({ runId }) => runId === first.runId)
  if (!run) return
  if (filter.value.groups.size > 0 || filter.value.text !== '') clearFilter()
  select(run.actor)
  tab.value = 'overview'
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.question button')?.focus())
}
