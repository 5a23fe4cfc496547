/**
 * What every model of the comparison says. All frameworks are given the same words, in the same pieces where they stream.
 */

export const system = { parent: 'You hand work on.', child: 'You search projects and answer in one sentence.' }
export const task = 'Find every TODO in the server folder and say which one to mend first.'
export const order = {
  description: 'Find TODOs',
  prompt: 'List every TODO below server/ with its file and rank them by what breaks first.',
}
export const toolDescription = 'Hands a task to an agent that works on it alone and answers once.'
export const usage = { input: 100, output: 20 }

/** How often a child was asked, and whether it keeps what it was asked to itself. */
export const child = { asked: 0, holds: false }

const never = new Promise(() => {})

/** The child's answer has the number of the call in it: whoever has the number had an answer of this child. */
export async function answerOfChild() {
  const number = ++child.asked
  if (child.holds) await never
  return `There are three TODOs, two of them in server/; the lock in server/store.js comes first. Answer ${number}.`
}

export const answerOfParent = (result) => `The agent that I asked says: ${result}`

/** About as a model streams: some words a piece. */
export const piecesOf = (text) => text.match(/\S+\s*\S*\s*/g)

/** @throws where the text is not what the parent makes of the newest answer of the child */
export function check(name, text) {
  const end = `Answer ${child.asked}.`
  if (text.startsWith('The agent that I asked says: ') && text.endsWith(end)) return
  throw new Error(`${name} did not hand on what its child said: ${JSON.stringify(text)} should end in "${end}".`)
}
