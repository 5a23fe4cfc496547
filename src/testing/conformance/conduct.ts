/** The rules of conduct: what was seen of the children, held against each rule that a case names. */
import { describeThrown } from '../../run/contain.ts'
import type { ConductRule } from './case.ts'
import type { Finding } from './failure.ts'
import type { Stage } from './stage.ts'
import { outputOf } from './watch.ts'
import type { WatchedChild } from './watch.ts'

type Rule = (child: WatchedChild, stage: Stage) => Finding | undefined

export const conductRules: Readonly<Record<ConductRule, Rule>> = {
  'settles once': ({ settlements, run }) => {
    if (run.result !== run.result)
      return {
        expected: 'result to be one promise',
        seen: 'another promise at each look',
        look: 'result of the run that start() gives: make the promise once, not in a getter',
      }
    if (settlements <= 1) return undefined
    return {
      expected: 'result to settle once',
      seen: `it settled ${settlements} times`,
      look: 'then() of result: a promise of the language settles once by itself; first cause wins',
    }
  },

  'keeps its id': ({ ids }) => {
    const changed = ids.find((id) => id !== ids[0])
    if (ids.every((id) => id === ids[0])) return undefined
    return {
      expected: `the id of the run to stay what it was when start() returned: ${nameOf(ids[0])}`,
      seen: nameOf(changed),
      look: 'id of the run that start() gives: it is known when start() returns, or left out (then it is the run id)',
    }
  },

  'cancel does not throw': ({ cancels }) => {
    const thrown = cancels.find((call) => 'threw' in call)
    return (
      thrown && {
        expected: 'cancel() to return',
        seen: `it threw ${describeThrown(thrown.threw)}`,
        look: 'cancel(): it tells the child to stop, whatever the child is doing, and leaves the rest to result',
      }
    )
  },

  // Whether it resolves is seen where it is called.
  'second dispose does no harm': ({ settlements }) =>
    settlements > 1 ? { expected: 'nothing to come of a second dispose()', seen: 'result settled again', look: 'dispose()' } : undefined,

  'no update once settled': ({ updates }) => {
    const late = updates.filter((update) => update.late)
    if (late.length === 0) return undefined
    return {
      expected: 'no update once result has settled',
      seen: `${late.length}, the first is ${JSON.stringify(late[0]!.content)}`,
      look: 'who calls context.update(): stop it before result settles, or settle after the last update',
    }
  },

  'updates are well formed': ({ updates }) => {
    for (const { content } of updates) {
      const flaw = updateFlaw(content)
      if (flaw)
        return {
          expected: 'updates with a type and the fields of it',
          seen: `${flaw}: ${JSON.stringify(content)}`,
          look: 'what context.update() is called with, and SubagentUpdateContent',
        }
    }
    if (updates.some(({ content: { type } }) => type === 'text')) return undefined
    return {
      expected: 'an update of type text for what the child streams',
      seen: `${updates.length} updates, none of them text`,
      look: 'context.update(), which has to be called for each part; or control stream',
    }
  },

  'ready only where declared': ({ readies }, { watch }) => {
    if (readies === 0 || watch.provider.signalsReady) return undefined
    return {
      expected: 'no call of context.ready()',
      seen: 'it was called, and counts for nothing',
      look: 'signalsReady of the provider: declare it, or leave the call out; without it a child is ready when start() returned',
    }
  },

  'output stays as it was given': (child) => {
    const now = outputOf(child)
    if (now === child.outputGiven) return undefined
    return {
      expected: `the output to stay ${child.outputGiven}`,
      seen: String(now),
      look: 'the output that result resolves with: hand over a copy, not the log that the provider goes on writing',
    }
  },
}

const nameOf = (id: unknown): string => (id === undefined ? 'none' : JSON.stringify(id))

/** Fields that an update of each type has as strings; a type that is not here is an extension (V2). */
const stringFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thought: ['text'],
  'tool-call': ['toolCallId', 'name'],
  'tool-result': ['toolCallId', 'status'],
}

function updateFlaw(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || typeof (content as { type?: unknown }).type !== 'string') return 'no type'
  const { type, ...fields } = content as { readonly type: string; readonly [field: string]: unknown }
  const missing = (stringFields[type] ?? []).find((field) => typeof fields[field] !== 'string')
  return missing === undefined ? undefined : `${missing} of a ${type} update is no string`
}
