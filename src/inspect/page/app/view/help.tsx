/** The keys, in a dialog. */
import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { helpIsOpen } from '../store.ts'

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['↑', '↓'], 'the run above, below'],
  [['→', '←'], 'open and shut; to the first child, to the parent'],
  [['Home', 'End'], 'the first run, the last'],
  [['Enter'], 'to what is told of the run'],
  [['1', '2', '3', '4'], 'Overview, Chart, Sequence, Updates'],
  [['/'], 'search'],
  [['Esc'], 'clear the search, back to the runs'],
  [['n'], 'the next run that failed'],
  [['p'], 'the question that waits for you'],
  [['+', '−', '0'], 'less time, more time, all of it'],
  [['f'], 'the time of the run that is chosen'],
  [['Shift ←', 'Shift →'], 'earlier, later'],
  [['?'], 'this'],
]

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useSignalEffect(() => {
    if (helpIsOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  })
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={() => (helpIsOpen.value = false)}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([names, does]) => (
          <>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
