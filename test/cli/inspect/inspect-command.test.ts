import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { fold } from '../../inspect/watched.ts'
import { pageViewer } from '../../inspect/page/viewer.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

describe('--inspect', { timeout: 120_000 }, () => {
  it('I3: prints first of all an address at which the finished run is still to be seen with its children, until Ctrl-C', async () => {
    buildProgram()
    const program = startProgram(['demo', '--inspect'])
    await program.shows('The page stays until Ctrl-C.')
    const url = /^.*?Page: (http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/)/s.exec(program.text())![1]!
    const viewer = await pageViewer(url)
    await viewer.has(({ type, data }) => type === 'entries' && JSON.stringify(data).includes('"closed"'))
    const { runs, rootRuns } = fold(viewer.entries())
    const [task] = rootRuns.map((key) => runs.get(key)!)
    expect([task!.label, task!.stopReason, task!.childRuns.length]).toEqual(['task', 'completed', 3])
    expect(task!.childRuns.map((key) => runs.get(key)!.stopReason)).toEqual(['completed', 'completed', 'completed'])
    program.signal('SIGINT')
    const { code, err } = await program.ended
    expect(code).toBe(0)
    expect(err.split('\n')[0]).toBe(`Page: ${url}`)
    await viewer.ended
  })

  it('I3, C7: leaves the task after it a task', async () => {
    const io = fakeIo(['demo', '--inspect', 'Find every TODO'], { onErr: (text) => text.includes('stays until') && io.interrupt() })
    expect(await runCli(io)).toBe(0)
    expect(io.err()).toContain('Page: http://127.0.0.1:')
  })
})

describe('subagents inspect', { timeout: 120_000 }, () => {
  it('I3, I4: serves a recording until Ctrl-C', async () => {
    buildProgram()
    const file = join(await temporaryFolder(), 'runs.jsonl')
    expect(await runCli(fakeIo(['demo', '--record', file]))).toBe(0)
    const program = startProgram(['inspect', '--replay', file])
    await program.shows('It stays until Ctrl-C.')
    const viewer = await pageViewer(/Page: (\S+)/.exec(program.text())![1]!)
    await viewer.ended
    expect(viewer.of('hello')).toMatchObject([{ mode: 'replay', file: 'runs.jsonl' }])
    expect([...fold(viewer.entries()).runs].length).toBe(4)
    program.signal('SIGINT')
    expect((await program.ended).code).toBe(0)
  })

  it('I4, C7: says what is missing or wrong', async () => {
    const told = async (...argv: string[]) => {
      const io = fakeIo(['inspect', ...argv])
      return [await runCli(io), io.err()]
    }
    expect(await told()).toEqual([
      2,
      '--replay is missing. Give the file that --record wrote. To watch runs while they work, use --inspect on run or demo.\n',
    ])
    expect(await told('--replay', '/nowhere.jsonl')).toEqual([
      2,
      expect.stringMatching(/^--replay: \/nowhere\.jsonl cannot be read: there is no such file or directory\. /),
    ])
    expect(await told('--replay', 'x', '--port', '99999')).toEqual([2, '--port "99999" is not a port. Give a number from 0 to 65535.\n'])
  })
})
