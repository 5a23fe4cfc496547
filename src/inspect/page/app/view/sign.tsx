/** The sign of a standing: each has a shape of its own, so that nothing hangs on its colour. */
import type { ComponentChildren } from 'preact'
import { standings } from '../model/standing.ts'
import type { Standing } from '../model/standing.ts'

const ring = <circle cx="7" cy="7" r="5.25" />
const shapes: Readonly<Record<Standing, ComponentChildren>> = {
  queued: <circle cx="7" cy="7" r="5.25" stroke-dasharray="2.2 2.2" />,
  running: (
    <>
      {ring}
      <circle cx="7" cy="7" r="2.25" class="solid pulse" />
    </>
  ),
  asking: (
    <>
      <path d="M7 .9 13.1 7 7 13.1.9 7Z" class="solid" />
      <path d="M7 3.8v3.7M7 9.4v.8" class="on-solid" />
    </>
  ),
  stopping: (
    <>
      {ring}
      <rect x="4.75" y="4.75" width="4.5" height="4.5" class="solid" />
    </>
  ),
  completed: (
    <>
      <circle cx="7" cy="7" r="6" class="solid" />
      <path d="m4.2 7.2 2 2 3.6-4.2" class="on-solid" />
    </>
  ),
  failed: (
    <>
      <path d="M4.4.9h5.2l3.5 3.5v5.2l-3.5 3.5H4.4L.9 9.6V4.4Z" class="solid" />
      <path d="m4.7 4.7 4.6 4.6m0-4.6L4.7 9.3" class="on-solid" />
    </>
  ),
  cancelled: (
    <>
      {ring}
      <path d="m3.4 3.4 7.2 7.2" />
    </>
  ),
  'timed-out': (
    <>
      {ring}
      <path d="M7 3.9V7l2.1 1.4" />
    </>
  ),
  'cut-off': (
    <>
      <path d="M1.5 3.5h7M1.5 7h5M1.5 10.5h7" />
      <path d="M11.5 1.5v11" stroke-dasharray="2 1.5" />
    </>
  ),
  refused: (
    <>
      {ring}
      <path d="M4.2 7h5.6" />
    </>
  ),
  rejected: (
    <>
      <rect x="1.5" y="1.5" width="11" height="11" rx="1.5" stroke-dasharray="2.4 1.8" />
      <path d="m4.9 4.9 4.2 4.2m0-4.2L4.9 9.1" />
    </>
  ),
  ended: (
    <>
      {ring}
      <rect x="4.75" y="4.75" width="4.5" height="4.5" />
    </>
  ),
  lost: <path d="M1.5 7h2M6 7h2M10.5 7h2" />,
}

export function Sign({ standing }: { readonly standing: Standing }) {
  return (
    <svg class={`sign is-${standing}`} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      {shapes[standing]}
    </svg>
  )
}

/** Sign and word. */
export function StandingWord({ standing, word }: { readonly standing: Standing; readonly word?: string }) {
  return (
    <span class={`standing is-${standing}`}>
      <Sign standing={standing} />
      <span>{word ?? standings[standing].word}</span>
    </span>
  )
}
