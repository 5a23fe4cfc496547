import { once } from 'node:events'
import { request } from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { JournalEntry } from '../../../src/inspect/index.ts'
import { until } from '../../providers/collect.ts'

export interface PageMessage {
  readonly type: string
  readonly data: unknown
}

export interface PageViewer {
  readonly messages: readonly PageMessage[]
  readonly response: IncomingMessage
  /** All that was received, as text. */
  text(): string
  entries(): JournalEntry[]
  of<Data>(type: string): Data[]
  has(condition: (message: PageMessage) => boolean): Promise<void>
  readonly ended: Promise<void>
  leave(): void
}

/** Looks on as the page does; has its answer when it resolves. */
export async function pageViewer(url: string): Promise<PageViewer> {
  const asked: ClientRequest = request(new URL('events', url)).end()
  asked.on('error', () => {})
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const messages: PageMessage[] = []
  let all = ''
  let rest = ''
  response.setEncoding('utf8')
  response.on('error', () => {})
  response.on('data', (text: string) => {
    all += text
    const parts = (rest + text).split('\n\n')
    rest = parts.pop()!
    for (const part of parts) {
      const [, type, data] = /^event: (.+)\ndata: (.*)$/.exec(part)!
      messages.push({ type: type!, data: JSON.parse(data!) })
    }
  })
  const ended = new Promise<void>((resolve) => void response.on('close', () => resolve()))
  const of = <Data>(type: string): Data[] => messages.filter((message) => message.type === type).map(({ data }) => data as Data)
  return {
    messages,
    response,
    text: () => all,
    of,
    entries: () => of<JournalEntry[]>('entries').flat(),
    has: (condition) => until(() => messages.some(condition)),
    ended,
    leave: () => void asked.destroy(),
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A request with just these headers, as no browser would let a page send them. */
export async function ask(
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<Answer> {
  const asked = request(url, { method, headers })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  // A stream has no end of its own.
  if (response.headers['content-type'] === 'text/event-stream') {
    asked.destroy()
    return { status: response.statusCode!, headers: response.headers, body: '' }
  }
  const text = (await response.setEncoding('utf8').toArray()).join('')
  return { status: response.statusCode!, headers: response.headers, body: text }
}
