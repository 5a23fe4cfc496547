/**
 * A model that answers `generateText` as a whole and has its own answer streamed meanwhile: what is written is told as it comes
 * (G9). Where the AI SDK streams itself, each part passes a dozen web streams, which costs ten times as much as the rest of a step.
 *
 * Invariants: after the step was closed nothing of the answer is passed on, so that no tool is run for it, and an answer that
 * comes all the same is counted (G13); an answer that has begun is not asked for again, though the AI SDK retries (G12).
 */
import { isThenable } from '../run/contain.ts'
import { sharedGetters } from '../run/shared-getters.ts'
import { Answer } from './answer.ts'
import type { Part } from './answer.ts'
import type { ModelObject } from './model.ts'
import type { StepDraft } from './step-draft.ts'
import { turnIsOver } from './turn-over.ts'

export interface Listener {
  /** What is told of each part as it comes: the step under way. */
  readonly current: () => StepDraft
  readonly isClosed: () => boolean
  readonly onLate: () => void
  readonly onWarning: (warning: unknown) => void
  /** Whether the provider may give the result of that tool in a later answer than its call. */
  readonly isDeferred: (toolName: string) => boolean
  /** Makes what is called with each part of an answer before it is taken, and waited for. */
  readonly createHooks: () => (part: Part) => unknown
}

export interface StreamedModel {
  readonly model: ModelObject
  /** What the provider answers to the last call, or answered; undefined until it begins. */
  answer(): Answer | undefined
}

interface Streamed {
  readonly stream: ReadableStream<Part>
  readonly request?: unknown
  readonly response?: { readonly headers?: unknown }
}

export function streamedModel(model: ModelObject, listener: Listener): StreamedModel {
  const { current, isClosed, onLate, onWarning, isDeferred } = listener
  let answer: Answer | undefined
  const doGenerate = async (options: never) => {
    answer = undefined
    const { stream, request, response } = (await model.doStream(options)) as Streamed
    if (isClosed()) {
      onLate()
      stream.cancel().catch(() => {})
      throw turnIsOver()
    }
    answer = new Answer(current(), onWarning, isDeferred)
    await readInto(answer, stream, listener)
    return answer.whole(request, response?.headers)
  }
  // Only what generateText reads: a class instance cannot be copied, and its getters may use private fields.
  const read = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    doGenerate,
    doStream: (options: never) => model.doStream(options),
  }
  return { model: withSupportedUrls(read, model) as unknown as ModelObject, answer: () => answer }
}

const withSupportedUrls = sharedGetters<ModelObject, Pick<ModelObject, 'supportedUrls'>>({ supportedUrls: (model) => model.supportedUrls })

async function readInto(answer: Answer, stream: ReadableStream<Part>, { isClosed, onLate, createHooks }: Listener): Promise<void> {
  const onPart = createHooks()
  const reader = stream.getReader()
  for (;;) {
    let next: Awaited<ReturnType<typeof reader.read>>
    try {
      next = await reader.read()
    } catch (thrown) {
      return answer.fail(thrown)
    }
    if (isClosed()) {
      if (!next.done) {
        onLate()
        reader.cancel().catch(() => {})
      }
      throw turnIsOver()
    }
    if (next.done) return
    try {
      const heard = onPart(next.value)
      if (isThenable(heard)) await heard
      if (isClosed()) continue
      answer.take(next.value)
    } catch (thrown) {
      // A part that cannot be read, a hook of a tool that failed: nobody reads the rest.
      reader.cancel().catch(() => {})
      return answer.fail(thrown)
    }
  }
}
