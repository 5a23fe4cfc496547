import { describe, expect, it } from 'vitest'
import { listProjectFiles, readProjectFile } from './source-files.ts'

/** Nothing between the lines is a change that is nothing to users. */
const wellFormed = /^---\n(?:(['"])xstate-subagents\1: (?:patch|minor|major)\n\n?---\n\n*\S[^]*|\n?---\n[^]*)$/

describe('the changesets', () => {
  it('each names this package, the part of the version that it moves, and what users are told', () => {
    expect(listProjectFiles('.changeset', '.md').filter((path) => !wellFormed.test(readProjectFile(path)))).toEqual([])
  })

  it('another package, another part, and a change without a word are found', () => {
    const texts = [`---\n'xstate-subagents': huge\n---\n\nx\n`, `---\n'other': patch\n---\n\nx\n`, `---\n'xstate-subagents': patch\n---\n`]
    expect(texts.filter((text) => wellFormed.test(text))).toEqual([])
    expect(wellFormed.test(`---\n---\n`)).toBe(true)
  })
})
