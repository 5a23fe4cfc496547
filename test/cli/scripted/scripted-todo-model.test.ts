import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ModelAnswer, ModelCall, ModelPrompt, ModelStreamPart } from '../../../src/cli/scripted/language-model.ts'
import { scriptedTodoModel } from '../../../src/cli/scripted/scripted-todo-model.ts'
import { demoTask } from '../../../src/cli/scripted/todo-task.ts'

const model = scriptedTodoModel()
const user = (text: string): ModelPrompt[number] => ({ role: 'user', content: [{ type: 'text', text }] })
const ask = (prompt: ModelPrompt): Promise<ModelAnswer> => Promise.resolve(model.doGenerate({ prompt }))
const textOf = (answer: ModelAnswer) => answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
const callsOf = (answer: ModelAnswer) =>
  answer.content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) as Record<string, unknown> }]
      : [],
  )

/** Adds the model's calls to the prompt, each with the result that `tools` gives for it. */
const goOn = (prompt: ModelPrompt, answer: ModelAnswer, result: (name: string, input: Record<string, unknown>) => unknown): ModelPrompt => [
  ...prompt,
  {
    role: 'assistant',
    content: callsOf(answer).map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
  },
  {
    role: 'tool',
    content: callsOf(answer).map(({ id, name, input }) => {
      const value = result(name, input)
      const output =
        value instanceof Error
          ? { type: 'error-text' as const, value: value.message }
          : typeof value === 'string'
            ? { type: 'text' as const, value }
            : { type: 'json' as const, value: value as never }
      return { type: 'tool-result', toolCallId: id, toolName: name, output }
    }),
  },
]

const listing = {
  path: '.',
  total: 9,
  files: ['README.md', 'api/a.js', 'api/b.js', 'api/c.js', 'web/d.js', 'web/e.js', 'web/f.js', 'lib/g.js', 'lib/h.js'],
  folders: [
    { path: 'api', files: 3 },
    { path: 'web', files: 3 },
    { path: 'lib', files: 2 },
  ],
}

describe('the scripted model as a parent', () => {
  it('C1: lists first, then delegates three parts by folder in one step', async () => {
    const first = await ask([user(demoTask)])
    expect(callsOf(first)).toEqual([{ id: 'scripted-1', name: 'list_files', input: {} }])
    const second = await ask(goOn([user(demoTask)], first, () => listing))
    expect(callsOf(second).map(({ id, name, input }) => [id, name, input['description']])).toEqual([
      ['scripted-2', 'subagent', 'TODOs in api/'],
      ['scripted-3', 'subagent', 'TODOs in web/'],
      ['scripted-4', 'subagent', 'TODOs in lib/ and the top folder'],
    ])
    expect(callsOf(second)[2]?.input['prompt']).toContain('- "lib", sub-folders included: 2 files\n- ".", without sub-folders: 1 file\n')
  })

  const joined = async (reports: readonly unknown[], listed: unknown = listing, task = demoTask) => {
    let prompt: ModelPrompt = [user(task)]
    prompt = goOn(prompt, await ask(prompt), () => listed)
    let next = 0
    prompt = goOn(prompt, await ask(prompt), () => reports[next++])
    return textOf(await ask(prompt))
  }
  const reports = [
    '1 found in 1 of 3 files searched.\n- api/a.js:4 [TODO] one',
    '2 found in 1 of 3 files searched.\n- web/d.js:1 [TODO] two\n- web/d.js:2 [FIXME] three',
    '0 found in 0 of 3 files searched.',
  ]

  it('C2: joins what the children found; one changed tool result changes the answer', async () => {
    expect(await joined(reports)).toBe(
      [
        'Found 3 TODOs in 2 of 9 files searched: 1 FIXME, 2 TODO.',
        '',
        'By file:',
        '    2  web/d.js',
        '    1  api/a.js',
        '',
        'Ranked, FIXME first, then by how many the file has:',
        '   1. web/d.js:2 FIXME three',
        '   2. web/d.js:1 TODO two',
        '   3. api/a.js:4 TODO one',
      ].join('\n'),
    )
    const changed = await joined([reports[0], reports[1], '1 found in 1 of 3 files searched.\n- lib/g.js:77 [FIXME] four'])
    expect(changed).toContain('Found 4 TODOs in 3 of 9 files searched: 2 FIXME, 2 TODO.')
    expect(changed).toContain('lib/g.js:77 FIXME four')
  })

  it('C2: says what is missing: a child that failed, a gap, a listing or a report that was cut', async () => {
    const answer = await joined(
      [
        reports[0],
        new Error('The child was stopped.\nPartial text'),
        '5 found in 1 of 3 files searched.\n- lib/g.js:1 [TODO] x\nNot covered: Binary files are not searched: a.png.',
      ],
      {
        ...listing,
        total: 900,
        folders: [...listing.folders, { path: 'many', files: 800 }],
        notes: ['Shows 9 of 900 files.', 'Folders that cannot be read: locked.'],
      },
    )
    expect(answer).toContain('Found 6 TODOs in 2 of 6 files searched: 0 FIXME, 2 TODO.')
    expect(answer.slice(answer.indexOf('Not covered:'))).toBe(
      [
        'Not covered:',
        '  - TODOs in the top folder: The child was stopped.',
        '  - Folders that cannot be read: locked.',
        '  - Binary files are not searched: a.png.',
        '  - Of 6 TODOs only 2 were shown to the parent; the lists above have only those.',
      ].join('\n'),
    )
  })

  it('C2: tells an empty folder, one without TODOs, and one that cannot be listed as they are', async () => {
    const nothing = '0 found in 0 of 3 files searched.'
    expect(await joined([nothing, nothing, nothing])).toBe('Found no TODO in 9 files searched.')
    expect(await joined([], { path: '.', total: 0, files: [], folders: [] })).toBe('There is no file to search in this folder.')
    expect(await joined([], new Error('The folder . cannot be read.'))).toBe('The folder could not be listed: The folder . cannot be read.')
  })

  it('C1: says of any other task that the script only finds TODOs, and runs that', async () => {
    for (const task of ['Write a poem', 'Fix every TODO', 'What does this project do?']) {
      expect(textOf(await ask([user(task)]))).toBe('The script only finds TODOs, running that.')
      expect(await joined(reports, listing, task)).toMatch(/^The script only finds TODOs, running that\.\n\nFound 3 TODOs/)
    }
    for (const task of [demoTask, 'list all todos', 'Where are the FIXMEs?']) expect(textOf(await ask([user(task)]))).toBe('')
  })

  it('C2: goes by the last task of a conversation, with ids of calls that do not repeat', async () => {
    const first = await ask([user(demoTask)])
    const later: ModelPrompt = [
      ...goOn([user(demoTask)], first, () => ({ ...listing, total: 0 })),
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      user('todos again'),
    ]
    expect(callsOf(await ask(later))).toEqual([{ id: 'scripted-2', name: 'list_files', input: {} }])
  })

  it('C1: splits a project of one folder by the folders inside it', async () => {
    const files = ['src/index.js', 'src/a/1.js', 'src/a/2.js', 'src/b/3.js']
    const prompt = [user(demoTask)]
    const second = await ask(goOn(prompt, await ask(prompt), () => ({ path: '.', total: 4, files, folders: [{ path: 'src', files: 4 }] })))
    expect(callsOf(second).map(({ input }) => input['description'])).toEqual(['TODOs in src/a/', 'TODOs in src/ itself', 'TODOs in src/b/'])
  })
})

describe('the scripted model as a child', () => {
  const childPrompt = async (): Promise<ModelPrompt> => {
    const prompt = [user(demoTask)]
    const second = await ask(goOn(prompt, await ask(prompt), () => listing))
    return [user(String(callsOf(second)[2]?.input['prompt']))]
  }

  it('C1: searches its part, reads around what it found, reports with the text that it read', async () => {
    const prompt = await childPrompt()
    const search = await ask(prompt)
    expect(callsOf(search).map(({ name, input }) => [name, input])).toEqual([
      ['search_files', { query: '\\b(TODO|FIXME)\\b', regex: true, path: 'lib', recursive: true }],
      ['search_files', { query: '\\b(TODO|FIXME)\\b', regex: true, path: '.', recursive: false }],
    ])
    const found = goOn(prompt, search, (_, { path }) =>
      path === 'lib'
        ? { matches: [{ path: 'lib/g.js', line: 3, text: '// TODO: first…' }], total: 1, filesWithMatches: 1, filesSearched: 2 }
        : { matches: [], total: 0, filesWithMatches: 0, filesSearched: 0, notes: ['Files that cannot be read: README.md.'] },
    )
    const read = await ask(found)
    expect(callsOf(read)).toEqual([{ id: 'scripted-3', name: 'read_file', input: { path: 'lib/g.js', startLine: 3, endLine: 5 } }])
    const file = {
      path: 'lib/g.js',
      startLine: 3,
      endLine: 5,
      totalLines: 9,
      text: '  // TODO(anna): first half\n  // and the second.\n  call()',
    }
    expect(textOf(await ask(goOn(found, read, () => file)))).toBe(
      '1 found in 1 of 2 files searched.\n- lib/g.js:3 [TODO] first half and the second.\nNot covered: Files that cannot be read: README.md.',
    )
    expect(textOf(await ask(goOn(found, read, () => new Error('gone'))))).toContain('- lib/g.js:3 [TODO] first…')
  })

  it('C2: reports a search that failed as a gap, not as nothing found', async () => {
    const prompt = await childPrompt()
    const report = await ask(goOn(prompt, await ask(prompt), () => new Error('the disk is gone')))
    expect(textOf(report)).toBe(
      [
        '0 found in 0 of 0 files searched.',
        'Not covered: lib could not be searched: the disk is gone',
        'Not covered: . could not be searched: the disk is gone',
      ].join('\n'),
    )
  })
})

describe('the scripted model as a language model', () => {
  const stream = async (call: ModelCall): Promise<ModelStreamPart[]> => {
    const parts: ModelStreamPart[] = []
    const reader = (await model.doStream(call)).stream.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
    return parts
  }

  it('C2: streams the same answer as it generates, and claims no tokens', async () => {
    const prompt = [user('Write a poem')]
    const generated = await ask(prompt)
    const streamed = await stream({ prompt })
    expect(streamed.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ])
    expect(streamed.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')).toBe(textOf(generated))
    expect(generated.usage).toMatchObject({ inputTokens: { total: 0 }, outputTokens: { total: 0 } })
  })

  it('C2: stops when its signal aborts', async () => {
    await expect(stream({ prompt: [user(demoTask)], abortSignal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    const control = new AbortController()
    const reader = (await model.doStream({ prompt: [user(demoTask)], abortSignal: control.signal })).stream.getReader()
    await reader.read()
    control.abort(new Error('enough'))
    await expect(
      reader
        .read()
        .then(() => reader.read())
        .then(() => reader.read()),
    ).rejects.toThrow('enough')
  })

  it('C2: imports nothing that could reach a file, a network or a process', () => {
    const folder = new URL('../../../src/cli/scripted/', import.meta.url)
    const imports = readdirSync(folder).flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map((found) => found[1] ?? ''),
    )
    expect(imports.length).toBeGreaterThan(10)
    expect(imports.filter((name) => !name.startsWith('./') && name !== 'ai')).toEqual([])
    expect(readFileSync(new URL('language-model.ts', folder), 'utf8')).toContain("import type { LanguageModel } from 'ai'")
  })
})
