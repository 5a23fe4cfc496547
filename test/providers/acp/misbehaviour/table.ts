/**
 * What an ACP agent may do wrong, and what a caller gets (A25): the catalogue, as data. The tests hold every row against a
 * process that does it; the page docs/guide/acp-misbehaviour.md is made of it.
 */
import type { Misbehaviour } from './misbehaviour.ts'
import { framing } from './rows/framing.ts'
import { mcp } from './rows/mcp.ts'
import { permission } from './rows/permission.ts'
import { start } from './rows/start.ts'
import { teardown } from './rows/teardown.ts'
import { turn } from './rows/turn.ts'

export const families: { readonly [name: string]: readonly Misbehaviour[] } = { start, framing, turn, permission, mcp, teardown }
