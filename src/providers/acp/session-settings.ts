/**
 * Model, mode and options of a session, set by id and held to what the agent then says (A17).
 *
 * Agents offer models and modes in two ways: as options of the session (`configOptions`, with a category), or as lists of
 * their own (`models`, `modes`). The first is the protocol's present way and is taken where there is one.
 */
import { AcpFailure } from './failure.ts'
import { fields, list, text } from './protocol.ts'

export interface SessionSettings {
  readonly model?: string
  readonly mode?: string
  /** Other options of the session, by id. */
  readonly config?: { readonly [id: string]: string | boolean }
}

type Fields = { readonly [field: string]: unknown }
type Request = (method: string, params: Fields) => Promise<unknown>

/**
 * @param session the answer to `session/new`, `session/load` or `session/resume`
 * @throws AcpFailure INVALID_REQUEST naming the ids that exist; HANDSHAKE_FAILED where a value was not taken
 */
export async function applySettings(
  { model, mode, config = {} }: SessionSettings,
  session: Fields,
  sessionId: string,
  request: Request,
): Promise<void> {
  let options = list(session.configOptions)
  const setOption = async (option: Fields, value: string | boolean): Promise<void> => {
    checkValue(option, value)
    if (option.currentValue === value) return
    const boolean = typeof value === 'boolean' ? { type: 'boolean' } : {}
    const answer = fields(await request('session/set_config_option', { sessionId, configId: option.id, value, ...boolean }))
    options = list(answer.configOptions)
    const now = options.find(({ id }) => id === option.id)
    if (now?.currentValue !== value)
      throw new AcpFailure(
        'HANDSHAKE_FAILED',
        `The agent was asked to set ${String(option.id)} to ${JSON.stringify(value)}, and says it is ${JSON.stringify(now?.currentValue)}.`,
      )
  }
  const setOne = async (kind: 'model' | 'mode', value: string): Promise<void> => {
    const option = options.find(({ category }) => category === kind) ?? options.find(({ id }) => id === kind)
    if (option) return setOption(option, value)
    const { offered, current } = offers(kind, session)
    if (!offered.includes(value)) throw unknownId(kind, value, offered)
    if (current !== value) await request(kind === 'model' ? 'session/set_model' : 'session/set_mode', { sessionId, [`${kind}Id`]: value })
  }
  if (model !== undefined) await setOne('model', model)
  if (mode !== undefined) await setOne('mode', mode)
  for (const [id, value] of Object.entries(config)) {
    const option = options.find((each) => each.id === id)
    if (!option)
      throw unknownId(
        'option of the session',
        id,
        options.flatMap((each) => text(each.id) ?? []),
      )
    await setOption(option, value)
  }
}

function offers(kind: 'model' | 'mode', session: Fields): { readonly offered: readonly string[]; readonly current: unknown } {
  const { availableModels, currentModelId, availableModes, currentModeId } = {
    ...fields(session.models),
    ...fields(session.modes),
  } as Fields
  if (kind === 'model') return { offered: list(availableModels).flatMap(({ modelId }) => text(modelId) ?? []), current: currentModelId }
  return { offered: list(availableModes).flatMap(({ id }) => text(id) ?? []), current: currentModeId }
}

function checkValue({ id, category, type, options }: Fields, value: string | boolean): void {
  const what = category === 'model' || category === 'mode' ? category : `value of ${String(id)}`
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw unknownId(what, value, ['true', 'false'])
    return
  }
  // A list of options, or of groups of them.
  const values = list(options).flatMap((each) => text(each.value) ?? list(each.options).flatMap((inner) => text(inner.value) ?? []))
  if (typeof value !== 'string' || !values.includes(value)) throw unknownId(what, value, values)
}

function unknownId(what: string, asked: string | boolean, offered: readonly string[]): AcpFailure {
  const exist = offered.length > 0 ? `It offers ${offered.map((id) => JSON.stringify(id)).join(', ')}` : 'It offers none'
  return new AcpFailure('INVALID_REQUEST', `The agent knows no ${what} ${JSON.stringify(asked)}. ${exist}.`)
}
