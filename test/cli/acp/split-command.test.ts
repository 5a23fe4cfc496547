import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fromHere, splitCommand } from '../../../src/cli/acp/split-command.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

describe('the words of --command', () => {
  it.each([
    ['opencode acp', ['opencode', 'acp']],
    ['  "my agent"   --name=\'a "b"\'  ', ['my agent', '--name=a "b"']],
    [String.raw`a\ b "c\"d" 'e\f'`, ['a b', 'c"d', String.raw`e\f`]],
    [`a '' "$HOME;ls"`, ['a', '', '$HOME;ls']],
  ])('C3: %s', (text, words) => {
    expect(splitCommand(text)).toEqual(words)
  })

  it('C7: says what is wrong with it', () => {
    expect(() => splitCommand(' ')).toThrow(/^--command is empty\./)
    expect(() => splitCommand(`a "b`)).toThrow(`--command "a \\"b": the quote " is not closed.`)
  })

  it('C3: a word with a slash that is a file here is taken from here, no other', async () => {
    const folder = await temporaryFolder({ 'agents/mine.js': '', acp: '' })
    expect(fromHere('agents/mine.js', folder)).toBe(join(folder, 'agents/mine.js'))
    expect(fromHere('./acp', folder)).toBe(join(folder, 'acp'))
    for (const word of ['acp', 'other/file.js', '--config=agents/mine.js', '@scope/package', '/bin/sh'])
      expect(fromHere(word, folder)).toBe(word)
  })
})
