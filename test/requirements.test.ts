import { describe, expect, it } from 'vitest'
import { citationProblems, citationsOf, manifestProblems, titlesOf } from './project/citations.ts'
import { listProjectFiles, readProjectFile } from './project/source-files.ts'
import { currentIssue, requirements } from './requirements.ts'
import type { Requirement } from './requirements.ts'

describe('the contract and the tests', () => {
  it('K6: the manifest lists every id of the contract once, in order, with its sentence and its issue', () => {
    expect(manifestProblems(requirements)).toEqual([])
    const counts: Record<string, number> = {}
    for (const { id } of requirements) counts[id[0]!] = (counts[id[0]!] ?? 0) + 1
    expect(counts).toEqual({ V: 7, R: 18, S: 28, G: 13, P: 16, A: 26, T: 15, H: 7, K: 7, I: 6, C: 8 })
  })

  it('K6: every id that is due is cited by a test, and no test cites an unknown one', () => {
    const titles = listProjectFiles('test', '.test.ts').flatMap((path) => titlesOf(path, readProjectFile(path)))
    expect(citationProblems(requirements, currentIssue, titles)).toEqual([])
  })
})

describe('the gate itself', () => {
  const rows: Requirement[] = [
    { id: 'R1', since: 1, sentence: 'The first thing holds.' },
    { id: 'R2', since: 1, sentence: 'The second thing holds.' },
    { id: 'R3', since: 2, sentence: 'The third thing will hold.' },
  ]
  const problems = (source: string): string[] => citationProblems(rows, 1, titlesOf('a.test.ts', source))

  it('K6: passes where every due id is cited, alone, in a list, in brackets, by a suite or through each', () => {
    expect(problems(`it('R1, R2: both')`)).toEqual([])
    expect(problems(`describe('R1: one', () => { it.each([1])('two of %s (R2)', () => {}) })`)).toEqual([])
    expect(problems('it(`R1: ${name}`); test.concurrent(`${name} (R2)`, () => {})')).toEqual([])
    expect(problems(`it('R1, R2: both'); it('R3: early')`)).toEqual([])
  })

  it('K6: fails on an id that no test cites', () => {
    expect(problems(`it('R1: one')`)).toEqual(['No test cites R2: The second thing holds.'])
  })

  it('K6: does not take a skipped test, a comment, a string elsewhere or an id inside a sentence for a citation', () => {
    const missing = ['No test cites R2: The second thing holds.']
    for (const source of [
      `it.skip('R2: two')`,
      `describe.skip('x', () => { it('R2: two') })`,
      `it.todo('R2: two')`,
      `// it('R2: two')`,
      `expect('R2: two')`,
      `it('as R2 says')`,
      `it(name + 'R2: two')`,
    ])
      expect(problems(`it('R1: one'); ${source}`), source).toEqual(missing)
  })

  it('K6: fails on an unknown id, and says where', () => {
    expect(problems(`it('R1, R2: both')\n\nit('R9: nine')`)).toEqual(['a.test.ts:3 cites R9, which is no requirement.'])
    expect(problems(`it('R1, R2: both (Z1)')`)).toEqual(['a.test.ts:1 cites Z1, which is no requirement.'])
  })

  it('K6: fails on what looks like a citation and is none', () => {
    for (const list of ['R1/R2', 'R1,R2', 'R1 R2', 'R1–R2', 'R1, R2,'])
      expect(problems(`it('R1, R2: both'); it('${list}: x')`), list).toEqual([
        `a.test.ts:1: ${JSON.stringify(list)} is no list of ids. Write R1, R2: with a comma and a space.`,
      ])
    expect(citationsOf('HTTP 500: retried')).toEqual({ ids: [] })
  })

  it('K6: fails on a manifest with an id twice, out of order or malformed, without a sentence, of no issue', () => {
    const [first, second, third] = rows as [Requirement, Requirement, Requirement]
    expect(manifestProblems(rows)).toEqual([])
    expect(manifestProblems([first, first])).toEqual(['R1 is listed twice.'])
    expect(manifestProblems([first, third])).toEqual(['R3 is out of order: R2 should come here.'])
    expect(manifestProblems([{ ...first, id: 'R01' }])).toEqual(['"R01" is no id: a capital letter and a number from 1 are.'])
    expect(manifestProblems([first, { ...second, sentence: ' ' }])).toEqual(['R2 has no sentence.'])
    expect(manifestProblems([{ ...first, since: 7 as 6 }])).toEqual(['R1: since is 7, and an issue is 1 … 6.'])
    expect(manifestProblems([{ ...first, since: 3, whole: 2 }])).toEqual(['R1: whole is 2, and has to be an issue after 3.'])
  })
})
