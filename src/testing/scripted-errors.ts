/**
 * Errors as the AI SDK knows them, made without importing it: it tells its classes by global symbols, so that several
 * copies of it get along.
 */
import type { ScriptedError } from './scripted-model.ts'

const markers = [Symbol.for('vercel.ai.error'), Symbol.for('vercel.ai.error.AI_APICallError')]

/** An `APICallError`. Its retry headers ask for no wait, so that a retried script takes no time. */
export function createApiError({ message, status, retryable }: ScriptedError): Error {
  const isRetryable = retryable ?? (status === undefined || status === 408 || status === 409 || status === 429 || status >= 500)
  const error = Object.assign(new Error(message), {
    name: 'AI_APICallError',
    url: 'scripted:model',
    requestBodyValues: {},
    statusCode: status,
    isRetryable,
    responseHeaders: { 'retry-after-ms': '0' },
  })
  for (const marker of markers) Object.defineProperty(error, marker, { value: true })
  return error
}

export function createAbortError(): Error {
  return new DOMException('The scripted model was aborted.', 'AbortError')
}
