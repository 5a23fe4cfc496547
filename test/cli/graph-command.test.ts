import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { graphFormats, graphOf, graphSubjects } from '../../src/graph/index.ts'
import { fakeIo } from './fake-io.ts'

const graph = async (...argv: string[]) => {
  const io = fakeIo(['graph', ...argv])
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}

describe('subagents graph', () => {
  it('K7: prints each machine in each format, mermaid where none is named', async () => {
    for (const [name, config] of Object.entries(graphSubjects))
      for (const format of graphFormats)
        expect(await graph(name, '--format', format)).toEqual({ code: 0, out: graphOf(config, format), err: '' })
    expect((await graph('run')).out).toBe(graphOf(graphSubjects.run, 'mermaid'))
  })

  it('K7: a machine or a format that is not there exits 2, with a suggestion or all there are', async () => {
    expect(await graph('rn')).toEqual({ code: 2, out: '', err: 'graph "rn": there is no such machine. Did you mean run?\n' })
    expect(await graph('acme')).toEqual({
      code: 2,
      out: '',
      err: 'graph "acme": there is no such machine. There are run, registry, agent, acp.\n',
    })
    expect(await graph('run', '--format', 'mermiad')).toEqual({
      code: 2,
      out: '',
      err: '--format "mermiad": there is no such format. Did you mean mermaid?\n',
    })
    expect(await graph('run', '--format', 'svg')).toEqual({
      code: 2,
      out: '',
      err: '--format "svg": there is no such format. There are mermaid, json, dot.\n',
    })
    expect(await graph()).toMatchObject({ code: 2, out: '', err: expect.stringContaining("missing required argument 'machine'") })
  })

  it('K7: the help names the machines and formats that there are', async () => {
    const { out } = await graph('--help')
    for (const name of [...Object.keys(graphSubjects), ...graphFormats]) expect(out).toMatch(new RegExp(`\\b${name}\\b`))
  })
})
