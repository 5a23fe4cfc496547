import { chmod } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programName } from '../../src/cli/program-name.ts'
import { temporaryFolder } from './workspace/temporary-folder.ts'

describe('how the program is started', () => {
  it('C3: by its name where PATH has it to stay, else through npx', async () => {
    const folder = await temporaryFolder({ 'bin/subagents': '', 'node_modules/.bin/subagents': '', 'other/subagents': 'no program' })
    for (const path of ['bin', 'node_modules/.bin']) await chmod(join(folder, path, 'subagents'), 0o755)
    const name = (...paths: string[]) => programName({ PATH: paths.map((path) => join(folder, path)).join(delimiter) })
    expect(name('other', 'bin')).toBe('subagents')
    expect(name('other', 'node_modules/.bin', 'node_modules/.bin/')).toBe('npx subagents')
    expect(programName({})).toBe('npx subagents')
    expect(programName({ PATH: 'bin' })).toBe('npx subagents')
  })
})
