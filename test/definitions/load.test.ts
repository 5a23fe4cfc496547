import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadAgentDefinitions } from '../../src/definitions/load.ts'
import type { LoadAgentDefinitionsOptions } from '../../src/definitions/options.ts'
import { SubagentError } from '../../src/errors.ts'
import { temporaryFolder, withoutRoot } from '../cli/workspace/temporary-folder.ts'

const tools = ['list_files', 'read_file', 'search_files', 'subagent']

/** The agents, and each warning without the folder. */
async function load(folder: string, options: LoadAgentDefinitionsOptions = {}) {
  const warnings: string[] = []
  const logger = { debug() {}, error() {}, warn: (message: string) => void warnings.push(message.replaceAll(`${folder}/`, '')) }
  const agents = await loadAgentDefinitions(folder, { tools, logger, ...options })
  return { agents, warnings }
}

/** The lines of the error, without the folder; what a logger heard is not looked at. */
async function problemsOf(folder: string, options: LoadAgentDefinitionsOptions = {}): Promise<string[]> {
  const error: unknown = await load(folder, options).catch((thrown: unknown) => thrown)
  expect(SubagentError.is(error, 'INVALID_REQUEST')).toBe(true)
  const [first = '', ...rest] = (error as SubagentError).message.replaceAll(`${folder}/`, '').replaceAll(folder, 'DIR').split('\n')
  return rest.length === 0 ? [first.replace('The agent definitions cannot be used. ', '')] : rest.map((line) => line.trim())
}

const file = (fields: string, body = 'You work.') => `---\n${fields}\n---\n${body}\n`
const one = async (fields: string, options?: LoadAgentDefinitionsOptions) => {
  const { agents, warnings } = await load(await temporaryFolder({ 'a.md': file(fields) }), options)
  return { agent: agents[0]!, warnings }
}

describe('agent definitions as people write them', () => {
  it('T14: five of them load as the choice of a tool, in the order of their paths, with what the host lacks left out and told', async () => {
    const { agents, warnings } = await load('test/definitions/fixtures/agents', { models: { sonnet: 'vendor/large' } })
    const shown = agents.map(({ persona, description, ...rest }) => ({
      ...rest,
      description: description.split('\n', 1)[0],
      persona: persona?.split('\n', 1)[0],
    }))
    expect(shown).toEqual([
      {
        name: 'code-reviewer',
        provider: 'spawn',
        description: 'Expert code review specialist. Use PROACTIVELY right after writing or changing code.',
        persona: 'You review changes the way a careful colleague would.',
        toolFilter: { allow: ['read_file', 'search_files', 'list_files'] },
      },
      {
        name: 'Docs Writer',
        provider: 'spawn',
        description: 'Schreibt und prüft die Dokumentation – auch ältere Seiten.',
        persona: '# Docs Writer',
        toolFilter: { allow: ['read_file', 'search_files'] },
        model: 'vendor/large',
      },
      {
        name: 'release-notes',
        provider: 'spawn',
        description: 'Writes release notes from merged pull requests.',
        persona: 'Write for people who use the product, not for those who make it.',
        toolFilter: { allow: ['read_file'] },
      },
      {
        name: 'dependency-auditor',
        provider: 'spawn',
        description: 'Use this agent to look for risky dependencies. Examples:',
        persona: 'You look at what a project pulls in, and at who maintains it.',
        toolFilter: { allow: ['read_file', 'search_files'] },
      },
      {
        name: 'test-runner',
        provider: 'spawn',
        description:
          'Use this agent when tests have to be run or repaired. It picks the right tests, runs them and mends what broke: never by making a test weaker. Examples:',
        persona: 'You are an elite test engineer. You know why a test fails before you change a line.',
        toolFilter: { allow: ['read_file', 'list_files', 'search_files'] },
      },
    ])
    const offered = 'Offered: list_files, read_file, search_files, subagent.'
    expect(warnings).toEqual([
      'README.md:1: no front matter (a line --- at the top), so it is no agent definition, and was passed over.',
      `code-reviewer.md:4: Bash: not offered here, left out. ${offered}`,
      `docs-writer.md:4: Write: not offered here, left out. ${offered}`,
      `release-notes.md:12: mcp__github__list_pull_requests: not offered here, left out. ${offered}`,
      `release-notes.md:13: mcp__github__get_pull_request: not offered here, left out. ${offered}`,
      'release-notes.md:14: there is no model haiku here, so the agent has the model of the agent that starts it.',
      'release-notes.md:15: permissionMode, hooks: not supported here, and ignored.',
      `security/dependency-auditor.md:11: Bash(npm audit:*): a part of a tool cannot be given here, left out. ${offered}`,
      `security/dependency-auditor.md:11: mcp__osv: not offered here, left out. ${offered}`,
      'security/dependency-auditor.md:13: there is no model opus here, so the agent has the model of the agent that starts it.',
      `test-runner.md:5: Bash, Write, MultiEdit: not offered here, left out. ${offered}`,
    ])
  })

  it.each([
    ['allowed-tools: Read', 'allowed-tools', 'tools'],
    ['disallowed_tools: Write', 'disallowed_tools', 'disallowedTools'],
    ['Tools: Read', 'Tools', 'tools'],
    ['allowed tools: Read', 'allowed tools', 'tools'],
    ['"allowed-tools": Read', 'allowed-tools', 'tools'],
    ['allowedTools:Read', 'allowedTools', 'tools'],
  ])('T14: a line that looks like a limit is no part of a description that is no valid YAML, but told: %s', async (line, name, meant) => {
    const { agent, warnings } = await one(`name: a\ndescription: Use it: when asked\nand so on: always\n${line}`)
    expect(agent).toEqual({ name: 'a', provider: 'spawn', description: 'Use it: when asked\nand so on: always', persona: 'You work.' })
    expect(warnings).toEqual([`a.md:5: the field ${name} is ignored: it limits nothing. The field that does is ${meant}.`])
  })

  it('T14: tools without a space behind their colon limit an agent all the same', async () => {
    const { agent } = await one('name: a\ndescription: Use it\ntools:Read')
    expect(agent).toMatchObject({ description: 'Use it', toolFilter: { allow: ['read_file'] } })
  })

  it('T14: a backslash and an n are a line break where lines come of it, and none in a path', async () => {
    const described = async (description: string) => (await one(`name: a\ndescription: ${description}`)).agent.description
    expect(await described('Works in C:\\new\\temp and \\notes')).toBe('Works in C:\\new\\temp and \\notes')
    expect(await described('Use it.\\n\\nNot always.\\nOften.')).toBe('Use it.\n\nNot always.\nOften.')
    expect(await described('When asked\\n- once\\n- twice')).toBe('When asked\n- once\n- twice')
  })

  it('T14: what editors and systems leave beside a file is passed over, and told to whoever looks for a fault', async () => {
    const folder = await temporaryFolder({ 'a.md': file('name: a\ndescription: b'), '._a.md': '\u0000\u0005', '.a.md': 'no fields' })
    await symlink('nobody@host.1234', join(folder, '.#a.md'))
    const told: string[] = []
    const logger = { debug: (text: string) => void told.push(text.replace(`${folder}/`, '')), warn() {}, error() {} }
    expect((await load(folder, { logger })).agents.map(({ name }) => name)).toEqual(['a'])
    expect((await load(folder)).warnings).toEqual([])
    expect(told.toSorted()).toEqual(
      ['.#a.md', '._a.md', '.a.md'].map((name) => `${name}: its name begins with a dot, so it was passed over.`),
    )
  })

  it('T14: the folder may be a URL of file:, and no other', async () => {
    const folder = await temporaryFolder({ 'a.md': file('name: a\ndescription: b') })
    expect((await loadAgentDefinitions(pathToFileURL(folder))).map(({ name }) => name)).toEqual(['a'])
    await expect(loadAgentDefinitions(new URL('https://example.com/agents'))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'directory must be a path or a URL of file:, got https://example.com/agents.',
    })
  })

  it('T14: a description that is no valid YAML is read as it was meant, examples and escaped line breaks included', async () => {
    const { agents } = await load('test/definitions/fixtures/agents')
    const description = (name: string) => agents.find((agent) => agent.name === name)?.description.split('\n')
    expect(description('dependency-auditor')).toEqual([
      'Use this agent to look for risky dependencies. Examples:',
      '',
      '<example>',
      'Context: A lock file changed in a pull request',
      'user: "Is this upgrade safe?"',
      `assistant: "I'll have the dependency-auditor look at it."`,
      '</example>',
    ])
    expect(description('test-runner')?.slice(1, 6)).toEqual([
      '',
      '<example>',
      'Context: The user has just changed how prices are rounded',
      `user: "I've changed the rounding, can you check it?"`,
      `assistant: "I'll use the test-runner agent: it knows which tests cover prices."`,
    ])
    expect(description('Docs Writer')?.slice(1)).toEqual([
      '',
      "Use it for README files, guides and API pages; it answers in the reader's language.",
    ])
  })

  it.each([
    ['Reviews code: fast, and [careful]', 'Reviews code: fast, and [careful]'],
    ['"Reviews "old" code: carefully"', 'Reviews "old" code: carefully'],
    ["'It''s the one: for old code'", "It's the one: for old code"],
    ['"A quoted text\n  that goes on: here"', 'A quoted text that goes on: here'],
    ['[draft] reviews code', '[draft] reviews code'],
    ['[draft]', '[draft]'],
    ['{draft}', '{draft}'],
    ['>\n  Folded\n  text: here', 'Folded text: here'],
    ['|\nNot indented,\nalthough: it should be', 'Not indented,\nalthough: it should be'],
    ['|-\n  Indented: once\n\n  more', 'Indented: once\n\nmore'],
    ['@mention of `code` & more: all', '@mention of `code` & more: all'],
    ['Use for C:\\temp: yes', 'Use for C:\\temp: yes'],
    ['\n  On a line of its own', 'On a line of its own'],
    ['Prüft Übersetzungen: 日本語 📚', 'Prüft Übersetzungen: 日本語 📚'],
  ])('T14: the description %j is taken', async (written, meant) => {
    const { agent, warnings } = await one(`name: a\ndescription: ${written}\ntools: Read\ncolor: red`)
    expect(agent).toEqual({ name: 'a', provider: 'spawn', description: meant, persona: 'You work.', toolFilter: { allow: ['read_file'] } })
    expect(warnings).toEqual([])
  })

  it('T14: Windows line ends, a byte order mark, blank lines before the front matter and spaces behind its marks change nothing', async () => {
    const plain = file('name: a\ndescription: Uses: this\ntools: Read', '# A\n\n---\n\nfoo')
    const expected = {
      name: 'a',
      provider: 'spawn',
      description: 'Uses: this',
      persona: '# A\n\n---\n\nfoo',
      toolFilter: { allow: ['read_file'] },
    }
    for (const text of [plain, plain.replaceAll('\n', '\r\n'), `\ufeff${plain}`, `\n\n${plain}`, plain.replace('---', '---  ')])
      expect((await load(await temporaryFolder({ 'a.md': text }))).agents).toEqual([expected])
  })

  it('T14: an agent without a text has no persona of its own, and is told', async () => {
    const { agents, warnings } = await load(await temporaryFolder({ 'a.md': '---\nname: a\ndescription: b\n---' }))
    expect(agents).toEqual([{ name: 'a', provider: 'spawn', description: 'b' }])
    expect(warnings).toEqual(['a.md:2: there is no text below the front matter, so the agent has the system prompt that agents have here.'])
  })

  it.each(['Frontend Developer', 'code_reviewer', 'plugin:review/security', 'Prüfer', '007', 'x'.repeat(64)])(
    'T14: %s is a name',
    async (name) => {
      expect((await one(`name: ${name}\ndescription: b`)).agent.name).toBe(name)
    },
  )
})

describe('the tools of a definition', () => {
  const filterOf = async (fields: string, options?: LoadAgentDefinitionsOptions) => {
    const { agent, warnings } = await one(`name: a\ndescription: b\n${fields}`, options)
    return { filter: agent.toolFilter, warnings }
  }
  const offered = 'Offered: list_files, read_file, search_files, subagent.'

  it.each([
    ['Read, Grep', ['read_file', 'search_files']],
    ['Read Grep', ['read_file', 'search_files']],
    ['Glob, LS, Glob', ['list_files']],
    ['[Read, "Task"]', ['read_file', 'subagent']],
    ['\n  - Read\n  - Agent', ['read_file', 'subagent']],
    ['read, grep', ['read_file', 'search_files']],
    ['read_file', ['read_file']],
  ])('P10: tools: %j allows %j', async (written, allow) => {
    expect(await filterOf(`tools: ${written}`)).toEqual({ filter: { allow }, warnings: [] })
  })

  it('P10: no tools field, or a star, leaves an agent all tools', async () => {
    for (const fields of ['model: inherit', 'tools: "*"', 'tools: *', 'tools: [Read, "*"]'])
      expect(await filterOf(fields)).toEqual({ filter: undefined, warnings: [] })
  })

  it('P10: an agent of whose tools none is there has none, and that is said; an empty list is one', async () => {
    expect(await filterOf('tools: Bash, Write')).toEqual({
      filter: { allow: [] },
      warnings: [
        `a.md:4: Bash, Write: not offered here, left out. ${offered}`,
        'a.md:4: none of its tools is left, so the agent has no tools.',
      ],
    })
    for (const fields of ['tools:', 'tools: []', 'tools: ""'])
      expect(await filterOf(fields)).toEqual({
        filter: { allow: [] },
        warnings: ['a.md:4: tools is empty, so the agent has no tools. Leave the field out to give it all.'],
      })
  })

  it('P10: a part of a tool is not given as the whole of it, unless the host has a name for that part', async () => {
    const fields = 'tools: Read(docs/**), Bash(git diff:*), Bash(git log *), Task(reviewer, writer)'
    expect(await filterOf(fields, { toolNames: { 'Bash(git log *)': 'search_files' } })).toEqual({
      filter: { allow: ['search_files'] },
      warnings: [
        `a.md:4: Read(docs/**), Bash(git diff:*), Task(reviewer, writer): a part of a tool cannot be given here, left out. ${offered}`,
      ],
    })
  })

  it('P10: disallowedTools denies; of a tool that is denied in part, all; what the host never had is denied without a word', async () => {
    expect(await filterOf('disallowedTools: Write, Edit, Grep')).toEqual({ filter: { deny: ['search_files'] }, warnings: [] })
    expect(await filterOf('tools: Read, LS\ndisallowedTools: [LS]')).toEqual({
      filter: { allow: ['read_file', 'list_files'], deny: ['list_files'] },
      warnings: [],
    })
    expect(await filterOf('disallowedTools: Read(secrets/**)')).toEqual({
      filter: { deny: ['read_file'] },
      warnings: ['a.md:4: Read(secrets/**): a part of a tool cannot be denied here; all of read_file is.'],
    })
    expect(await filterOf('disallowedTools: Raed')).toEqual({
      filter: undefined,
      warnings: [`a.md:4: Raed: not offered here, not denied. ${offered}`],
    })
    expect(await filterOf('disallowedTools: "*"')).toEqual({ filter: { allow: [] }, warnings: [] })
  })

  it('P10: tools of MCP servers are taken by their names, by their server, and by a beginning', async () => {
    const host = { tools: ['mcp__gh__list', 'mcp__gh__get', 'mcp__osv__query'] }
    expect((await filterOf('tools: mcp__gh__get', host)).filter).toEqual({ allow: ['mcp__gh__get'] })
    for (const all of ['mcp__gh', 'mcp__gh__*'])
      expect((await filterOf(`tools: ${all}`, host)).filter).toEqual({ allow: ['mcp__gh__list', 'mcp__gh__get'] })
    expect((await filterOf('tools: mcp__gh__l*', host)).filter).toEqual({ allow: ['mcp__gh__list'] })
    expect((await filterOf('disallowedTools: mcp__gh', host)).filter).toEqual({ deny: ['mcp__gh__list', 'mcp__gh__get'] })
  })

  it("P10: the host's own names go before the usual ones; without a list of its tools, names are mapped and kept", async () => {
    expect((await filterOf('tools: Read, Bash', { tools: ['cat', 'sh'], toolNames: { Read: 'cat', Bash: 'sh' } })).filter).toEqual({
      allow: ['cat', 'sh'],
    })
    const unknown = await load(await temporaryFolder({ 'a.md': file('name: a\ndescription: b\ntools: Read, Bash, mcp__gh__get') }), {})
    expect(unknown.agents[0]?.toolFilter).toEqual({ allow: ['read_file'] })
    const logger = { debug() {}, error() {}, warn() {} }
    const folder = await temporaryFolder({ 'a.md': file('name: a\ndescription: b\ntools: Read, Bash, mcp__gh__get') })
    expect((await loadAgentDefinitions(folder, { logger }))[0]?.toolFilter).toEqual({ allow: ['read_file', 'Bash', 'mcp__gh__get'] })
  })

  it('P10: words of a file move no cursor and fill no screen, and a field is no member of an object', async () => {
    const { warnings } = await filterOf(
      `constructor: x\ntools: "B\\e[31mash, ${'x'.repeat(100)}, ${Array.from({ length: 30 }, (_, i) => `t${i}`).join(' ')}"`,
    )
    expect(warnings[0]).toMatch(/^a\.md:5: B\?\[31mash, x{60}…, t0, .*, t17 and 12 more: not offered here, left out\./)
    expect(warnings).toHaveLength(2)
  })

  it('P10: a field that looks as if it limited an agent, and does not, is told', async () => {
    expect(await filterOf('allowed-tools: Read\nTools: Read\ntool: Read\nversion: 2')).toEqual({
      filter: undefined,
      warnings: [4, 5, 6].map(
        (line, index) =>
          `a.md:${line}: the field ${['allowed-tools', 'Tools', 'tool'][index]} is ignored: it limits nothing. The field that does is tools.`,
      ),
    })
  })
})

describe('the model of a definition', () => {
  it('T14: is what the host has under that name; inherit and a model that it has not are left out, the latter with a warning', async () => {
    const models = { sonnet: 'vendor/large', 'claude-opus-4-1': { specificationVersion: 'v3' } }
    const modelOf = async (name: string) => {
      const { agent, warnings } = await one(`name: a\ndescription: b\nmodel: ${name}`, { models })
      return [agent.model, warnings.length]
    }
    expect(await modelOf('sonnet')).toEqual(['vendor/large', 0])
    expect(await modelOf('Sonnet')).toEqual(['vendor/large', 0])
    expect(await modelOf('claude-opus-4-1')).toEqual([models['claude-opus-4-1'], 0])
    expect(await modelOf('inherit')).toEqual([undefined, 0])
    expect(await modelOf('')).toEqual([undefined, 0])
    expect(await modelOf('toString')).toEqual([undefined, 1])
    expect(await modelOf('haiku')).toEqual([undefined, 1])
  })

  it('T14: the provider is the one that is given', async () => {
    expect((await one('name: a\ndescription: b', { provider: 'fork' })).agent.provider).toBe('fork')
  })
})

describe('a folder of definitions that cannot be used', () => {
  it('T14: is refused with all that is wrong, each with file and line', async () => {
    expect(await problemsOf('test/definitions/fixtures/broken')).toEqual([
      'no-description.md:1: the description is missing. Say in it when the agent is to be used: "description: Reviews code after a change".',
      'no-end.md:1: the front matter is not closed. Put a line --- between its last field and the text of the agent.',
      'no-name.md:1: the name is missing. Add a field such as "name: code-reviewer".',
      'open-list.md:4: tools cannot be read: Flow sequence in block collection must be sufficiently indented and end with a ].',
      'two-lines.md:2: the name is "two\\nlines". A name has at most 64 letters, digits, spaces and - . _ : / and begins with a letter or digit, such as code-reviewer.',
      'twin-b.md:3: the name "twin" is that of twin-a.md:2 too. Give one of them another name.',
    ])
  })

  it.each([
    [
      'what stands before the first field',
      'Reviews code.\nname: a\ndescription: b: c',
      /^a\.md:2: the front matter is broken: here a field should begin/,
    ],
    ['a field that stands twice', 'name: a\ndescription: b\nname: c', /^a\.md:4: name stands here for the second time\./],
    ['tools that are a map', 'name: a\ndescription: b\ntools:\n  write: false', /^a\.md:4: tools must be a list of tool names/],
    [
      'disallowedTools that cannot be read',
      'name: a\ndescription: b\ndisallowedTools: ["Bash',
      /^a\.md:4: disallowedTools cannot be read: /,
    ],
    [
      'tabs in a list of tools',
      'name: a\ndescription: b\ntools:\n\t- Read',
      /^a\.md:5: tools cannot be read: Tabs are not allowed as indentation/,
    ],
    ['a name that is a list', 'name: [a]\ndescription: b', /^a\.md:2: the name is a list or a map\./],
    ['a name that begins with a dash', 'name: "-a"\ndescription: b', /^a\.md:2: the name is "-a"\./],
    ['a name with a quote in it', 'name: a"b\ndescription: b', /^a\.md:2: the name is "a\\"b"\./],
    ['a long name', `name: ${'x'.repeat(65)}\ndescription: b`, /^a\.md:2: the name is 65 characters\./],
    ['an empty description', 'name: a\ndescription: " "', /^a\.md:3: the description is missing\./],
    ['no field at all', '', /^a\.md:1: the name is missing\./],
    ['plain text', 'just words', /^a\.md:2: the front matter is broken/],
  ])('T14: %s is a problem with its line', async (_, fields, message) => {
    const problems = await problemsOf(await temporaryFolder({ 'a.md': file(fields) }))
    expect(problems[0]).toMatch(message)
  })

  it('T14: a file that is huge, not UTF-8 or cannot be read, and a folder that is none, are told', async () => {
    const folder = await temporaryFolder({
      'binary.md': Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0x6e, 0xff, 0x0a),
      'huge.md': file('name: a\ndescription: b', 'x'.repeat(300_000)),
      'locked.md': file('name: a\ndescription: b'),
      'largest.md': file('name: a\ndescription: b', 'x'.repeat(200_000)),
    })
    await chmod(join(folder, 'locked.md'), 0)
    await symlink('nowhere.md', join(folder, 'broken.md'))
    await withoutRoot(async () => {
      expect(await problemsOf(folder)).toEqual([
        'broken.md: the symbolic link cannot be followed (ENOENT).',
        'binary.md:2: the file is not UTF-8. Save it as UTF-8.',
        'huge.md:1: the file has more than 256 KiB, which is too much for an agent definition.',
        'locked.md:1: the file cannot be read (EACCES).',
      ])
    })
    expect(await problemsOf(join(folder, 'none'))).toEqual(['The folder of agent definitions does not exist: DIR'])
    expect(await problemsOf(join(folder, 'huge.md'))).toEqual([
      'Agent definitions are read from a folder, and DIR is none. Name the folder it is in.',
    ])
  })

  it('T14: files that are no definitions are passed over; a few are named, the others counted', async () => {
    const readmes = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`readme-${index}.md`, index === 0 ? '' : '# Read me']))
    const { agents, warnings } = await load(
      await temporaryFolder({ ...readmes, 'notes.txt': 'x', '.hidden/a.md': 'x', 'node_modules/b.md': 'x' }),
    )
    expect(agents).toEqual([])
    expect(warnings).toHaveLength(6)
    expect(warnings.at(-1)).toMatch(/: 3 more \.md files have no front matter, and were passed over\.$/)
  })

  it('T14: a symbolic link is followed inside the folder and not out of it; a file is read once', async () => {
    const outside = await temporaryFolder({
      'secret.md': file('name: secret\ndescription: b'),
      'more/x.md': file('name: x\ndescription: b'),
    })
    const folder = await temporaryFolder({ 'a.md': file('name: a\ndescription: b'), 'kept/c.txt': file('name: c\ndescription: b') })
    await mkdir(join(folder, 'empty'))
    await symlink(join(outside, 'secret.md'), join(folder, 'secret.md'))
    await symlink(join(outside, 'more'), join(folder, 'more'))
    await symlink('..', join(folder, 'kept/up'))
    await symlink('a.md', join(folder, 'again.md'))
    await symlink('kept/c.txt', join(folder, 'c.md'))
    const { agents, warnings } = await load(folder)
    expect(agents.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(warnings.toSorted()).toEqual(
      ['more', 'secret.md'].map(
        (link) => `${link}: the symbolic link leads out of the folder and was not followed. Put what it leads to into the folder.`,
      ),
    )
  })

  it('T14: options of another shape are refused by their names', async () => {
    const wrong: [string, object][] = [
      ['provider', { provider: '' }],
      ['tools', { tools: 'Read' }],
      ['toolNames', { toolNames: { Read: 1 } }],
      ['models', { models: { sonnet: 1 } }],
      ['logger', { logger: {} }],
    ]
    for (const [name, options] of wrong)
      await expect(loadAgentDefinitions('x', options)).rejects.toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(new RegExp(`^${name} must be`)) }) as Error,
      )
    await expect(loadAgentDefinitions('')).rejects.toThrow('directory must be the path of a folder')
    await expect(loadAgentDefinitions('x', null as never)).rejects.toThrow('options must be an object')
  })
})
