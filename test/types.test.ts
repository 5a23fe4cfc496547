/**
 * Types: what the compiler promises. The functions below are only ever compiled; the tests at the end have the compiler look at
 * this file and at a program outside of the package, and fail on what it finds.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import * as valibot from 'valibot'
import { expect, expectTypeOf, it } from 'vitest'
import * as zod from 'zod'
import type {
  Agent,
  AgentOptions,
  ContentBlock,
  ParentAgent,
  ProviderAddedEvent,
  ProviderRemovedEvent,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentCapabilities,
  SubagentEndEvent,
  SubagentLifecycleEvent,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
  SubagentService,
  SubagentStartEvent,
  SubagentStartRequest,
  SubagentStopReason,
  SubagentStopReasonMap,
  SubagentUpdateEvent,
} from '../src/index.ts'
import { root } from './project/source-files.ts'

declare const service: SubagentService
declare const parent: ParentAgent
const prompt = 'go'

// The interface blocks of the system that this contract comes from, as they stand on its pages. What the pages name without
// declaring it is ours: the content block, the schema, the options; of an agent they read id, options and session.
declare namespace Seed {
  type AgentId = string
  type Agent = ParentAgent
  type SchemaSpec = unknown

  interface SubagentCapabilities {
    outputSchema: boolean
    depthLimit: boolean
    toolFilter: boolean
  }
  interface SubagentStartRequest {
    prompt: ContentBlock[]
    parent: Agent
    signal?: AbortSignal
    agentOptions?: AgentOptions
    outputSchema?: SchemaSpec
    maxDepth?: number
    toolFilter?: { allow?: string[]; deny?: string[] }
  }
  interface SubagentResult {
    output: ContentBlock[]
    structured?: unknown
    stopReason: SubagentStopReason
  }
  interface SubagentStopReasonMap {
    completed: 'completed'
    aborted: 'aborted'
    error: 'error'
    'max-tokens': 'max-tokens'
    refusal: 'refusal'
  }
  type SubagentStopReason = SubagentStopReasonMap[keyof SubagentStopReasonMap]
  interface SubagentRun {
    readonly id: AgentId
    readonly result: Promise<SubagentResult>
    cancel(reason?: string): void
    dispose(): Promise<void>
    sendMessage?(content: ContentBlock[]): void
    resume?(content: ContentBlock[]): SubagentRun
  }
  interface SubagentProvider {
    readonly name: string
    readonly capabilities: SubagentCapabilities
    start(request: SubagentStartRequest): SubagentRun
  }
  // From the prose and the table of the service's page.
  interface SubagentService {
    registerProvider(provider: SubagentProvider): () => void
    getProvider(name: string): Pick<SubagentProvider, 'name' | 'capabilities'> | undefined
    list(): string[]
    start(name: string, request: SubagentStartRequest): Ours
  }
  interface SubagentRunInfo {
    provider: string
    id: AgentId
  }
  interface SubagentRunEndInfo extends SubagentRunInfo {
    stopReason: Merged
    lastAssistantMessage?: readonly ContentBlock[]
  }
  // A backend may add stop reasons to the map: ours adds one. What reads ours reads the map with it.
  type Merged = SubagentStopReason | 'timed-out'
  interface OursResult extends Omit<SubagentResult, 'stopReason'> {
    stopReason: Merged
  }
  interface Ours extends Omit<SubagentRun, 'result' | 'resume'> {
    readonly result: Promise<OursResult>
    resume?(content: ContentBlock[]): Ours
  }
}

export function seedAndOurs(): void {
  // What a caller or a provider of the pages writes, ours takes.
  expectTypeOf<Seed.SubagentCapabilities>().toExtend<SubagentCapabilities>()
  expectTypeOf<Seed.SubagentStartRequest>().toExtend<SubagentStartRequest>()
  expectTypeOf<Seed.SubagentResult>().toExtend<SubagentResult>()
  expectTypeOf<Seed.SubagentStopReason>().toExtend<SubagentStopReason>()
  expectTypeOf<Seed.SubagentStopReasonMap>().toEqualTypeOf<Omit<SubagentStopReasonMap, 'timed-out'>>()
  expectTypeOf<Seed.SubagentRun>().toExtend<ProviderRun>()
  expectTypeOf<Seed.SubagentProvider>().toExtend<SubagentProvider>()
  // Methods are compared loosely; as functions they are not.
  expectTypeOf<(request: Seed.SubagentStartRequest) => Seed.SubagentRun>().toExtend<
    (request: ProviderStartRequest, context: RunContext) => ProviderRun
  >()
  expectTypeOf<(content: ContentBlock[]) => Seed.SubagentRun>().toExtend<(content: ContentBlock[], context: RunContext) => ProviderRun>()

  // What a caller or a provider of the pages reads, ours has.
  expectTypeOf<SubagentCapabilities>().toExtend<Seed.SubagentCapabilities>()
  expectTypeOf<ProviderStartRequest>().toExtend<Seed.SubagentStartRequest>()
  expectTypeOf<SubagentResult>().toExtend<Seed.OursResult>()
  expectTypeOf<SubagentStopReason>().toEqualTypeOf<Seed.Merged>()
  expectTypeOf<SubagentRun>().toExtend<Seed.Ours>()
  expectTypeOf<Pick<SubagentProvider, 'name' | 'capabilities'>>().toExtend<Pick<Seed.SubagentProvider, 'name' | 'capabilities'>>()
  expectTypeOf<Agent>().toExtend<Seed.Agent>()
  expectTypeOf<SubagentService>().toExtend<Seed.SubagentService>()
  expectTypeOf<SubagentStartEvent>().toExtend<Seed.SubagentRunInfo>()
  expectTypeOf<SubagentEndEvent>().toExtend<Seed.SubagentRunEndInfo>()

  // @ts-expect-error a run of the pages has no updates, so it is no run of ours to a caller
  expectTypeOf<Seed.SubagentRun>().toExtend<SubagentRun>()
  // @ts-expect-error the pages' closed list of stop reasons does not know ours
  expectTypeOf<SubagentResult>().toExtend<Seed.SubagentResult>()
}

export async function structured(): Promise<void> {
  const asked = { parent, prompt }
  const schema = zod.object({ answer: zod.string(), sure: zod.boolean().optional() })
  expectTypeOf((await service.delegate('a', { ...asked, outputSchema: schema })).structured).toEqualTypeOf<
    { answer: string; sure?: boolean | undefined } | undefined
  >()
  expectTypeOf((await service.start('a', { ...asked, outputSchema: schema }).result).structured).toEqualTypeOf<
    { answer: string; sure?: boolean | undefined } | undefined
  >()
  // The output of a schema, not its input.
  const transforming = zod.object({ length: zod.string().transform((text) => text.length) })
  expectTypeOf((await service.delegate('a', { ...asked, outputSchema: transforming })).structured).toEqualTypeOf<
    { length: number } | undefined
  >()
  const fields = valibot.object({ answer: valibot.string(), n: valibot.optional(valibot.number()) })
  expectTypeOf((await service.delegate('a', { ...asked, outputSchema: fields })).structured).toEqualTypeOf<
    { answer: string; n?: number | undefined } | undefined
  >()
  expectTypeOf((await service.delegate('a', { ...asked, outputSchema: { type: 'object' } })).structured).toEqualTypeOf<unknown>()
  expectTypeOf((await service.delegate('a', asked)).structured).toEqualTypeOf<unknown>()
  expectTypeOf(service.start('a', { ...asked, outputSchema: schema }).resume!('more')).toEqualTypeOf<
    SubagentRun<{ answer: string; sure?: boolean | undefined }>
  >()
  expectTypeOf(service.resume('a', { sessionId: 's', prompt, outputSchema: fields })).toEqualTypeOf<
    SubagentRun<{ answer: string; n?: number | undefined }>
  >()
  // @ts-expect-error a session has to be named
  service.resume('a', { prompt })
}

export function optionalMethods(run: SubagentRun): void {
  // @ts-expect-error there only where the provider can
  run.sendMessage('more')
  // @ts-expect-error there only where the provider can
  run.resume('more')
  if (run.sendMessage) expectTypeOf(run.sendMessage).toBeCallableWith('more')
  if (run.resume) expectTypeOf(run.resume('more')).toEqualTypeOf<SubagentRun>()
  expectTypeOf(run).toExtend<AsyncDisposable>()
  // @ts-expect-error the handle tells, it is not told
  run.id = 'other'
}

export function listeners(): void {
  service.on('subagent/start', (event) => expectTypeOf(event).toEqualTypeOf<SubagentStartEvent>())
  service.on('subagent/update', (event) => expectTypeOf(event).toEqualTypeOf<SubagentUpdateEvent>())
  service.on('subagent/end', (event) => expectTypeOf(event).toEqualTypeOf<SubagentEndEvent>())
  service.on('subagent/provider-added', (event) => expectTypeOf(event).toEqualTypeOf<ProviderAddedEvent>())
  service.on('subagent/provider-removed', (event) => expectTypeOf(event).toEqualTypeOf<ProviderRemovedEvent>())
  service.on('*', (event) => expectTypeOf(event).toEqualTypeOf<SubagentLifecycleEvent>())
  expectTypeOf(service.on('*', async () => {})).toEqualTypeOf<{ unsubscribe(): void }>()
  service.ref.on('subagent/end', (event) => expectTypeOf(event).toExtend<SubagentEndEvent>())
  // @ts-expect-error no such event
  service.on('subagent/stop', () => {})
  service.on('subagent/end', (event) => {
    // @ts-expect-error what is frozen is readonly
    event.lastAssistantMessage?.push({ type: 'text', text: 'more' })
  })
}

export function requests(): void {
  expectTypeOf(service.start('a', { parent, prompt })).toEqualTypeOf<SubagentRun>()
  expectTypeOf(service.start).toBeCallableWith('a', { parent, prompt: [{ type: 'text', text: 'go' }] as const })
  // @ts-expect-error somebody delegates
  void service.start('a', { prompt })
  // @ts-expect-error a block has a type
  void service.start('a', { parent, prompt: [{ text: 'go' }] })
  // @ts-expect-error a filter names tools
  void service.start('a', { parent, prompt, toolFilter: { allow: [7] } })
  // @ts-expect-error an option that does not exist
  void service.start('a', { parent, prompt, timeout: 7 })
}

/** What the compiler finds in a file; `source` stands in for one that is on no disk. */
function findings(file: string, compilerOptions: ts.CompilerOptions, source?: string): string[] {
  const host = ts.createCompilerHost(compilerOptions)
  if (source !== undefined) {
    const { getSourceFile, fileExists } = host
    host.fileExists = (path) => path === file || fileExists(path)
    host.getSourceFile = (path, ...rest) =>
      path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2023) : getSourceFile(path, ...rest)
  }
  const program = ts.createProgram([file], { ...compilerOptions, noEmit: true }, host)
  const checked = program.getSourceFile(file)!
  return [...program.getOptionsDiagnostics(), ...program.getSyntacticDiagnostics(checked), ...program.getSemanticDiagnostics(checked)].map(
    ({ file: at, start, messageText }) =>
      `${at ? at.getLineAndCharacterOfPosition(start!).line + 1 : '-'}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  )
}

const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config, ts.sys, root)

it('V1, V4, V5, S19: the compiler agrees with every statement of this file', { timeout: 120_000 }, () => {
  expect(findings(fileURLToPath(import.meta.url), options)).toEqual([])
})

it('V1: the compiler would disagree with a wrong one', { timeout: 120_000 }, () => {
  const wrong = `import { expectTypeOf } from 'vitest'
    import type { SubagentCapabilities, SubagentResult } from '../src/index.ts'
    expectTypeOf<{ outputSchema: boolean }>().toExtend<SubagentCapabilities>()
    expectTypeOf<SubagentResult<string>['structured']>().toEqualTypeOf<number | undefined>()`
  expect(findings(`${root}test/wrong.ts`, options, wrong).map((finding) => finding.slice(0, 2))).toEqual(['3:', '4:'])
})

/** A program outside of the package, which has it as a dependency. */
function consumer(source: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'subagents-consumer-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/xstate-subagents'), 'dir')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const file = join(folder, 'app.ts')
    writeFileSync(file, source)
    return findings(file, {
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      types: [],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const usesOwn = `
  const service = createSubagentService({ providers: [defineProvider({ name: 'mine', run: (request, context) => {
    context.update({ type: 'cost', dollars: 1 })
    const temperature: number | undefined = request.agentOptions?.temperature
    return { output: [], stopReason: temperature === 0 ? 'over-budget' : 'completed' }
  } })] })
  service.on('subagent/update', ({ update }) => { if (update.type === 'cost') { const dollars: number = update.dollars; void dollars } })
  service.on('subagent/end', ({ stopReason }) => { if (stopReason === 'over-budget') void stopReason })
  void service.delegate('mine', { parent: rootAgent(), prompt: 'go', agentOptions: { temperature: 0 } })
`
const imports = `import { createSubagentService, defineProvider, rootAgent } from 'xstate-subagents'\n`

it('V2: stop reasons, options of agents and updates are extended from outside the package', { timeout: 120_000 }, () => {
  const declared = `declare module 'xstate-subagents' {
    interface SubagentStopReasonMap { 'over-budget': 'over-budget' }
    interface AgentOptions { readonly temperature?: number }
    interface SubagentUpdateMap { cost: { readonly dollars: number } }
  }`
  expect(consumer(imports + declared + usesOwn)).toEqual([])
  // Without the declaration each of them is refused; the package's own names are open to nobody by accident.
  const refused = consumer(imports + usesOwn)
  expect(refused.some((finding) => finding.includes('over-budget'))).toBe(true)
  expect(refused.some((finding) => finding.includes('temperature'))).toBe(true)
  expect(refused.some((finding) => finding.includes('"cost"'))).toBe(true)
})
