/** Which model an agent talks to. */
import type { LanguageModel } from 'ai'
import { SubagentError } from '../errors.ts'
import { describeThrown } from '../run/contain.ts'
import type { AgentOptions } from '../types.ts'

/** A model object of the AI SDK, as opposed to an id. */
export type ModelObject = Exclude<LanguageModel, string>

export interface ModelSource {
  /** Model of agents whose options name none. */
  readonly model?: LanguageModel
  readonly resolveModel?: (id: string) => LanguageModel
}

const hint =
  'Pass createAgents({ model }), or agentOptions.model, as a model object of the AI SDK, or as an id together with createAgents({ resolveModel }).'

/**
 * The model of an agent with these options: theirs, else the source's. An id never falls through to the AI SDK's
 * global provider: that would call a network service nobody has named.
 *
 * @throws SubagentError NO_MODEL
 */
export function modelFor(source: ModelSource, options: AgentOptions): ModelObject {
  const model = options.model ?? source.model
  if (model === undefined || model === null) throw new SubagentError('NO_MODEL', `No model is named. ${hint}`)
  if (typeof model !== 'string') return checkModel(model, 'The model')
  if (!source.resolveModel)
    throw new SubagentError(
      'NO_MODEL',
      `The model id ${JSON.stringify(model)} cannot be resolved: createAgents has no resolveModel. ${hint}`,
    )
  let resolved: unknown
  try {
    resolved = source.resolveModel(model)
  } catch (cause) {
    throw new SubagentError(
      'NO_MODEL',
      `The model id ${JSON.stringify(model)} cannot be resolved: resolveModel threw ${describeThrown(cause)}. ${hint}`,
      { cause },
    )
  }
  return checkModel(resolved, `What resolveModel gave for ${JSON.stringify(model)}`)
}

function checkModel(model: unknown, what: string): ModelObject {
  const candidate = model as Partial<ModelObject> | null | undefined
  if (typeof candidate === 'object' && candidate !== null && typeof candidate.doStream === 'function') return candidate as ModelObject
  throw new SubagentError(
    'NO_MODEL',
    `${what} is not a model object of the AI SDK (an object with doStream), got ${model === null ? 'null' : typeof model}. ${hint}`,
  )
}
