import { describe, expect, it } from 'vitest'
import { judge } from '../../scripts/size/verdict.ts'
import { readProjectFile } from './source-files.ts'

const file = 'budgets.json'
const size = { entry: './hooks', atOnce: 10_540, later: 0 }

describe('the budgets of the entries', () => {
  it('an entry within its budget is a row of the table and nothing else', () => {
    expect(judge([size, { entry: '.', atOnce: 1000, later: 200 }], { './hooks': 10.54, '.': 2 }, file)).toEqual({
      table: [
        'entry                  kB       budget loaded later',
        './hooks              10.5         10.5',
        '.                     1.0          2.0          0.2',
      ].join('\n'),
      problems: [],
    })
  })

  it('an entry over its budget is a problem, with how to raise it on purpose', () => {
    expect(judge([size], { './hooks': 10 }, file).problems).toEqual([
      './hooks is 10.5 kB, over its budget of 10.0 kB. Find what it has come to import, and load that later or leave it out. ' +
        'Where it is worth its size, raise the budget in budgets.json in the same commit, which says why.',
    ])
  })

  it('an entry without a budget is a problem, and a budget without an entry', () => {
    expect(judge([size], { './gone': 10 }, file).problems).toEqual([
      './hooks has no budget. Give it one in budgets.json, a little above 10.5.',
      'budgets.json has a budget for ./gone, which is no entry.',
    ])
  })

  it('each entry of the package has one', () => {
    const { exports } = JSON.parse(readProjectFile('package.json')) as { exports: Record<string, unknown> }
    expect(Object.keys(JSON.parse(readProjectFile('scripts/size/budgets.json')) as object)).toEqual(
      Object.keys(exports).filter((entry) => entry !== './package.json'),
    )
  })
})
