/** What the model is told of a subagent: what the child can see decides how it has to be asked (T3). */

const purpose =
  'Delegates a task to a subagent, which works on it alone and answers once, with its final message. Several calls in one step run in parallel.'
const fresh = 'The subagent sees nothing of this conversation: its prompt has to be self-contained.'
const inheriting = 'The subagent sees the completed turns of this conversation, but not the current one.'

/** @param custom what the tool is for, in place of the general words */
export function toolWording(inheritsParentContext: boolean, custom?: string): string {
  return `${custom ?? purpose} ${inheritsParentContext ? inheriting : fresh}`
}

export function promptWording(inheritsParentContext: boolean): string {
  return inheritsParentContext
    ? 'The task for the subagent. It knows the completed turns; repeat what it needs from the current one.'
    : 'The task for the subagent, self-contained: everything it has to know, and what its answer has to contain.'
}
