/** Parts of messages of the AI SDK as content of a session log (S26). */
import type { SubagentError } from '../errors.ts'
import { invalid } from '../run/request.ts'
import type { ContentBlock, Json } from '../types.ts'
import { toJson } from '../run/json.ts'
import { imageTypeOf } from './image-type.ts'

type Fields = Readonly<Record<string, unknown>>

/** What of a message is content, without what is no part of a log. @throws SubagentError INVALID_REQUEST naming the part */
export function contentOf(content: unknown, field: string): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return (content as readonly unknown[]).flatMap((part, index) => blockOf(part as Fields, `${field}.content[${index}]`) ?? [])
}

function blockOf(part: Fields | null, field: string): ContentBlock | undefined {
  switch (part?.['type']) {
    case 'text': {
      const { text } = part
      if (typeof text !== 'string') throw invalid(`${field}.text`, 'a string', text)
      return text === '' ? undefined : { type: 'text', text }
    }
    case 'image':
      return fileOf(part['image'], part['mediaType'] ?? 'image/*', part['filename'], `${field}.image`)
    case 'file':
      return fileOf(part['data'], part['mediaType'], part['filename'], `${field}.data`)
    // Reasoning is the model's own, and signed for it alone; calls and results are events of their own.
    case 'reasoning':
    case 'reasoning-file':
    case 'custom':
    case 'tool-call':
    case 'tool-result':
    case 'tool-approval-request':
      return undefined
    default:
      throw invalidPart(field, part)
  }
}

export function invalidPart(field: string, part: unknown): SubagentError {
  const type = typeof part === 'object' && part !== null ? (part as Fields)['type'] : undefined
  return invalid(field, 'a part of a model message', type ?? part)
}

function fileOf(given: unknown, mediaType: unknown, filename: unknown, field: string): ContentBlock {
  if (typeof mediaType !== 'string') throw invalid(field.replace(/\w+$/, 'mediaType'), 'a media type', mediaType)
  const data = untagged(given)
  const address = data instanceof URL ? data.href : typeof data === 'string' && /^[a-z][a-z\d+.-]*:/i.test(data) ? data : undefined
  const inline = address === undefined ? undefined : /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(address)
  const name = typeof filename === 'string' && filename !== '' ? filename : undefined
  if (address !== undefined && !inline)
    return { type: 'resource_link', uri: address, name: name ?? lastOf(address), ...(!mediaType.includes('*') && { mimeType: mediaType }) }
  const base64 = inline?.[2] ?? base64Of(data)
  // The AI SDK looks at the data of an image alone whose part says that it is one; a block of the log is sent as a file.
  const mimeType = mediaType.includes('*') ? inline?.[1] || imageTypeOf(base64 ?? '') || mediaType : mediaType
  if (base64 === undefined) throw invalid(field, 'base64, bytes, or an address', data)
  const kind = mimeType.split('/')[0]
  if (kind === 'image' || kind === 'audio') return { type: kind, data: base64, mimeType }
  return { type: 'resource', resource: { uri: `attachment:${encodeURIComponent(name ?? 'file')}`, mimeType, blob: base64 } }
}

/** Later versions of the AI SDK say beside the data what it is. */
function untagged(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || data instanceof URL) return data
  const { type, url, text, data: own } = data as Fields
  if (type === 'url') return url
  if (type === 'data') return own
  return type === 'text' && typeof text === 'string' ? new TextEncoder().encode(text) : data
}

function lastOf(address: string): string {
  return /([^/?#]+)\/?(?:[?#].*)?$/.exec(address)?.[1] ?? address
}

function base64Of(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  const isBytes = ArrayBuffer.isView(data)
  if (!isBytes && !(data instanceof ArrayBuffer)) return undefined
  const bytes = isBytes ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
  let binary = ''
  // In pieces, since each byte is an argument.
  for (let start = 0; start < bytes.length; start += 8192) binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  return btoa(binary)
}

/** The output of a tool as a log has it. @throws SubagentError INVALID_REQUEST naming the part */
export function outputOf(output: unknown, field: string): { readonly status: 'ok' | 'error'; readonly output: Json } {
  const { type, value, reason } = (typeof output === 'object' && output !== null ? output : {}) as Fields
  switch (type) {
    case 'text':
    case 'json':
      return { status: 'ok', output: toJson(value) }
    case 'error-text':
    case 'error-json':
      return { status: 'error', output: toJson(value) }
    case 'execution-denied':
      return { status: 'error', output: typeof reason === 'string' ? reason : 'The call was denied.' }
    case 'content':
      if (!Array.isArray(value)) throw invalid(`${field}.output.value`, 'an array of parts', value)
      return { status: 'ok', output: (value as readonly Fields[]).map(textOf).join('\n') }
    default:
      throw invalid(`${field}.output.type`, 'text, json, content, error-text, error-json or execution-denied', type)
  }
}

function textOf({ type, text, mediaType, url }: Fields): string {
  if (type === 'text' && typeof text === 'string') return text
  return `[${[type, mediaType, url].filter((part) => typeof part === 'string').join(' ')}]`
}
