import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { viewer } from '../../inspect/viewer.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'

describe('--inspect=stately', { timeout: 60_000 }, () => {
  it('I2: prints an address at which the finished runs are still to be seen, until Ctrl-C', async () => {
    buildProgram()
    const program = startProgram(['demo', '--inspect=stately'])
    await program.shows('The inspector stays until Ctrl-C.')
    const url = /Inspector: (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\/)/.exec(program.text())![1]!
    expect((await fetch(url)).status).toBe(200)
    const watching = await viewer(`${url.replace('http', 'ws')}events`)
    await watching.has(({ type, snapshot }) => type === '@xstate.snapshot' && snapshot?.value === 'closed')
    const names = watching.messages.flatMap(({ type, name }) => (type === '@xstate.actor' ? [name!] : []))
    expect(names.filter((name) => name.startsWith('TODOs in ')).length).toBe(3)
    expect(names.some((name) => name.startsWith('task ('))).toBe(true)
    program.signal('SIGINT')
    expect((await program.ended).code).toBe(0)
    await watching.ended
  })

  it('I2: Ctrl-C in the middle of it ends it at once', async () => {
    const io = fakeIo(['demo', '--inspect=stately'], { onErr: (text) => text.includes('start ') && io.interrupt() })
    expect(await runCli(io)).toBe(130)
    expect(io.err()).not.toContain('stays until')
  })

  it('I2, C7: another viewer is refused, with what there is', async () => {
    const io = fakeIo(['demo', '--inspect=statly'])
    expect(await runCli(io)).toBe(2)
    expect(io.err()).toBe('--inspect "statly": there is no such viewer. Did you mean stately?\n')
  })
})
