import { render } from 'preact'
import { follow } from './feed.ts'
import { listen } from './keys.ts'
import { followTheme } from './theme.ts'
import { Detail } from './view/detail.tsx'
import { Header } from './view/header.tsx'
import { Help } from './view/help.tsx'
import { Replay } from './view/replay.tsx'
import { Tree } from './view/tree.tsx'

function Page() {
  return (
    <>
      <a class="skip" href="#tree">
        To the runs
      </a>
      <a class="skip" href="#detail">
        To the run that is chosen
      </a>
      <Header />
      <main>
        <Tree />
        <Detail />
      </main>
      <Replay />
      <Help />
      <svg class="tips" width="0" height="0" aria-hidden="true">
        <marker
          id="tip-sequence"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 .8 7.5 4 0 7.2Z" />
        </marker>
      </svg>
    </>
  )
}

followTheme()
listen()
render(<Page />, document.getElementById('page')!)
follow()
