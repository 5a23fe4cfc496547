/** What the agent is started with. The demo's model and tools are no public part of the package: they come from its build. */
import { loadModel } from '../../dist/cli/models/load-model.js'
import { chooseModel } from '../../dist/cli/models/model-choice.js'
import { systemPrompt } from '../../dist/cli/system-prompt.js'

export { openWorkspace } from '../../dist/cli/workspace/workspace.js'
export { workspaceTools } from '../../dist/cli/workspace/workspace-tools.js'

export async function loadSettings(flags, { program, env }) {
  const { children, sessions, model = 'scripted' } = flags
  if (children !== 'spawn' && children !== 'acp') throw new Error(`--children must be spawn or acp, got ${children}.`)
  const loaded = await loadModel(chooseModel(model), env)
  return {
    model: loaded.model,
    // A script goes by what it is asked, not by what it is told of its place.
    system: systemPrompt(false),
    askFor: flags['ask-for'],
    children,
    sessions,
    program,
    depth: Number(env.SUBAGENT_DEPTH ?? 0),
    maxDepth: Number(env.SUBAGENT_MAX_DEPTH ?? Number(env.SUBAGENT_DEPTH ?? 0) + 3),
  }
}
