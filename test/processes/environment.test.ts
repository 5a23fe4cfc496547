import { describe, expect, it } from 'vitest'
import { childEnvironment } from '../../src/processes/environment.ts'

const host = {
  PATH: '/bin',
  HOME: '/home/ada',
  LANG: 'C',
  LC_ALL: 'C',
  XDG_CONFIG_HOME: '/c',
  TERM: 'dumb',
  TMPDIR: '/tmp',
  TZ: 'UTC',
  https_proxy: 'http://proxy',
  NO_PROXY: 'localhost',
  SSL_CERT_FILE: '/certs',
  NODE_EXTRA_CA_CERTS: '/ca',
}
const kept = {
  ANTHROPIC_API_KEY: 'secret',
  AWS_PROFILE: 'secret',
  GITHUB_TOKEN: 'secret',
  DATABASE_URL: 'secret',
  NODE_OPTIONS: '--require /x',
  SSH_AUTH_SOCK: '/s',
  SUBAGENT_RUN_MARKER: 'another',
  MY_PATH: 'secret',
  path: 'secret',
}

describe('the environment of a child', () => {
  it('A21: of the host it has what programs need to run, and nothing else', () => {
    expect(childEnvironment({}, { ...host, ...kept, SHELL: '() { :; }; echo', USER: undefined }, 'linux')).toEqual(host)
  })

  it('A21: what is given explicitly comes on top, also a key; undefined takes a variable away', () => {
    expect(
      childEnvironment(
        { ANTHROPIC_API_KEY: 'mine', LANG: 'de', HOME: undefined, NOT_THERE: undefined },
        { PATH: '/bin', HOME: '/h', LANG: 'C' },
        'linux',
      ),
    ).toEqual({
      PATH: '/bin',
      LANG: 'de',
      ANTHROPIC_API_KEY: 'mine',
    })
  })

  it('A21: by default it is made from that of this process', () => {
    expect(childEnvironment()).toMatchObject({ PATH: process.env['PATH'] })
    expect(Object.keys(childEnvironment())).not.toContain('VITEST')
  })

  it('A21: on Windows names have no case, and a variable is there once', () => {
    const windows = { Path: 'C:\\', SystemRoot: 'C:\\Windows', ComSpec: 'cmd', 'ProgramFiles(x86)': 'P', AppData: 'A', Api_Key: 'secret' }
    expect(childEnvironment({ PATH: 'D:\\', systemroot: undefined }, windows, 'win32')).toEqual({
      PATH: 'D:\\',
      ComSpec: 'cmd',
      'ProgramFiles(x86)': 'P',
      AppData: 'A',
    })
    expect(childEnvironment({}, windows, 'linux')).toEqual({})
  })

  it('A21: what no variable can be is refused, without its value in the message', () => {
    for (const [explicit, message] of [
      [{ 'KEY=secret': 'x' }, 'env must be names without "=" and NUL that are not empty, got "KEY".'],
      [{ '': 'x' }, 'env must be names without "=" and NUL that are not empty, got "".'],
      [{ KEY: 'sec\0ret' }, 'env.KEY must be a string without NUL, or undefined to take the variable away, got "string".'],
      [{ KEY: 5 as never }, 'env.KEY must be a string without NUL, or undefined to take the variable away, got "number".'],
    ] as const)
      expect(() => childEnvironment(explicit as Record<string, string>, {})).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', message }),
      )
  })
})
