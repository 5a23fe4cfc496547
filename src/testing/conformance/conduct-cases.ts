/**
 * Cases beside the paths: what a provider can do wrong while its runs still go through the right states.
 */
import type { CaseId } from './requirements.ts'
import type { ProviderAct, ProviderCase, ProviderExpectation } from './case.ts'
import type { ControlName } from './subject.ts'

const start: ProviderAct = { do: 'start' }
const ready: ProviderAct = { do: 'ready', state: 'running.active' }
const settle: ProviderAct = { do: 'settle', text: 'answer', state: 'settling.held' }
const cancel: ProviderAct = { do: 'cancel', state: 'settling.draining', when: 'at once' }
const settlesByItself: ProviderAct = { do: 'wait', state: 'settling.held' }
const later: ProviderAct = { do: 'wait', when: 'still' }
const dispose: ProviderAct = { do: 'dispose' }
const disposed: ProviderAct = { do: 'wait', state: 'disposed' }
const completed = [{ is: 'completed', text: 'answer' }] as const
const aborted = [{ is: 'aborted' }] as const

type Optional = Partial<Pick<ProviderCase, 'capability'>> & { readonly needs?: readonly ControlName[] }

function conduct(
  id: CaseId,
  sentence: string,
  act: readonly ProviderAct[],
  expect: ProviderExpectation,
  { needs = [], capability }: Optional = {},
): ProviderCase {
  return { id, ids: [id], sentence, ...(capability && { capability }), needs, act, expect }
}

const claimed = (name: NonNullable<ProviderCase['capability']>['name']) => ({ capability: { name, claimed: true } })
const unclaimed = (name: NonNullable<ProviderCase['capability']>['name'], request: { readonly [field: string]: any }): ProviderCase =>
  conduct(
    'S10',
    `refuses a request that asks for ${name}, which the provider does not claim`,
    [{ do: 'start', request }],
    { start: 'UNSUPPORTED_CAPABILITY', started: 0 },
    {
      capability: { name, claimed: false },
    },
  )

const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }

// One case an entry, so that it reads as the list it is.
// oxfmt-ignore
export const conductCases: readonly ProviderCase[] = [
  conduct('R18', 'start() gives back a run at once: { result, cancel, dispose }', [start, ready], {}),
  conduct('R18', 'context.ready() is called only by a provider that declares signalsReady', [start, ready, settle], { results: completed, conduct: ['ready only where declared'] }),
  conduct('R18', 'cancel() returns without throwing', [start, ready, cancel, settlesByItself], { conduct: ['cancel does not throw'] }),
  conduct('S14', 'the id of the child stays the same from start to disposal', [start, ready, settle, dispose, disposed], { conduct: ['keeps its id'] }),
  conduct('V3', 'the child gets the prompt', [{ do: 'start', request: { prompt: 'Find every TODO.' } }, ready, { do: 'see', what: 'prompt', includes: 'Find every TODO.' }], {}, { needs: ['sees.prompt'] }),

  conduct('R12', 'a child that completes resolves result with its output', [start, ready, settle], { results: completed }),
  conduct('R12', 'no rejection is left unhandled when a child completes', [start, ready, settle, later, dispose, disposed, later], { results: completed }),
  conduct('R12', 'no rejection is left unhandled when a child is cancelled', [start, ready, cancel, settlesByItself, later, dispose, disposed, later], {}),
  conduct('R13', 'a child that fails at its work resolves result as error, with a failure', [start, ready, { do: 'fail', state: 'settling.held' }], { results: [{ is: 'error', failure: 'any' }] }, { needs: ['fail'] }),
  conduct('R4', 'the promise result is one, and settles once', [start, ready, settle, later, dispose, disposed, later], { conduct: ['settles once'] }),
  conduct('R4', 'the promise result settles once, also where the child is cancelled', [start, ready, cancel, settlesByItself, later, dispose, disposed, later], { conduct: ['settles once'] }),
  conduct('R14', 'the output stays as it was when the child settled', [start, ready, settle, later, dispose, disposed, later], { results: completed, conduct: ['output stays as it was given'] }),

  conduct('R7', 'a cancelled child settles by itself', [start, ready, cancel, settlesByItself], { results: aborted }),
  conduct('R7', 'a child whose caller aborts settles by itself', [start, ready, { do: 'abort the signal', state: 'settling.draining', when: 'at once' }, settlesByItself], { results: aborted }),
  conduct('R7', 'a child whose signal aborts while start() is on the stack settles by itself', [{ do: 'start', abortInside: true }, settlesByItself], { results: aborted }),
  conduct('R7', 'what was streamed before a cancel is kept', [start, ready, { do: 'stream', text: 'half' }, cancel, settlesByItself], { results: [{ is: 'aborted', text: 'half' }] }, { needs: ['stream'] }),

  conduct('R16', 'updates are well formed', [start, ready, { do: 'stream', text: 'one ' }, { do: 'stream', text: 'two' }, settle], { results: completed, conduct: ['updates are well formed'] }, { needs: ['stream'] }),
  conduct('R16', 'no update comes once the child has settled', [start, ready, settle, later, dispose, disposed, later], { conduct: ['no update once settled'] }),
  conduct('R16', 'no update comes once a cancelled child has settled', [start, ready, cancel, settlesByItself, later, dispose, disposed, later], { conduct: ['no update once settled'] }),

  conduct('R10', 'dispose() after the end leaves nothing of the child', [start, ready, settle, dispose, disposed], { disposal: 'resolves' }),
  conduct('R10', 'dispose() in the middle of the work cancels the child, and leaves nothing of it', [start, ready, dispose, disposed], { results: aborted, disposal: 'resolves' }),
  conduct('R10', 'dispose() right after the start leaves nothing of the child', [start, dispose, disposed], { results: aborted, disposal: 'resolves' }),
  conduct('R10', 'a second dispose() does no harm', [start, ready, settle, dispose, disposed, { do: 'dispose the child again' }], { disposal: 'resolves', conduct: ['second dispose does no harm'] }),
  conduct('S6', 'closing the service ends a child in the middle of its work', [start, ready, { do: 'close the service', state: 'disposed' }], { results: aborted }),

  conduct('P15', 'a child that is cancelled leaves its sibling alone', [
    start, ready, { do: 'start', child: 1 }, { ...ready, child: 1 },
    cancel, settlesByItself, { do: 'wait', child: 1, state: 'running.active', when: 'still' },
    { ...settle, child: 1 }], { results: [{ is: 'aborted' }, { child: 1, is: 'completed', text: 'answer' }] }),
  conduct('P15', 'a child that completes leaves its sibling alone', [
    start, ready, { do: 'start', child: 1 }, { ...ready, child: 1 },
    { do: 'settle', text: 'second', child: 1, state: 'settling.held' }, { do: 'wait', state: 'running.active', when: 'still' },
    { do: 'settle', text: 'first', state: 'settling.held' }], { results: [{ is: 'completed', text: 'first' }, { child: 1, is: 'completed', text: 'second' }] }),
  conduct('P15', 'a child that is disposed leaves its sibling alone', [
    start, ready, { do: 'start', child: 1 }, { ...ready, child: 1 },
    dispose, disposed, { do: 'wait', child: 1, state: 'running.active', when: 'still' },
    { ...settle, child: 1 }], { results: [{ is: 'aborted' }, { child: 1, is: 'completed', text: 'answer' }] }),
  conduct('P12', 'sendMessage is absent, or reaches the child', [start, ready, { do: 'send a message', text: 'look in src too' }, settle, { do: 'see', what: 'messages', includes: 'look in src too' }], { results: completed }),
  conduct('P12', 'resume is absent, or continues the child in a new run', [start, ready, settle, { do: 'resume', text: 'go on' }, { ...ready, child: 1 }, { ...settle, child: 1 }], { results: [...completed, { child: 1, is: 'completed', text: 'answer' }] }),
  conduct('P12', 'a child that is continued gets the new prompt', [start, ready, settle, { do: 'resume', text: 'and now the rest' }, { ...ready, child: 1 }, { do: 'see', what: 'prompt', child: 1, includes: 'and now the rest' }, { ...settle, child: 1 }], {}, { needs: ['sees.prompt'] }),
  conduct('P12', 'the answer of a run that continues a child is its own', [start, ready, { do: 'settle', text: 'the first part', state: 'settling.held' }, { do: 'resume', text: 'go on' }, { ...ready, child: 1 }, { do: 'settle', text: 'the rest', child: 1, state: 'settling.held' }], { results: [{ is: 'completed', exact: 'the first part' }, { child: 1, is: 'completed', exact: 'the rest' }] }),

  conduct('V4', 'a request with an outputSchema gets the structured result', [{ do: 'start', request: { outputSchema } }, ready, { do: 'structure', value: { answer: 42 }, state: 'settling.held' }], { results: [{ is: 'completed', structured: { answer: 42 } }] }, { needs: ['structure'], ...claimed('outputSchema') }),
  conduct('V4', 'a structured result that does not fit the schema is not passed on', [{ do: 'start', request: { outputSchema } }, ready, { do: 'structure', value: { answer: 'forty-two' }, state: 'settling.held' }], { results: [{ is: 'error', failure: 'any' }] }, { needs: ['structure'], ...claimed('outputSchema') }),
  conduct('V4', 'a child that ends without the structured result has failed, and its text is kept', [{ do: 'start', request: { outputSchema } }, ready, settle], { results: [{ is: 'error', text: 'answer', failure: 'any' }] }, { needs: ['structure'], ...claimed('outputSchema') }),
  conduct('P10', 'a filter that allows nothing hides every tool', [{ do: 'start', request: { toolFilter: { allow: [] } } }, ready, { do: 'see', what: 'tools', equals: [] }], {}, { needs: ['sees.tools'], ...claimed('toolFilter') }),
  conduct('P10', 'a denied tool is not offered to the child', [start, ready, { do: 'start', child: 1, denyToolOf: 0 }, { ...ready, child: 1 }, { do: 'see', what: 'denied tool', child: 1 }], {}, { needs: ['sees.tools'], ...claimed('toolFilter') }),
  conduct('P11', 'the persona reaches the child', [{ do: 'start', request: { persona: 'You are terse.' } }, ready, { do: 'see', what: 'persona', includes: 'You are terse.' }], {}, { needs: ['sees.persona'], ...claimed('persona') }),
  conduct('P11', "with the persona '' the child has no system prompt", [{ do: 'start', request: { persona: '' } }, ready, { do: 'see', what: 'system prompt', equals: '' }], {}, { needs: ['sees.persona'], ...claimed('persona') }),
  conduct('P1', 'the child is one level deeper than its parent', [{ do: 'start', request: { maxDepth: 3 } }, ready, { do: 'see', what: 'depth', equals: 1 }], {}, { needs: ['sees.depth'], ...claimed('depthLimit') }),
  unclaimed('outputSchema', { outputSchema }),
  unclaimed('toolFilter', { toolFilter: { deny: ['a tool'] } }),
  unclaimed('persona', { persona: 'You are terse.' }),
  unclaimed('depthLimit', { maxDepth: 3 }),
]
