/**
 * The schema with which version 6 of the AI SDK checks a conversation. It has a lazy part, and until that has been used once zod
 * looks through the whole of the schema for cycles at each check, at the price of all else about a short turn.
 */
import { modelMessageSchema } from 'ai'

let isUsed = false

/** Uses the lazy part, once a process. */
export function useMessageSchema(): void {
  if (isUsed) return
  isUsed = true
  modelMessageSchema.safeParse({ role: 'user', content: '', providerOptions: { any: { any: null } } })
}
