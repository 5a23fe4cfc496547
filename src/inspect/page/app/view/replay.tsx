/** The slider of a recording: how it stood at any moment of it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { count, duration } from '../model/format.ts'
import { goTo, history, isReplay, moment, shownCount, state, totalCount, zero } from '../store.ts'
import { IconButton } from './icon-button.tsx'

const speeds = [0.25, 1, 4, 16] as const

export function Replay() {
  const isPlaying = useSignal(false)
  const speed = useSignal<number>(1)
  useEffect(() => {
    if (!isPlaying.value) return undefined
    let last = performance.now()
    let at = shownCount.value >= totalCount.value ? history.state.since : (moment.value ?? state.value.at)
    let frame = requestAnimationFrame(function next(time) {
      at += (time - last) * speed.value
      last = time
      goTo(history.countAt(at), at)
      if (shownCount.value >= totalCount.value) isPlaying.value = false
      else frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying.value, speed.value, isPlaying, speed])
  if (!isReplay.value || totalCount.value === 0) return null

  const { since, at: end } = history.state
  const whole = Math.max(1, end - since)
  const present = moment.value ?? state.value.at
  const at = Math.max(0, present - since)
  const told = Math.max(0, present - zero.value)
  const toldWhole = Math.max(0, end - zero.value)
  const step = (by: number) => {
    isPlaying.value = false
    goTo(shownCount.value + by)
  }
  return (
    <footer class="replay" aria-label="Recording">
      <button type="button" class="text play" onClick={() => (isPlaying.value = !isPlaying.value)}>
        {isPlaying.value ? 'Pause' : 'Play'}
      </button>
      <IconButton label="One entry back" path="M9 2.5 4.5 7 9 11.5" disabled={shownCount.value <= 1} onClick={() => step(-1)} />
      <IconButton label="One entry on" path="M5 2.5 9.5 7 5 11.5" disabled={shownCount.value >= totalCount.value} onClick={() => step(1)} />
      <input
        type="range"
        id="slider"
        aria-label="Moment of the recording"
        aria-valuetext={`${duration(told)} of ${duration(toldWhole)}`}
        min="0"
        max={whole}
        step="1"
        value={at}
        onInput={({ currentTarget }) => {
          isPlaying.value = false
          const chosen = since + Number(currentTarget.value)
          goTo(history.countAt(chosen), chosen)
        }}
      />
      <span class="replay-at">
        {duration(told)} <span class="muted">of {duration(toldWhole)}</span>
      </span>
      <span class="replay-count muted">
        entry {count(shownCount.value)} of {count(totalCount.value)}
      </span>
      <label>
        <span class="hidden">Speed</span>
        <select value={speed.value} onChange={({ currentTarget }) => (speed.value = Number(currentTarget.value))}>
          {speeds.map((each) => (
            <option key={each} value={each}>
              {each}×
            </option>
          ))}
        </select>
      </label>
    </footer>
  )
}
