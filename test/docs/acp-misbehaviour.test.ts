import { describe, expect, it } from 'vitest'
import { misbehaviourPage, renderMisbehaviour } from '../../scripts/docs/acp-misbehaviour.ts'
import { readProjectFile } from '../project/source-files.ts'
import { families } from '../providers/acp/misbehaviour/table.ts'

describe('the page of what an ACP agent may do wrong', () => {
  it('A25: is as the table makes it; `npm run docs` makes it', () => {
    expect(readProjectFile(misbehaviourPage)).toBe(renderMisbehaviour())
  })

  it('A25: has every row of the table, in a table of five columns', () => {
    const cells = renderMisbehaviour()
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| The agent'))
      .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    expect(cells.map((row) => row.length)).toEqual(Object.values(families).flatMap((rows) => rows.map(() => 5)))
  })
})
