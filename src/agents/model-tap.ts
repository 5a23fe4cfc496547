/**
 * A model as a stretch of steps uses it: after that was closed nothing of the answer is passed on, so that no tool is run for
 * it, and an answer that comes all the same is counted (G13).
 */
import type { ModelObject } from './model.ts'
import type { OpenSteps } from './tools.ts'

export interface ModelTap {
  readonly model: ModelObject
  /** Whether the provider has begun to answer the last call. */
  answering(): boolean
}

type StreamResult = { stream: ReadableStream<unknown> }

export function tapModel(model: ModelObject, open: OpenSteps, onLate: () => void): ModelTap {
  let answering = false
  const doStream = async (options: never): Promise<StreamResult> => {
    answering = false
    const result = (await model.doStream(options)) as StreamResult
    if (open.closed) {
      onLate()
      result.stream.cancel().catch(() => {})
      throw new DOMException('The turn is over.', 'AbortError')
    }
    answering = true
    return { ...result, stream: tapStream(result.stream, open, onLate) }
  }
  // Only what streamText reads: a class instance cannot be copied, and its getters may use private fields.
  const tapped = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls
    },
    doGenerate: (options: never) => model.doGenerate(options),
    doStream,
  }
  return { model: tapped as unknown as ModelObject, answering: () => answering }
}

function tapStream(stream: ReadableStream<unknown>, open: OpenSteps, onLate: () => void): ReadableStream<unknown> {
  const reader = stream.getReader()
  return new ReadableStream<unknown>(
    {
      pull: (controller) =>
        reader.read().then(({ done, value }) => {
          if (!open.closed && !done) return controller.enqueue(value)
          controller.close()
          if (done) return
          onLate()
          reader.cancel().catch(() => {})
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
