import { mkdtemp, open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../src/run/system-errors.ts'

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
  } catch (thrown) {
    return thrown
  }
  throw new Error('Nothing was thrown.')
}

describe('failed calls of the system', () => {
  it('A5, I4: are told in words, without path and call', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reasons-'))
    const reason = async (work: () => unknown): Promise<string> => reasonOf(await thrownBy(work))
    expect(await reason(() => readFile(join(folder, 'none')))).toBe('there is no such file or directory.')
    expect(await reason(() => readFile(folder))).toBe('it is a directory.')
    expect(await reason(() => open(join(folder, 'x'.repeat(300)), 'w'))).toBe('its name is too long.')
  })

  it('A5, I4: keep the message of Node where that says more than the code, and the code of one that has no words', async () => {
    expect(reasonOf(await thrownBy(() => createServer().listen(70_000)))).toMatch(/^options\.port should be >= 0 and < 65536.*[^.]\.$/)
    expect(reasonOf(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))).toBe('EIO.')
    expect(reasonOf(new Error('it is no directory'))).toBe('it is no directory.')
    expect(reasonOf('broken')).toBe('broken.')
  })

  it('A5, I4: take the narrower words of whoever asks', () => {
    expect(reasonOf(Object.assign(new Error('x'), { code: 'ENOENT' }), { ENOENT: 'it is gone.' })).toBe('it is gone.')
  })
})
