/** A result that is given by a tool of ours, over MCP. */
import { running, works } from '../outcomes.ts'
import type { Misbehaviour } from '../misbehaviour.ts'

export const mcp: readonly Misbehaviour[] = [
  {
    row: 34,
    mode: 'ignores-mcp-servers',
    does: 'ignores the MCP server by which it could give its result',
    wantsResult: true,
    gives: {
      stopReason: 'error',
      failure: running('NO_STRUCTURED_OUTPUT', true),
      text: ['The answer is 42.'],
      says: ['no call of structured_output, and no JSON object in its text', 'It never asked its MCP server for the tool'],
      afterMs: 5000,
      endedBy: 'eof',
    },
  },
  {
    row: 34,
    mode: 'writes-its-result',
    does: 'ignores the MCP server, and writes its result as JSON where it is asked for that',
    wantsResult: true,
    gives: { ...works, text: ['Here it is:\n```json\n{"answer":42}\n```'], structured: { answer: 42 }, afterMs: 5000 },
  },
  {
    row: 34,
    mode: 'connects-late',
    does: 'connects to MCP servers after it has opened its session',
    wantsResult: true,
    gives: { ...works, text: ['given'], structured: { answer: 42 } },
  },
  {
    row: 34,
    mode: 'hides-that-it-cannot-connect',
    does: 'fails to connect to the MCP server and does not say so',
    wantsResult: true,
    gives: {
      stopReason: 'error',
      failure: running('NO_STRUCTURED_OUTPUT', true),
      text: ['It has no such tool.'],
      says: ['no call of structured_output, and no JSON object in its text', 'It never asked its MCP server for the tool'],
      afterMs: 5000,
      endedBy: 'eof',
    },
  },
]
