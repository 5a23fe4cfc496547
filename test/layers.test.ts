import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { importsOf, packagesReachedBy, parse } from './project/imports.ts'
import type { Import } from './project/imports.ts'
import { listProjectFiles, readProjectFile } from './project/source-files.ts'

interface Layer {
  /** What of `src/` it may import, besides itself: files, and folders with a slash. */
  readonly from: readonly string[]
  /** Packages, and modules of Node. */
  readonly packages: readonly string[]
}

const vocabulary = ['types.ts', 'errors.ts', 'parent.ts']
/** Of `run/`, what knows of no run: for everyone who checks, copies, contains or waits. */
const common = [
  'run/contain.ts',
  'run/copy.ts',
  'run/defaults.ts',
  'run/deferred.ts',
  'run/json.ts',
  'run/known-names.ts',
  'run/nearest.ts',
  'run/request.ts',
  'run/secrets.ts',
  'run/shared-getters.ts',
  'run/size.ts',
  'run/streamed-text.ts',
  'run/system-errors.ts',
  'run/text.ts',
  'run/turns.ts',
]

/** The layers of docs/design.md, from the inside out: each imports only what stands above it, and not all of that. */
const layers: Readonly<Record<string, Layer>> = {
  // The run's snapshot and events are part of the vocabulary; as types only, see below.
  'types.ts': { from: ['machines/run.ts'], packages: ['xstate', '@standard-schema/spec'] },
  'errors.ts': { from: [], packages: [] },
  'parent.ts': { from: ['types.ts', 'errors.ts'], packages: [] },
  'machines/': { from: ['types.ts'], packages: ['xstate'] },
  'run/': { from: [...vocabulary, 'machines/'], packages: ['xstate', '@standard-schema/spec'] },
  'registry/': { from: [...vocabulary, 'machines/', 'run/'], packages: ['xstate'] },
  'service.ts': { from: [...vocabulary, 'machines/', 'run/', 'registry/'], packages: ['xstate'] },
  'embed.ts': { from: [...vocabulary, 'registry/', 'service.ts'], packages: ['xstate'] },
  // Below the providers: it knows of processes, and of no run.
  'processes/': {
    from: ['types.ts', 'errors.ts', ...common],
    packages: ['node:child_process', 'node:fs', 'node:net', 'node:stream'],
  },
  'agents/': { from: [...vocabulary, 'machines/agent.ts', ...common], packages: ['xstate', 'ai', '@standard-schema/spec', 'node:'] },
  'structured/': { from: ['types.ts', 'errors.ts', ...common, 'run/schema.ts'], packages: ['ajv', 'ajv-formats', '@standard-schema/spec'] },
  'providers/': { from: [...vocabulary, ...common, 'agents/', 'structured/'], packages: ['ai', 'xstate'] },
  // An entry of its own, for whoever has processes; of the agents it takes what redacts.
  'providers/acp/': {
    from: [
      ...vocabulary,
      ...common,
      'machines/acp-process.ts',
      'processes/',
      'structured/',
      'agents/redact.ts',
      'agents/environment-secrets.ts',
      'run/json.ts',
    ],
    packages: ['@agentclientprotocol/sdk', 'node:', 'xstate'],
  },
  // Its list is the tool's, which is one of types alone.
  'definitions/': { from: [...vocabulary, ...common, 'tools/options.ts'], packages: ['yaml', 'node:'] },
  'tools/': {
    from: [...vocabulary, ...common, 'run/schema.ts', 'service.ts', 'definitions/', 'structured/tool-schema.ts'],
    packages: ['ai'],
  },
  // Observers: they see the vocabulary and the service, and of an agent how its failures are made fit to be shown.
  'inspect/': {
    from: [...vocabulary, 'machines/run.ts', ...common, 'service.ts', 'agents/redact.ts'],
    packages: ['@statelyai/inspect', 'ws', 'xstate', 'hono', '@hono/node-server', 'elkjs', 'preact', '@preact/signals', 'node:'],
  },
  'telemetry/': {
    from: [...vocabulary, ...common, 'run/traceparent.ts', 'service.ts', 'inspect/clean.ts'],
    packages: ['@opentelemetry/api', 'xstate'],
  },
  // The runner is imported when describeProvider is called.
  'testing/': { from: [...vocabulary, ...common, 'machines/', 'index.ts'], packages: ['ai', 'xstate', 'vitest'] },
  'graph/': { from: ['machines/'], packages: ['xstate'] },
  'index.ts': { from: [...vocabulary, 'machines/', 'run/', 'registry/', 'service.ts', 'embed.ts', 'providers/define.ts'], packages: [] },
  // An observer: of the service it knows what is public.
  'hooks/': { from: [...vocabulary, ...common, 'service.ts', 'processes/'], packages: ['node:fs', 'node:path', 'node:stream'] },
  // The command stands on the public entries alone.
  'cli/': {
    from: [
      ...vocabulary,
      'run/nearest.ts',
      'run/secrets.ts',
      'index.ts',
      'agents/index.ts',
      'hooks/index.ts',
      'inspect/index.ts',
      'machines/index.ts',
      'providers/index.ts',
      'providers/acp/index.ts',
      'providers/acp/probe.ts',
      'testing/index.ts',
      'tools/index.ts',
      'graph/',
    ],
    packages: [
      '@ai-sdk/anthropic',
      '@ai-sdk/deepseek',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      'ai',
      'commander',
      'ignore',
      'picocolors',
      'xstate',
      'node:',
    ],
  },
}

const sources = ['.ts', '.tsx'].flatMap((suffix) => listProjectFiles('src', suffix))
const layerOf = (path: string): string => /^src\/(providers\/acp\/|[^/]+\/?)/.exec(path)?.[1] ?? path
const allows = (list: readonly string[], name: string): boolean =>
  list.some((entry) => (/[/:]$/.test(entry) ? name.startsWith(entry) : name === entry))

function problemOf(path: string, { target, isRelative }: Import): string | undefined {
  const name = layerOf(path)
  const layer = layers[name]
  if (!layer) return `${path}: there is no layer ${name}. Add it to the table, at its place.`
  const inside = isRelative ? layerOf(target) === name || allows(layer.from, target.replace('src/', '')) : allows(layer.packages, target)
  return inside ? undefined : `${path} imports ${target}, which ${name} may not.`
}

const problemsOf = (path: string, source?: string): string[] => importsOf(path, source).flatMap((found) => problemOf(path, found) ?? [])

describe('the layers', () => {
  it('each folder imports only what its layer may', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.flatMap((path) => problemsOf(path))).toEqual([])
  })

  it('every layer of the table is there, so that no rule is about nothing', () => {
    expect(Object.keys(layers).filter((name) => !sources.some((path) => layerOf(path) === name))).toEqual([])
  })

  it('the vocabulary takes nothing from a machine but types', () => {
    expect(importsOf('src/types.ts').filter(({ typeOnly }) => !typeOnly)).toEqual([])
  })

  it('providers of one kind know nothing of those of another', () => {
    const shared = new Set(['child-run', 'in-process', 'outcome', 'structured-output'].map((name) => `src/providers/${name}.ts`))
    const kinds = listProjectFiles('src/providers', '.ts').filter((path) => !path.endsWith('/index.ts'))
    const kindOf = (path: string): string => path.split('/')[2]!
    const between = kinds.flatMap((path) =>
      importsOf(path)
        .filter(({ target }) => target.startsWith('src/providers/') && kindOf(target) !== kindOf(path) && !shared.has(target))
        .map(({ target }) => `${path} imports ${target}`),
    )
    expect(kinds).toContain('src/providers/spawn.ts')
    expect(between).toEqual([])
  })

  it('of the agents, only the folder of kept sessions knows Node', () => {
    const uses = sources.filter(
      (path) => path.startsWith('src/agents/') && importsOf(path).some(({ target }) => target.startsWith('node:')),
    )
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((path) => !path.startsWith('src/agents/sessions/'))).toEqual([])
  })

  it('the page in the browser takes of the rest what is pure, and no module of Node; of its server it knows the types of messages', () => {
    const page = 'src/inspect/page/app/'
    expect(packagesReachedBy(`${page}main.tsx`, { types: false })).toEqual(['@preact/signals', 'preact'])
    const inPage = sources.filter((path) => path.startsWith(page))
    const taken = inPage.flatMap((path) =>
      importsOf(path).flatMap(({ target, isRelative, typeOnly }) =>
        isRelative && !target.startsWith(page) ? [typeOnly ? `${target} (types)` : target] : [],
      ),
    )
    expect([...new Set(taken)].toSorted()).toEqual([
      'src/errors.ts',
      'src/inspect/entries.ts (types)',
      'src/inspect/page/protocol.ts (types)',
      'src/inspect/state.ts',
      'src/inspect/state.ts (types)',
    ])
    const outside = sources.filter((path) => !path.startsWith(page))
    expect(outside.filter((path) => importsOf(path).some(({ target }) => target.startsWith(page)))).toEqual([])
  })

  it('a wrong import is found, however it is written', () => {
    const planted: [string, string, string][] = [
      ['src/run/x.ts', `import { a } from '../registry/engine.ts'`, 'src/registry/engine.ts'],
      ['src/run/x.ts', `import type { A } from '../service.ts'`, 'src/service.ts'],
      ['src/machines/x.ts', `export { a } from '../run/record.ts'`, 'src/run/record.ts'],
      ['src/errors.ts', `const a = await import('xstate')`, 'xstate'],
      ['src/agents/x.ts', `type A = import('../run/record.ts').A`, 'src/run/record.ts'],
      ['src/run/x.ts', `createRequire(import.meta.url).resolve('ws')`, 'ws'],
      ['src/registry/x.ts', `import { readFile } from 'node:fs/promises'`, 'node:fs/promises'],
    ]
    for (const [path, source, target] of planted)
      expect(problemsOf(path, source)).toEqual([`${path} imports ${target}, which ${layerOf(path)} may not.`])
  })
})

describe('the entries', () => {
  const files = {
    '.': 'src/index.ts',
    './acp': 'src/providers/acp/index.ts',
    './agents': 'src/agents/index.ts',
    './hooks': 'src/hooks/index.ts',
    './inspect': 'src/inspect/index.ts',
    './machines': 'src/machines/index.ts',
    './providers': 'src/providers/index.ts',
    './telemetry': 'src/telemetry/index.ts',
    './testing': 'src/testing/index.ts',
    './tools': 'src/tools/index.ts',
  }
  const loads = (file: string): string[] => packagesReachedBy(file, { types: false })
  const loadsLater = (file: string): string[] => {
    const atOnce = new Set(loads(file))
    return packagesReachedBy(file, { types: false, later: true }).filter((name) => !atOnce.has(name))
  }
  const of = (reached: (file: string) => string[]): Record<string, string[]> =>
    Object.fromEntries(Object.entries(files).map(([entry, file]) => [entry, reached(file)]))

  it('are those of the package', () => {
    const { exports } = JSON.parse(readProjectFile('package.json')) as { exports: Record<string, { default: string } | string> }
    const built = Object.entries(exports).flatMap(([entry, target]) => (typeof target === 'string' ? [] : [[entry, target.default]]))
    expect(built).toEqual(Object.entries(files).map(([entry, file]) => [entry, file.replace(/^src(.*)ts$/, './dist$1js')]))
  })

  it('load what they need and nothing optional: no entry but ./agents loads ai, only ./acp and ./providers compile schemas, only ./acp, ./hooks, ./agents, which keeps sessions, and ./inspect, which records and serves, load modules of Node', () => {
    expect(of(loads)).toEqual({
      '.': ['xstate'],
      './acp': [
        '@agentclientprotocol/sdk',
        'ajv',
        'ajv-formats',
        'node:child_process',
        'node:crypto',
        'node:fs',
        'node:http',
        'node:path',
        'node:process',
        'node:stream',
        'xstate',
      ],
      './agents': ['ai', 'node:crypto', 'node:fs', 'node:os', 'node:path', 'node:process', 'node:worker_threads', 'xstate'],
      './hooks': ['node:child_process', 'node:fs', 'node:path', 'node:stream'],
      './inspect': [
        'node:child_process',
        'node:crypto',
        'node:events',
        'node:fs',
        'node:fs/promises',
        'node:http',
        'node:module',
        'node:path',
        'node:worker_threads',
      ],
      './machines': ['xstate'],
      './providers': ['ajv', 'ajv-formats'],
      './telemetry': ['@opentelemetry/api'],
      './testing': ['xstate'],
      './tools': [],
    })
  })

  it('load these only when asked for what needs them', () => {
    expect(of(loadsLater)).toEqual({
      '.': [],
      './acp': [],
      './agents': [],
      './hooks': [],
      './inspect': ['@hono/node-server', '@statelyai/inspect', 'elkjs', 'hono', 'ws'],
      './machines': [],
      './providers': [],
      './telemetry': [],
      './testing': ['vitest'],
      './tools': ['node:fs/promises', 'node:path', 'node:url', 'yaml'],
    })
  })

  it('the types of the root entry and of ./machines ask for xstate and the schema standard alone', () => {
    expect(packagesReachedBy('src/index.ts', { types: true })).toEqual(['@standard-schema/spec', 'xstate'])
    expect(packagesReachedBy('src/machines/index.ts', { types: true })).toEqual(['@standard-schema/spec', 'xstate'])
  })
})

describe('time and chance', () => {
  // What runs in a browser has its time.
  const core = sources.filter((path) => !/^src\/(cli|graph|inspect\/page\/app)\//.test(path))
  const ambient = new Set([
    'Date',
    'performance',
    'crypto',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'console',
    'process',
  ])
  /** Where they come in, for everyone else to be handed them; and real time where the loop itself is meant. */
  const places: Readonly<Record<string, readonly string[]>> = {
    'src/agents/sessions/lock.ts': ['Date', 'process'],
    'src/agents/sessions/process-identity.ts': ['process'],
    'src/inspect/clean.ts': ['process'],
    'src/inspect/stately/inspector.ts': ['process'],
    'src/processes/darwin.ts': ['Date'],
    'src/processes/environment.ts': ['process'],
    'src/processes/exit-guard.ts': ['process'],
    'src/processes/linux.ts': ['process'],
    'src/processes/marker.ts': ['process'],
    'src/processes/platform.ts': ['process'],
    'src/processes/process-table.ts': ['setImmediate'],
    'src/processes/unix-family.ts': ['process'],
    'src/run/defaults.ts': ['Date', 'clearTimeout', 'console', 'crypto', 'setTimeout'],
    'src/registry/close.ts': ['performance'],
    'src/run/turns.ts': ['setImmediate', 'setTimeout'],
    'src/testing/process-faults.ts': ['process'],
    'src/testing/turns.ts': ['performance', 'setTimeout'],
  }

  function ambientUses(path: string, source: string): string[] {
    const found = new Set<string>()
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && ambient.has(node.text) && isRead(node)) found.add(node.text)
      if (ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random') found.add('Math.random')
      ts.forEachChild(node, visit)
    }
    visit(parse(path, source))
    return [...found].toSorted()
  }

  /** The global, by its name or through globalThis; not a member or a parameter of that name. */
  function isRead(node: ts.Identifier): boolean {
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent)) return parent.expression === node || parent.expression.getText() === 'globalThis'
    if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent)) return false
    return !('name' in parent && parent.name === node)
  }

  it('the core is handed its clock, its ids and its logger; the places where they come in are these', () => {
    const uses = Object.fromEntries(
      core.map((path) => [path, ambientUses(path, readProjectFile(path))] as const).filter(([, names]) => names.length > 0),
    )
    expect(uses).toEqual(places)
  })

  it('a use of the ambient clock is found, and a member of that name is none', () => {
    expect(ambientUses('x.ts', 'const t = Date.now() + Math.random(); globalThis.setTimeout(f, 1)')).toEqual([
      'Date',
      'Math.random',
      'setTimeout',
    ])
    expect(
      ambientUses('x.ts', 'clock.setTimeout(f, 1); interface C { setTimeout(): void }; const c = { setTimeout: 1 }; type T = Date'),
    ).toEqual([])
  })
})
