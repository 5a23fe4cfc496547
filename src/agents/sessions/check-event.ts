/**
 * Whether a parsed line is what a session is made of: everything that somebody reads of it has the shape that they take
 * for granted, so that a file edited by hand gives an error with its line and no crash later. What is not known is kept.
 */
import { ownOrigin } from '../../parent.ts'
import { checkBlock } from '../../run/request.ts'
import type { SessionEvent, SessionHeader } from '../../types.ts'

type Fields = Readonly<Record<string, unknown>>

/** @throws Error saying what is wrong */
export function checkHeader(value: unknown, sessionId: string): SessionHeader {
  const header = object(value, 'a session header')
  if (header['version'] !== 1)
    throw new Error(
      'version' in header
        ? `its version is ${JSON.stringify(header['version'])}; this release reads version 1`
        : 'it is no session header: that has a version',
    )
  if (header['id'] !== sessionId) throw new Error(`it is the header of session ${JSON.stringify(header['id'])}`)
  number(header, 'createdAt')
  for (const name of ['cwd', 'parentSession']) if (header[name] !== undefined) text(header, name)
  for (const name of ['seedLength', 'delegationDepth']) if (header[name] !== undefined) count(header, name)
  if (header['origin'] !== undefined) ownOrigin(header['origin'])
  return header as unknown as SessionHeader
}

const checks: Readonly<Record<SessionEvent['type'], (event: Fields) => void>> = {
  'turn/start': (event) => count(event, 'turn'),
  'user/message': (event) => {
    content(event)
    if (event['source'] !== undefined) text(event, 'source')
  },
  'context/message': (event) => {
    content(event)
    text(event, 'source')
  },
  'assistant/message': (event) => {
    content(event)
    if (event['usage'] !== undefined) {
      const usage = object(event['usage'], 'usage')
      for (const name of Object.keys(usage)) number(usage, name)
    }
  },
  'tool/call': (event) => {
    text(event, 'toolCallId')
    text(event, 'name')
    if (event['input'] === undefined) throw new Error('input is missing')
  },
  'tool/result': (event) => {
    text(event, 'toolCallId')
    text(event, 'name')
    if (event['status'] !== 'ok' && event['status'] !== 'error') throw new Error("status has to be 'ok' or 'error'")
    if (event['output'] === undefined) throw new Error('output is missing')
  },
  'turn/end': (event) => {
    count(event, 'turn')
    const reason = object(event['reason'], 'reason')
    text(reason, 'kind')
    if (reason['kind'] === 'error') text(reason, 'message')
  },
}

/** @throws Error saying what is wrong */
export function checkEvent(value: unknown, seq: number): SessionEvent {
  const event = object(value, 'an event')
  if (event['seq'] !== seq) throw new Error(`its seq is ${JSON.stringify(event['seq'])} and has to be ${seq}`)
  number(event, 'at')
  const { type } = event
  if (typeof type !== 'string' || !Object.hasOwn(checks, type)) throw new Error(`its type ${JSON.stringify(type)} is not known`)
  checks[type as SessionEvent['type']](event)
  return event as unknown as SessionEvent
}

function object(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} has to be an object`)
  return value as Fields
}
function text(fields: Fields, name: string): void {
  if (typeof fields[name] !== 'string') throw new Error(`${name} has to be a string`)
}
function number(fields: Fields, name: string): void {
  if (typeof fields[name] !== 'number') throw new Error(`${name} has to be a number`)
}
function count(fields: Fields, name: string): void {
  if (!Number.isSafeInteger(fields[name]) || (fields[name] as number) < 0) throw new Error(`${name} has to be a whole number from 0`)
}
function content({ content: blocks }: Fields): void {
  if (!Array.isArray(blocks)) throw new Error('content has to be an array of content blocks')
  for (const [index, block] of blocks.entries()) checkBlock(block, `content[${index}]`)
}
