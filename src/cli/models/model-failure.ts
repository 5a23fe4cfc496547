/** What to do when the model could not be called (C3): a hint for each kind of failure, to stand below its message. */
import type { SubagentFailure } from '../../types.ts'
import type { ModelChoice } from './model-choice.ts'
import { showUrl } from './model-choice.ts'

export interface ModelFailureContext {
  readonly choice: ModelChoice
  readonly keyVariable: string | undefined
}

/** `undefined` where there is nothing to add to the failure's own message. */
export function hintFor(failure: SubagentFailure, { choice, keyVariable }: ModelFailureContext): string | undefined {
  if (failure.code === 'MAX_STEPS') return 'Give a smaller task.'
  if (failure.code !== 'MODEL_ERROR') return undefined
  const where = choice.kind === 'base-url' ? showUrl(choice.url) : choice.kind === 'vendor' ? choice.vendor.name : 'the script'
  const { message } = failure
  const status = Number(/\(HTTP (\d{3})\)/.exec(message)?.[1])
  if (status === 401 || status === 403) {
    return keyVariable === undefined
      ? `${where} wants a key. Set OPENAI_API_KEY, or the variable named after the vendor, and run the command again.`
      : `Check the key in ${keyVariable}: it was sent to ${where}, which did not take it.`
  }
  if (status === 404) {
    return choice.kind === 'base-url'
      ? `Check --base-url (most servers want /v1 at its end) and the model id ${choice.id}.`
      : 'Check the model id: the vendor does not know it, or your key may not use it.'
  }
  if (status === 402) return `${where} wants to be paid: check the balance of the account.`
  if (status === 429) return `${where} limits how much may be asked. Wait a while, or check the quota of the account.`
  if (status >= 500) return `The fault is at ${where}. Run the command again later, or take another model.`
  if (status >= 400) return `${where} did not take the request. Check the model id and that the model can call tools.`
  if (/cannot be reached|could not be called/.test(message)) {
    return choice.kind === 'base-url'
      ? `Is a server running at ${where}? Check --base-url.`
      : `Check the connection to the network, and the proxy if there is one.`
  }
  if (/dropped|broke off|empty answer/.test(message))
    return 'Run the command again; if the line drops each time, look at what stands between here and the server.'
  if (/cannot be read/.test(message))
    return `Does ${where} speak OpenAI's protocol?${choice.kind === 'base-url' ? ' Check --base-url (most servers want /v1 at its end).' : ''}`
  return undefined
}
