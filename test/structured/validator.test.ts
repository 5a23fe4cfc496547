import * as valibot from 'valibot'
import { describe, expect, it } from 'vitest'
import * as zod from 'zod'
import { checkOfJsonSchema } from '../../src/structured/json-schema.ts'
import { describeIssues, describeIssuesSafely } from '../../src/structured/issues.ts'
import type { Issue } from '../../src/structured/issues.ts'
import { createOutputValidator } from '../../src/structured/validator.ts'
import type { Validation } from '../../src/structured/validator.ts'

const linesOf = (validation: Validation): string[] =>
  'issues' in validation ? describeIssues(validation.issues).split('\n') : [`fits: ${JSON.stringify(validation.value)}`]
const check = async (schema: unknown, value: unknown) => linesOf(await createOutputValidator(schema).validate(value))

const report = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 3 },
    rank: { enum: ['low', 'high'] },
    items: { type: 'array', items: { type: 'object', properties: { 'a b': { type: 'number' } }, required: ['a b'] } },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['title', 'items'],
  additionalProperties: false,
}

describe('JSON Schema', () => {
  it('P9: a value that fits is given back as a copy', () => {
    const value = { title: 'Cats', items: [{ 'a b': 1 }] }
    const validation = createOutputValidator(report).validate(value) as { value: typeof value }
    expect(validation).toEqual({ value })
    expect(validation.value).not.toBe(value)
    expect(validation.value.items).not.toBe(value.items)
  })

  it('P9: each issue has its path, what was expected and what was there, and never the whole value', async () => {
    const long = 'x'.repeat(500)
    expect(
      await check(report, { title: 'a', rank: long, items: [{ 'a b': 1 }, { 'a b': 'one' }, {}], extra: { deep: long }, at: 'soon' }),
    ).toEqual([
      '- extra: is not allowed; allowed are title, rank, items, at',
      '- title: must NOT have fewer than 3 characters, was "a"',
      `- rank: must be one of "low", "high", was "${'x'.repeat(40)}"… (500 characters)`,
      '- items[1]["a b"]: must be number, was "one"',
      '- items[2]["a b"]: is required and is missing (number)',
      '- at: must match format "date-time", was "soon"',
    ])
    expect(await check(report, {})).toEqual(['- title: is required and is missing (string)', '- items: is required and is missing (array)'])
    expect(await check(report, ['a'])).toEqual(['- the value: must be object, was an array of 1'])
    expect(await check(report, null)).toEqual(['- the value: must be object, was null'])
  })

  it('P9: more issues than a model reads at once are counted', async () => {
    const lines = await check(
      { type: 'object', additionalProperties: { type: 'number' } },
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, 'no'])),
    )
    expect(lines).toHaveLength(13)
    expect(lines.at(-1)).toBe('- and 28 more')
  })

  it('P9: 2020-12 is the default, draft-07 goes by $schema', async () => {
    const tuple = { type: 'object', properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } } }
    expect(await check(tuple, { pair: [1, 1] })).toEqual(['- pair[0]: must be string, was 1'])
    expect(await check({ ...tuple, $schema: 'https://json-schema.org/draft/2020-12/schema' }, { pair: [1, 1] })).toHaveLength(1)
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
    }
    expect(await check(old, { pair: [1] })).toEqual(['- pair[0]: must be string, was 1'])
    expect(await check(old, { pair: ['a', 2] })).toEqual(['- pair: must NOT have more than 1 items, was an array of 2'])
    // A keyword of the later draft means nothing in the earlier one.
    expect(await check({ ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' }, { pair: [1, 1] })).toEqual([
      'fits: {"pair":[1,1]}',
    ])
  })

  it('P9, S11: a schema that cannot be compiled is refused with the reason of the compiler', () => {
    const refused = (schema: object) => () => createOutputValidator(schema)
    expect(refused({ type: 'object', properties: { a: { type: 'strnig' } } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(
          /^outputSchema is not a schema that can be checked: schema is invalid: data\/properties\/a\/type must be/,
        ),
      }),
    )
    expect(refused({ type: 'object', properties: { a: { $ref: '#/$defs/missing' } } })).toThrow(
      /can't resolve reference #\/\$defs\/missing/,
    )
    expect(refused({ type: 'object', properties: { a: { pattern: '(' } } })).toThrow(/outputSchema .*pattern|Invalid regular expression/)
    expect(refused({ type: 'object', $async: true })).toThrow(/\$async is no keyword/)
    expect(refused({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' })).toThrow(
      /outputSchema\.\$schema must be that of 2020-12 .* got "http:\/\/json-schema.org\/draft-04\/schema#"/,
    )
  })

  it('P9: a schema is compiled once, also as a copy; two that share an $id are two', async () => {
    const first = checkOfJsonSchema(structuredClone(report))
    expect(checkOfJsonSchema(structuredClone(report))).toBe(first)
    const named = (type: string) => ({ $id: 'https://example.test/result', type: 'object', properties: { a: { type } } })
    expect(await check(named('string'), { a: 1 })).toEqual(['- a: must be string, was 1'])
    expect(await check(named('number'), { a: 1 })).toEqual(['fits: {"a":1}'])
    expect(await check(named('string'), { a: 1 })).toEqual(['- a: must be string, was 1'])
  })

  it.each([
    ['https://json-schema.org/draft/2020-12/schema', 'https://json-schema.org/draft/2020-12/schema'],
    ['https://json-schema.org/draft/2020-12/meta/validation', 'https://json-schema.org/draft/2020-12/schema'],
    ['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-07/schema', 'http://json-schema.org/draft-07/schema#'],
  ])('P9: a schema with the $id of a meta-schema, %s, is refused alone, as a whole and as a part', async ($id, $schema) => {
    const plain = (title: string) => ({ $schema, title, type: 'object', properties: { n: { type: 'number' } } })
    for (const named of [
      { $id, ...plain(`whole ${$id}`) },
      { ...plain(`part ${$id}`), properties: { n: { $ref: '#/$defs/a' } }, $defs: { a: { $id, type: 'number' } } },
    ]) {
      expect(() => createOutputValidator(named)).toThrowError(expect.objectContaining({ code: 'INVALID_REQUEST' }))
      expect(await check(plain(`after ${JSON.stringify(named)}`), { n: 'one' })).toEqual(['- n: must be number, was "one"'])
      expect(() => createOutputValidator({ ...plain('bad'), type: 'nope' })).toThrowError('type must be equal to one of')
    }
  })

  it('P9: a schema, or a part of it, that is named is nothing to another schema', async () => {
    const $id = 'https://example.test/part'
    const part = { $id, type: 'number' }
    expect(await check({ type: 'object', properties: { n: { $ref: $id } }, $defs: { part } }, { n: 'one' })).toEqual([
      '- n: must be number, was "one"',
    ])
    expect(() => createOutputValidator({ type: 'object', properties: { n: { $ref: $id } } })).toThrowError(/can't resolve reference/)
    const anchored = (type: string) => ({
      $id: 'https://example.test/whole',
      type: 'object',
      properties: { n: { $ref: '#n' } },
      $defs: { n: { $anchor: 'n', $id: 'part', type } },
    })
    expect(await check({ ...anchored('string'), properties: { n: { $ref: 'part#n' } } }, { n: 1 })).toEqual(['- n: must be string, was 1'])
    expect(await check({ ...anchored('number'), properties: { n: { $ref: 'part#n' } } }, { n: 1 })).toEqual(['fits: {"n":1}'])
  })

  it('P9: unknown keywords and formats are annotations; $defs, inherited names and names with slashes are read as they are', async () => {
    expect(await check({ type: 'object', 'x-order': 1, properties: { a: { type: 'string', format: 'colour' } } }, { a: 'red' })).toEqual([
      'fits: {"a":"red"}',
    ])
    const schema = { type: 'object', $defs: { n: { type: 'number' } }, properties: { 'a/b~c': { $ref: '#/$defs/n' } } }
    expect(await check(schema, { 'a/b~c': 'x' })).toEqual(['- ["a/b~c"]: must be number, was "x"'])
    expect(await check({ type: 'object', required: ['toString'] }, {})).toEqual(['- toString: is required and is missing'])
  })

  it('P9: the errors of the branches of an anyOf are told by path', async () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }
    expect(await check(schema, { a: true })).toEqual([
      '- a: must be string, was true',
      '- a: must be number, was true',
      '- a: must match a schema in anyOf, was true',
    ])
  })
})

describe('Standard Schema', () => {
  it('P9, V4: its own validate decides, and what fits is its output', async () => {
    const schema = zod.object({ when: zod.iso.datetime().transform((text) => new Date(text)), tags: zod.array(zod.string()).default([]) })
    expect(await createOutputValidator(schema).validate({ when: '2026-01-02T03:04:05Z' })).toEqual({
      value: { when: new Date('2026-01-02T03:04:05Z'), tags: [] },
    })
  })

  it('P9: issues have paths and what was there, with zod and with valibot', async () => {
    expect(await check(zod.object({ a: zod.object({ b: zod.array(zod.number()) }) }), { a: { b: [1, 'two'] } })).toEqual([
      '- a.b[1]: Invalid input: expected number, received string, was "two"',
    ])
    expect(await check(valibot.object({ a: valibot.array(valibot.object({ b: valibot.number() })) }), { a: [{ b: 'x' }] })).toEqual([
      '- a[0].b: Invalid type: Expected number but received "x", was "x"',
    ])
  })

  it('P9: an asynchronous schema gives a promise, a synchronous one its answer at once', async () => {
    const later = createOutputValidator(zod.object({ a: zod.string().refine(async (text) => text === 'yes', 'must be yes') }))
    // zod refuses to check such a schema synchronously, and answers with a promise.
    const answer = later.validate({ a: 'no' })
    expect(answer).toBeInstanceOf(Promise)
    expect(linesOf(await answer)).toEqual(['- a: must be yes, was "no"'])
    expect(createOutputValidator(valibot.object({})).validate({})).toEqual({ value: {} })
  })

  it('R14, P9: for a diagnostic the issues show nothing of the value', async () => {
    const secret = { a: 'sk-secret', b: 1 }
    const shown = async (schema: unknown) =>
      describeIssuesSafely(((await createOutputValidator(schema).validate(secret)) as { issues: Issue[] }).issues)
    expect(await shown({ type: 'object', properties: { a: { type: 'number' }, b: { enum: [2] } } })).toBe(
      '- a: must be number\n- b: must be one of 2',
    )
    expect(await shown(valibot.object({ a: valibot.number() }))).toBe('- a: does not fit')
  })

  it('P9: a schema that throws or rejects is an issue, never an error', async () => {
    const standard = (validate: () => never) => ({ '~standard': { version: 1, vendor: 'test', validate } })
    const throwing = standard(() => {
      throw new Error('out of order')
    })
    const rejecting = standard((() => Promise.reject(new Error('no connection'))) as never)
    expect(await check(throwing, {})).toEqual(['- the value: could not be checked: Error: out of order'])
    expect(await check(rejecting, {})).toEqual(['- the value: could not be checked: Error: no connection'])
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect(await check({ type: 'object' }, cyclic)).toEqual([expect.stringMatching(/^- the value: could not be checked: RangeError/)])
  })
})
