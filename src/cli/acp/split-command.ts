import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'

/**
 * The words of a command as it is typed into quotes: parted at blanks, with '…', "…" and \ as in a shell, and nothing else of
 * one. It is not given to a shell.
 *
 * @throws UsageError
 */
export function splitCommand(text: string): [program: string, ...args: string[]] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '\\' && quote !== "'" && index + 1 < text.length) word = (word ?? '') + text[++index]!
    else if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') throw new UsageError(`--command ${JSON.stringify(text)}: the quote ${quote} is not closed.`)
  if (word !== undefined) words.push(word)
  const [program, ...args] = words
  if (program === undefined || program === '')
    throw new UsageError('--command is empty. Give the program that speaks ACP with its arguments: --command "opencode acp"')
  return [program, ...args]
}

/**
 * A word that is the path of a file from here, as the agent starts in another folder. A name without a slash is none: it is
 * looked up in PATH, or means something to the program.
 */
export function fromHere(word: string, cwd: string): string {
  if (!/[/\\]/.test(word) || word.startsWith('-')) return word
  const path = resolve(cwd, word)
  return existsSync(path) ? path : word
}
