/**
 * The parts of a stream of the AI SDK for one who reads it alone.
 *
 * Its `fullStream` is one half of a tee, with two more streams behind it: the other half keeps every part until the last step
 * has ended, for readers who may come, and all of it costs a fifth of an answer. What the tee is made of has no public name, so
 * where it is not found as it is known, `fullStream` serves.
 */
import type { StreamPart } from './step-draft.ts'

type Base = ReadableStream<{ readonly part: StreamPart } | undefined>

/** @returns the next part on each call, undefined at the end; rejects as the stream does */
export function soleReader(result: { readonly fullStream: ReadableStream<StreamPart> }): () => Promise<StreamPart | undefined> {
  const { baseStream: base } = result as { readonly baseStream?: Base }
  if (!(base instanceof ReadableStream) || base.locked) {
    const reader = result.fullStream.getReader()
    return async () => (await reader.read()).value
  }
  const reader = base.getReader()
  return async () => {
    const { done, value } = await reader.read()
    if (!done && !value?.part) throw new TypeError('The AI SDK streams something that is not known.')
    return value?.part
  }
}
