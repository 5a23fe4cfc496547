import { describe, expect, it } from 'vitest'
import { parseMatcher } from '../../src/hooks/matcher.ts'
import { createHooksBench } from './harness.ts'

const types = ['code-reviewer', 'reviewer', 'Explore', 'general-purpose', 'my-plugin:reviewer']
const matched = (matcher: string | undefined): string[] => types.filter(parseMatcher(matcher)!)

describe('the matcher', () => {
  it.each<[string, string | undefined, string[]]>([
    ['absent, all', undefined, types],
    ["'', all", '', types],
    ['*, all', '*', types],
    ['a name, exactly', 'reviewer', ['reviewer']],
    ['a name with a hyphen, exactly', 'code-reviewer', ['code-reviewer']],
    ['names with bars, each exactly', 'Explore|reviewer', ['reviewer', 'Explore']],
    ['another case, none', 'explore', []],
    ['anything else, an unanchored expression', '.*reviewer', ['code-reviewer', 'reviewer', 'my-plugin:reviewer']],
    ['an expression with anchors', '^(code-)?reviewer$', ['code-reviewer', 'reviewer']],
    ['a colon makes an expression', 'plugin:rev', ['my-plugin:reviewer']],
  ])('H3: %s', (_, matcher, expected) => {
    expect(matched(matcher)).toEqual(expected)
  })

  it('H3: an invalid expression never matches and warns once, whatever is started', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge({
      SubagentStart: [
        { matcher: '(', hooks: [{ command: 'echo never >>log' }] },
        { matcher: '', hooks: [{ command: 'echo always >>log' }] },
      ],
    })
    await bench.delegate(bridge)
    await bench.delegate(bridge)
    expect(await bench.lines('log')).toEqual(['always', 'always'])
    expect(bench.warnings).toEqual(['Hooks: SubagentStart[0].matcher is no valid regular expression: it never matches.'])
  })

  it('H2, H3: agentType names the kind of a child from its provider and its request; a throw gives the default', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(
      {
        SubagentStart: [
          { matcher: 'reviewer', hooks: [{ command: 'echo reviewer >>log' }] },
          { matcher: 'general-purpose', hooks: [{ command: 'echo other >>log' }] },
        ],
      },
      {
        agentType: (provider, request) => {
          if (request?.label === 'bad') throw new Error('no idea')
          return provider === 'hand' && request?.label === 'Review' ? 'reviewer' : undefined
        },
      },
    )
    for (const label of ['Review', 'Write', 'bad']) await bench.delegate(bridge, { label })
    expect(await bench.lines('log')).toEqual(['reviewer', 'other', 'other'])
    expect(bench.warnings).toEqual(['agentType of the hooks threw: Error: no idea'])
  })
})
