import { expect, it } from 'vitest'
import { mutants } from './mutants.ts'
import { readProjectFile } from './project/source-files.ts'
import { requirements } from './requirements.ts'

it('K6: every requirement of the run and of the service has one mutant, in their order', () => {
  const ids = requirements.map(({ id }) => id).filter((id) => /^[RS]\d+$/.test(id))
  expect(mutants.map(({ id }) => id)).toEqual(ids)
})

it.each(mutants)('K6: the mutant of $id still fits its source', ({ file, find, replace }) => {
  const parts = readProjectFile(`src/${file}`).split(find)
  expect(parts.length - 1, `${JSON.stringify(find)} in src/${file}`).toBe(1)
  expect(replace).not.toBe(find)
})
