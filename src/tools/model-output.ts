/** What the AI SDK tells a model of a subagent's answer; blocks that it cannot carry as they are become text (T7). */
import type { Tool } from 'ai'
import { toJson } from '../run/json.ts'
import { blockFlaw } from '../run/request.ts'
import type { ContentBlock } from '../types.ts'
import { isSubagentProgress } from './progress/snapshot.ts'

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>
type ModelPart = Extract<ModelOutput, { type: 'content' }>['value'][number]

export function toModelOutput(output: unknown): ModelOutput {
  if (typeof output === 'string') return { type: 'text', value: output }
  // A conversation that was kept as its user interface had it may hold a call that broke off.
  if (isSubagentProgress(output))
    return {
      type: 'error-text',
      value: `The call broke off before the subagent had finished.${output.text === '' ? '' : `\n\nWhat it had written until then:\n${output.text}`}`,
    }
  if (Array.isArray(output)) return { type: 'content', value: (output as ContentBlock[]).map(toPart) }
  return { type: 'json', value: toJson(output) as never }
}

function toPart(block: ContentBlock): ModelPart {
  // A conversation that was kept may hold anything, and one part that the AI SDK does not know would break it for good.
  if (blockFlaw(block, 'block') !== undefined) return { type: 'text', text: JSON.stringify(toJson(block)) }
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image-data', data: block.data, mediaType: block.mimeType }
    case 'audio':
      return { type: 'file-data', data: block.data, mediaType: block.mimeType }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})${block.description ? `: ${block.description}` : ''}` }
    case 'resource':
      if ('blob' in block.resource)
        return {
          type: 'file-data',
          data: block.resource.blob,
          mediaType: block.resource.mimeType ?? 'application/octet-stream',
          filename: block.resource.uri,
        }
      return { type: 'text', text: `<resource uri=${JSON.stringify(block.resource.uri)}>\n${block.resource.text}\n</resource>` }
  }
}
