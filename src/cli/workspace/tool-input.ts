/** Checks of what a model put into a tool call: a wrong type gets a message that it can mend from. */
import { WorkspaceError } from './workspace-error.ts'

type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(input: unknown): Fields {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Fields
  throw new WorkspaceError('invalid-input', 'The arguments of the call are not an object.')
}

export function textField(input: Fields, name: string): string | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new WorkspaceError('invalid-input', `${name} must be a string, not ${describe(value)}.`)
}

export function requiredText(input: Fields, name: string): string {
  const value = textField(input, name)
  if (value === undefined) throw new WorkspaceError('invalid-input', `${name} is missing. It must be a string.`)
  return value
}

export function flagField(input: Fields, name: string): boolean | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  throw new WorkspaceError('invalid-input', `${name} must be true or false, not ${describe(value)}.`)
}

/** A whole number from 1. */
export function lineField(input: Fields, name: string): number | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new WorkspaceError('invalid-input', `${name} must be a whole number from 1, not ${describe(value)}.`)
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
