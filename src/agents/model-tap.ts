/**
 * A model as a stretch of steps uses it: what it writes is told as it comes, before it goes into the AI SDK (G9). After the
 * stretch was closed nothing of the answer is passed on, so that no tool is run for it, and an answer that comes all the same
 * is counted (G13).
 */
import { withoutDeepArguments } from './deep-arguments.ts'
import { sharedGetters } from '../run/shared-getters.ts'
import { GatheredText } from './gathered-text.ts'
import type { TellDelta } from './gathered-text.ts'
import type { ModelObject } from './model.ts'
import type { OpenSteps } from './tools.ts'

export interface ModelTap {
  readonly model: ModelObject
  /** Whether the provider has begun to answer the last call. */
  answering(): boolean
  /** Whether a part of the AI SDK's stream has a delta that was told already; each of them has to come by here. */
  isTold(part: Part): boolean
}

type Part = Parameters<GatheredText['take']>[0]
type Parts = ReadableStream<Part>
type StreamResult = { stream: Parts }

export function tapModel(model: ModelObject, open: OpenSteps, onLate: () => void, tell: TellDelta): ModelTap {
  let answering = false
  let texts: GatheredText | undefined
  const doStream = async (options: never): Promise<StreamResult> => {
    answering = false
    const result = (await model.doStream(options)) as StreamResult
    if (open.closed) {
      onLate()
      result.stream.cancel().catch(() => {})
      throw new DOMException('The turn is over.', 'AbortError')
    }
    answering = true
    texts = new GatheredText(tell)
    return { ...result, stream: tapStream(result.stream, texts, open, onLate) }
  }
  // Only what streamText reads: a class instance cannot be copied, and its getters may use private fields.
  const read = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    doGenerate: (options: never) => model.doGenerate(options),
    doStream,
  }
  const tapped = withSupportedUrls(read, model)
  return { model: tapped as unknown as ModelObject, answering: () => answering, isTold: (part) => texts?.isTold(part) ?? false }
}

const withSupportedUrls = sharedGetters<ModelObject, Pick<ModelObject, 'supportedUrls'>>({ supportedUrls: (model) => model.supportedUrls })

function tapStream(stream: Parts, texts: GatheredText, open: OpenSteps, onLate: () => void): Parts {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        // Until there is something to hand on: nobody asks again before that.
        for (let handedOn = false; !handedOn;) {
          const { done, value } = await reader.read()
          if (done || open.closed) {
            if (!open.closed) for (const part of texts.rest()) controller.enqueue(part)
            controller.close()
            if (done) return
            onLate()
            reader.cancel().catch(() => {})
            return
          }
          for (const part of texts.take(withoutDeepArguments(value))) {
            controller.enqueue(part)
            handedOn = true
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
