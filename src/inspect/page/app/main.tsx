import { render } from 'preact'
import { follow } from './feed.ts'
import { listen } from './keys.ts'
import { followTheme } from './theme.ts'
import { ArrowTip } from './view/arrow-tip.tsx'
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
        <ArrowTip name="sequence" />
      </svg>
    </>
  )
}

followTheme()
listen()
render(<Page />, document.getElementById('page')!)
follow()
