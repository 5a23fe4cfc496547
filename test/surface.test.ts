import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { errorCodes, failureCodes } from '../src/errors.ts'
import { graphSubjects } from '../src/graph/index.ts'
import { chartOf } from '../src/graph/chart.ts'
import type { SubagentLifecycleEvent } from '../src/index.ts'
import { parse } from './project/imports.ts'
import { readProjectFile } from './project/source-files.ts'

/**
 * What the package promises by name. A name that goes, or changes, breaks someone: it takes a new major version. A new one
 * is added here in the change that brings it.
 */
// oxfmt-ignore
const surface = {
  '.': {
    values: ['SubagentDepthError', 'SubagentError', 'createSubagentService', 'defineProvider', 'depthOf', 'errorCodes', 'failureCodes', 'fromSubagent', 'rootAgent', 'subagentRegistry', 'subagentService'],
    types: ['Agent', 'AgentOptions', 'Clock', 'ContentBlock', 'DefineProviderOptions', 'FailureCode', 'Json', 'JsonSchema', 'Logger', 'ParentAgent', 'ParentRef', 'PermissionAnswer', 'PermissionHandler', 'PermissionQuestion', 'PermissionRequest', 'ProviderAddedEvent', 'ProviderAnswer', 'ProviderDisposer', 'ProviderRemovedEvent', 'ProviderResumeRequest', 'ProviderRun', 'ProviderStartRequest', 'ProviderUpdates', 'ProviderYield', 'RegistryActorRef', 'RegistryEvent', 'RegistryInput', 'RegistryLogic', 'RegistryReply', 'RegistrySnapshot', 'ResolvedStartRequest', 'RootAgentOptions', 'RunActorRef', 'RunContext', 'RunEvent', 'RunSnapshot', 'Session', 'SessionEvent', 'SessionHeader', 'SessionOrigin', 'StructuredOf', 'SubagentCapabilities', 'SubagentEndEvent', 'SubagentErrorCode', 'SubagentFailure', 'SubagentLifecycleEvent', 'SubagentLogic', 'SubagentProvider', 'SubagentResult', 'SubagentResumeRequest', 'SubagentRun', 'SubagentService', 'SubagentServiceOptions', 'SubagentSnapshot', 'SubagentStartEvent', 'SubagentStartRequest', 'SubagentStopReason', 'SubagentStopReasonMap', 'SubagentUpdate', 'SubagentUpdateContent', 'SubagentUpdateEvent', 'SubagentUpdateMap', 'ToolFilter', 'TurnEndReason', 'Usage'],
  },
  './acp': {
    values: ['acpProvider', 'knownAgents'],
    types: ['AcpProviderOptions', 'AgentEnforces', 'KnownAgent', 'KnownAgentName', 'PermissionPolicy'],
  },
  './agents': {
    values: ['createAgents', 'intersectToolFilters', 'parentFromMessages', 'toolFilterOf'],
    types: ['AgentHandle', 'AgentToolOptions', 'Agents', 'CreateAgentOptions', 'CreateAgentsOptions', 'InProcessAgent', 'ModelObject', 'ParentFromMessagesOptions', 'ResumeAgentOptions'],
  },
  './hooks': {
    values: ['createHooksBridge'],
    types: ['HookAgent', 'HookAgents', 'HooksBridge', 'HooksBridgeOptions', 'HooksService'],
  },
  './inspect': {
    values: ['applyEntry', 'createJournal', 'createPermissionDesk', 'emptyJournalState', 'journalStateAt', 'openInspectPage', 'readJournal', 'recordJournal', 'stateName', 'statelyInspector'],
    types: ['ActorKind', 'ActorStatus', 'Chart', 'ChartState', 'ChartTransition', 'InspectPage', 'InspectPageOptions', 'Journal', 'JournalActor', 'JournalEntry', 'JournalEntryOf', 'JournalEntryType', 'JournalFailure', 'JournalOptions', 'JournalRun', 'JournalState', 'JournalUpdate', 'LabelOption', 'PagePermissions', 'PathStep', 'PendingPermission', 'PermissionDesk', 'ReadOptions', 'RecordJournalOptions', 'RecordedJournal', 'Recording', 'StateValue', 'StatelyInspector', 'StatelyInspectorOptions', 'Table'],
  },
  './machines': {
    values: ['acpProcessMachine', 'agentMachine', 'registryConfig', 'runEffectNames', 'runMachine'],
    types: ['AcpProcessActorRef', 'AcpProcessContext', 'AcpProcessEvent', 'AcpProcessInput', 'AcpProcessLogic', 'AcpProcessMachine', 'AcpProcessSnapshot', 'AcpProcessStage', 'AcpProcessStateValue', 'AgentActorRef', 'AgentEvent', 'AgentInput', 'AgentLogic', 'AgentMachine', 'AgentSnapshot', 'AgentStateValue', 'RegistryEvent', 'RegistryInput', 'RegistryLogic', 'RegistryReply', 'RegistrySnapshot', 'RegistryState', 'RunAction', 'RunEffectName', 'RunEffects', 'RunEvent', 'RunInput', 'RunLogic', 'RunMachine', 'RunMachineContext', 'RunOutcome', 'RunSnapshot', 'RunStateValue', 'RunTimer'],
  },
  './providers': {
    values: ['aiSdkAgentProvider', 'defineProvider', 'forkProvider', 'spawnProvider', 'startInProcessRun'],
    types: ['AiSdkAgent', 'AiSdkAgentCall', 'AiSdkAgentProviderOptions', 'AiSdkAgentStream', 'DefineProviderOptions', 'ForkProviderOptions', 'InProcessRunOptions', 'ProviderAnswer', 'ProviderUpdates', 'ProviderYield', 'SpawnProviderOptions'],
  },
  './telemetry': {
    values: ['traceRuns'],
    types: ['RunTraces', 'TraceRunsOptions'],
  },
  './testing': {
    values: ['ProviderCaseError', 'caseTimes', 'caseTitle', 'createSimulatedClock', 'describeProvider', 'modelPaths', 'providerCases', 'runCase', 'runPaths', 'scriptedModel', 'scriptedProvider', 'skipProblems'],
    types: ['CaseId', 'CaseOutcome', 'ConductRule', 'ControlName', 'DescribeProviderOptions', 'MakeProvider', 'ModelPathsOptions', 'Path', 'PathFilter', 'PathStep', 'ProviderAct', 'ProviderCase', 'ProviderCasesOptions', 'ProviderExpectation', 'ProviderSubject', 'ResultExpectation', 'RunCaseOptions', 'RunPath', 'RunPathsOptions', 'ScriptedAnswer', 'ScriptedCall', 'ScriptedChild', 'ScriptedError', 'ScriptedModel', 'ScriptedModelOptions', 'ScriptedProvider', 'ScriptedProviderOptions', 'ScriptedRun', 'ScriptedRunStep', 'ScriptedStep', 'ScriptedText', 'ScriptedToolCall', 'SimulatedClock', 'Skips', 'SubjectSetting', 'TestRunner'],
  },
  './tools': {
    values: ['defineSubagentTool', 'isSubagentProgress', 'loadAgentDefinitions', 'mountSubagentTool', 'subagentTool', 'subagentTools'],
    types: ['DelegatingService', 'LoadAgentDefinitionsOptions', 'MountTool', 'SubagentBackgroundOptions', 'SubagentNotice', 'SubagentProgress', 'SubagentToolAgent', 'SubagentToolCall', 'SubagentToolDefinition', 'SubagentToolInput', 'SubagentToolMount', 'SubagentToolOptions', 'SubagentToolOutput', 'SubagentToolResult', 'SubagentTools', 'ToolCallProgress'],
  },
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const manifest = JSON.parse(readProjectFile('package.json')) as Manifest
const { './package.json': _, ...entries } = manifest.exports

describe('the public surface', () => {
  it('the entries export these names and no others, each listed by name', () => {
    expect(Object.fromEntries(Object.entries(entries).map(([entry, { default: file }]) => [entry, exportsOf(sourceOf(file))]))).toEqual(
      surface,
    )
  })

  it('what an entry exports as a value is there when it is loaded', async () => {
    for (const [entry, { default: file }] of Object.entries(entries)) {
      const loaded = (await import(new URL(`../${sourceOf(file)}`, import.meta.url).href)) as object
      expect(Object.keys(loaded).toSorted(), entry).toEqual(surface[entry as keyof typeof surface].values)
    }
  })

  it('each entry has its declarations beside it', () => {
    for (const { types, default: file } of Object.values(entries)) expect(types).toBe(file.replace(/\.js$/, '.d.ts'))
    expect(manifest.bin).toEqual({ subagents: './dist/cli/main.js' })
    expect(manifest.peerDependencies).toEqual({
      '@opentelemetry/api': '>=1.9 <2',
      '@statelyai/inspect': '>=0.7 <1',
      ai: '>=6 <8',
      vitest: '>=3',
      xstate: '^5.25.1',
    })
  })

  it('V7: errors have these codes, and failures of settled runs these in addition, each with what to do', () => {
    expect(Object.keys(errorCodes)).toEqual([
      'NO_PROVIDER',
      'DUPLICATE_PROVIDER',
      'INVALID_PROVIDER',
      'UNSUPPORTED_CAPABILITY',
      'INVALID_REQUEST',
      'DUPLICATE_RUN',
      'DEPTH_EXCEEDED',
      'CONCURRENCY_LIMIT',
      'REGISTRY_CLOSED',
      'NO_MODEL',
      'INVALID_RESULT',
      'RELEASE_TIMEOUT',
      'UNAUTHORIZED',
      'LOST',
    ])
    expect(Object.keys(failureCodes)).toEqual([
      'MAX_STEPS',
      'MODEL_ERROR',
      'NO_STRUCTURED_OUTPUT',
      'SPAWN_FAILED',
      'HANDSHAKE_FAILED',
      'AUTH_REQUIRED',
      'PROTOCOL',
      'CRASHED',
      'IDLE_TIMEOUT',
      'DEAF',
    ])
    for (const text of Object.values({ ...errorCodes, ...failureCodes })) expect(text).toMatch(/^[A-Z].{20,}\.$/)
  })

  it('lifecycle events, updates and stop reasons have these types', () => {
    // A record, so that the compiler asks for a type that is missing here and refuses one that is gone.
    const lifecycle: Record<SubagentLifecycleEvent['type'], true> = {
      'subagent/provider-added': true,
      'subagent/provider-removed': true,
      'subagent/start': true,
      'subagent/update': true,
      'subagent/end': true,
    }
    const declared = [...readProjectFile('src/types.ts').matchAll(/readonly type: '(subagent\/[a-z-]+)'/g)].map(([, type]) => type)
    expect(declared.toSorted()).toEqual(Object.keys(lifecycle).toSorted())
    // Read from the source: as types, others may have extended them (V2).
    expect(membersOf('SubagentUpdateMap')).toEqual([
      'ready',
      'text',
      'thought',
      'tool-call',
      'tool-result',
      'plan',
      'permission',
      'usage',
      'raw',
    ])
    expect(membersOf('SubagentStopReasonMap')).toEqual(['completed', 'aborted', 'error', 'max-tokens', 'refusal', 'timed-out'])
  })

  it('the machines know these events', () => {
    const eventsOf = (config: Parameters<typeof chartOf>[0]): string[] =>
      [...new Set(chartOf(config).edges.map(({ event }) => event))].toSorted()
    expect(Object.fromEntries(Object.entries(graphSubjects).map(([name, config]) => [name, eventsOf(config)]))).toEqual({
      run: [
        'abort-before-start',
        'accept',
        'answer',
        'ask',
        'cancel',
        'deadline',
        'dispose',
        'give-up',
        'ready',
        'reject',
        'release-failed',
        'released',
        'settle',
        'slot',
        'start-failed',
        'wait',
        'xstate.error.actor.*',
      ],
      registry: ['close', 'provider.register', 'provider.unregister', 'quiet', 'run.cancel', 'run.dispose', 'run.start'],
      agent: ['begin', 'dispose', 'rest'],
      acp: ['answered', 'close', 'closed', 'exited', 'fail', 'hand-over', 'initialized', 'opened', 'prompt', 'spawned'],
    })
  })
})

const sourceOf = (file: string): string => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')

/** The names that a module exports; an `export *`, or a declaration in an index, is none of the house. */
function exportsOf(path: string): { values: string[]; types: string[] } {
  const values: string[] = []
  const types: string[] = []
  for (const statement of parse(path, readProjectFile(path)).statements) {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause || !ts.isNamedExports(statement.exportClause))
      throw new Error(`${path}: an entry lists its exports one by one, and has ${statement.getText().slice(0, 40)}`)
    for (const { name, isTypeOnly } of statement.exportClause.elements)
      (statement.isTypeOnly || isTypeOnly ? types : values).push(name.text)
  }
  return { values: values.toSorted(), types: types.toSorted() }
}

/** The members of an interface of src/types.ts, in order. */
function membersOf(name: string): string[] {
  const declaration = parse('src/types.ts', readProjectFile('src/types.ts')).statements.find(
    (statement): statement is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  )
  return declaration!.members.map((member) => (member.name as ts.Identifier | ts.StringLiteral).text)
}
