import { describe, expect, it } from 'vitest'
import { jsonOutput } from '../../../src/cli/output/json-output.ts'
import { secretFilter } from '../../../src/run/secrets.ts'
import { fakeIo } from '../fake-io.ts'

describe('--json', () => {
  it('C5: stays JSON with its own fields and words, whatever the keys of the environment are', () => {
    const io = fakeIo([])
    const keys = {
      A_API_KEY: '","text":"',
      B_API_KEY: 'completed',
      C_API_KEY: 'subagent/update',
      D_API_KEY: 'toolCallId',
      E_API_KEY: 'sk-12345678',
    }
    const output = jsonOutput(io, 'local/m', secretFilter(keys))
    output.event({
      type: 'subagent/update',
      id: 'e',
      runId: 'r',
      provider: 'spawn',
      update: {
        runId: 'r',
        seq: 0,
        at: 0,
        type: 'tool-call',
        toolCallId: '1',
        name: 'read_file',
        input: { 'sk-12345678': ['a sk-12345678', 1, null], ['__proto__']: 'x' },
      },
    })
    output.end({
      result: { output: [{ type: 'text', text: 'is sk-12345678 completed' }], stopReason: 'completed' },
      usage: {},
      interrupted: false,
    })
    expect(io.out().trimEnd().split('\n')).toEqual([
      '{"type":"subagent/update","id":"e","runId":"r","provider":"spawn","update":{"runId":"r","seq":0,"at":0,"type":"tool-call","toolCallId":"1","name":"read_file",' +
        '"input":{"[redacted]":["a [redacted]",1,null],"__proto__":"x"}}}',
      '{"type":"result","model":"local/m","stopReason":"completed","output":[{"type":"text","text":"is [redacted] [redacted]"}],"usage":{}}',
    ])
  })
})
