import type { Tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { workspaceTools } from '../../../src/cli/workspace/workspace-tools.ts'
import { temporaryFolder } from './temporary-folder.ts'

const call = async (folder: string, name: string, input: unknown, abortSignal?: AbortSignal): Promise<unknown> => {
  const tool = workspaceTools(await openWorkspace(folder))[name] as Tool<unknown, unknown>
  return tool.execute!(input, { toolCallId: 'call', messages: [], ...(abortSignal ? { abortSignal } : {}) })
}

describe('workspace tools', () => {
  it('C4: list, read and search the same folder', async () => {
    const folder = await temporaryFolder({ 'a/b.txt': 'one\ntwo' })
    expect(await call(folder, 'list_files', {})).toMatchObject({ files: ['a/b.txt'] })
    expect(await call(folder, 'list_files', { path: 'a' })).toMatchObject({ path: 'a', files: ['a/b.txt'] })
    expect(await call(folder, 'read_file', { path: 'a/b.txt', startLine: 2 })).toMatchObject({ text: 'two' })
    expect(await call(folder, 'search_files', { query: 'two' })).toMatchObject({ matches: [{ path: 'a/b.txt', line: 2, text: 'two' }] })
  })

  it('C4: tell a model what is wrong with its arguments', async () => {
    const folder = await temporaryFolder({ a: '' })
    await expect(call(folder, 'read_file', {})).rejects.toThrow('path is missing. It must be a string.')
    await expect(call(folder, 'read_file', { path: 'a', startLine: '2' })).rejects.toThrow(
      'startLine must be a whole number from 1, not "2".',
    )
    await expect(call(folder, 'search_files', { query: 'x', regex: 'yes' })).rejects.toThrow('regex must be true or false, not "yes".')
    await expect(call(folder, 'list_files', 'a')).rejects.toThrow('not an object')
  })

  it('C4: honour the signal of the call', async () => {
    const folder = await temporaryFolder({ a: '' })
    for (const [name, input] of [
      ['list_files', {}],
      ['read_file', { path: 'a' }],
      ['search_files', { query: 'x' }],
    ] as const) {
      await expect(call(folder, name, input, AbortSignal.abort(new Error('enough'))), name).rejects.toThrow('enough')
    }
  })
})
