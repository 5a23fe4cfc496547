/** What a child was given, read through the subject. */
import { until } from '../turns.ts'
import type { ProviderAct } from './case.ts'
import { Found } from './failure.ts'
import { absent } from './applicable.ts'
import type { Stage } from './stage.ts'

type See = Extract<ProviderAct, { readonly do: 'see' }>

const look = {
  prompt: 'start(): request.prompt has to reach the child; or the control sees.prompt, which did not find it there',
  persona: 'start(): request.persona has to become the system prompt of the child, else the capability persona is false',
  messages: 'sendMessage() of the run: what comes there has to reach the child, else leave the method out',
  depth:
    'start(): context.resolved.depth is the depth of the child; a child that delegates needs it, else the capability depthLimit is false',
  'system prompt':
    "start(): request.persona is the whole system prompt of the child, and '' is none; control sees.persona gives '' for none",
  tools: 'start(): request.toolFilter has to be applied, allow as well as deny, else the capability toolFilter is false',
  'denied tool': 'start(): request.toolFilter has to be applied to what the child is offered, else the capability toolFilter is false',
} as const

/** @throws Found where the child does not come to have it */
export async function see(stage: Stage, act: See, child: number): Promise<void> {
  if (act.what === 'messages' && !stage.subject.sees?.messages) throw new Found(absent('sees.messages', stage.subject))
  let seen: unknown
  const fits = (): boolean => {
    seen = read(stage, act, child)
    if (act.what === 'depth') return seen === act.equals
    if (act.what === 'tools') return JSON.stringify(seen) === JSON.stringify(act.equals)
    if (act.what === 'system prompt') return seen === act.equals
    if (act.what === 'denied tool') return isWithout(stage, seen as readonly string[] | undefined)
    return typeof seen === 'string' && seen.includes(act.includes)
  }
  if (await until(fits, stage.patienceMs)) return
  const expected = expectedOf(stage, act)
  throw new Found({ expected, seen: seen === undefined ? 'nothing' : JSON.stringify(seen), look: look[act.what] })
}

function expectedOf(stage: Stage, act: See): string {
  switch (act.what) {
    case 'depth':
      return `a child at depth ${act.equals}`
    case 'tools':
      return `the child to be offered ${act.equals.length === 0 ? 'no tool' : `the tools ${act.equals.join(', ')}`}`
    case 'system prompt':
      return act.equals === '' ? 'the child to have no system prompt' : `the child to have the system prompt ${JSON.stringify(act.equals)}`
    case 'denied tool':
      return `the child to be offered no tool ${JSON.stringify(stage.subject.sees?.tools?.(0)?.[0])}, and the others still`
    default:
      return `${act.what} of the child to have ${JSON.stringify(act.includes)} in it`
  }
}

function read({ subject: { sees } }: Stage, { what }: See, child: number): unknown {
  if (what === 'denied tool') return sees?.tools?.(child)
  if (what === 'system prompt') return sees?.persona?.(child)
  if (what === 'messages') return sees?.messages?.(child).join('\n')
  return sees?.[what]?.(child)
}

function isWithout({ subject: { sees } }: Stage, offered: readonly string[] | undefined): boolean {
  const [denied, ...others] = sees?.tools?.(0) ?? []
  return denied !== undefined && offered !== undefined && !offered.includes(denied) && others.every((tool) => offered.includes(tool))
}
