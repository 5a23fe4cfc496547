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
  if (failure.code === 'MAX_STEPS') return 'The model took too many steps. Give run a smaller task, or another model with --model.'
  if (failure.code !== 'MODEL_ERROR') return undefined
  const where = choice.kind === 'base-url' ? showUrl(choice.url) : choice.kind === 'vendor' ? choice.vendor.name : 'the script'
  const { message } = failure
  const speaks = `Does ${where} speak OpenAI's protocol?${choice.kind === 'base-url' ? ` ${checkUrl(choice.url)}` : ''}`
  const status = Number(/\(HTTP (\d{3})\)/.exec(message)?.[1])
  if (status === 401 || status === 403) {
    return keyVariable === undefined
      ? `${where} wants a key. Set OPENAI_API_KEY, or the variable named after the vendor, and run the command again.`
      : `Check the key in ${keyVariable}: it was sent to ${where}, which did not take it.`
  }
  if (status === 404) {
    return choice.kind === 'base-url'
      ? `${checkUrl(choice.url)} Check the model id ${choice.id} too.`
      : 'Check the model id: the vendor does not know it, or your key may not use it.'
  }
  if (status === 402) return `${where} wants to be paid: check the balance of the account.`
  if (status === 429) return `${where} limits how much may be asked. Wait a while, or check the quota of the account.`
  if (status >= 500) return `The fault is at ${where}. Run the command again later, or take another model.`
  if (status >= 400) return `${where} did not take the request. Check the model id and that the model can call tools.`
  if (/redirect/.test(message)) return `${where} sends the request on to another address, and so on. ${speaks}`
  if (/cannot be reached|could not be called/.test(message)) {
    return choice.kind === 'base-url'
      ? `Is a server running at ${where}? Check --base-url.`
      : `Check the connection to the network, and the proxy if there is one.`
  }
  const again = 'Run the command again; if the line drops each time, look at what stands between here and the server.'
  if (/dropped/.test(message)) return again
  // A web page, or JSON of another kind, looks like a stream that ended too early.
  if (/broke off|empty answer/.test(message)) return choice.kind === 'base-url' ? `${speaks} If it does: ${again}` : again
  if (/cannot be read/.test(message)) return speaks
  return undefined
}

function checkUrl(url: URL): string {
  return /\/v\d+\w*\/?$/.test(url.pathname) ? 'Check --base-url.' : 'Check --base-url: most servers want /v1 at its end.'
}
