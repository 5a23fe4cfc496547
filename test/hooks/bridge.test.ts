import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tool } from 'ai'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { deferred } from '../../src/run/deferred.ts'
import { systemClock } from '../../src/run/defaults.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import type { Clock } from '../../src/types.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { createHooksBench, hooks } from './harness.ts'

const parse = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line) as unknown)

describe('what a hook reads', () => {
  it('H2: one line of JSON each, of a child that is no agent of ours: its id for a session, the cwd of its parent, no transcripts', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks(['cat >>log; wc -l <log >>count'], ['cat >>log']))
    const { run, answer } = bench.start({ id: 'run-1' })
    await answer('The answer,\nin "two" lines — ü.')
    await bridge.idle()
    const common = { session_id: run.id, transcript_path: '', cwd: bench.folder, agent_id: 'run-1', agent_type: 'general-purpose' }
    expect(parse(await bench.lines('log'))).toEqual([
      { ...common, hook_event_name: 'SubagentStart' },
      {
        ...common,
        hook_event_name: 'SubagentStop',
        stop_hook_active: false,
        last_assistant_message: 'The answer,\nin "two" lines — ü.',
        agent_transcript_path: '',
        stop_reason: 'completed',
      },
    ])
    expect((await bench.lines('count')).map((line) => line.trim())).toEqual(['1'])
    expect(bench.warnings).toEqual([])
  })

  it("H2: of an agent its own session and cwd, and the files that keep its parent's session and its own, also when it is gone", async () => {
    const [directory, work] = [await temporaryFolder(), await temporaryFolder()]
    const agents = createAgents({ model: scriptedModel(['I am the parent.', 'I am the child.']), sessions: { directory } })
    const bench = await createHooksBench({ providers: [spawnProvider({ agents })] })
    const { agent: parent, dispose } = agents.create({ cwd: work, sessionId: 'parent' })
    onTestFinished(dispose)
    parent.send('Who are you?')
    await parent.whenIdle()
    const bridge = bench.bridge(hooks([`cat >>'${bench.folder}/log'; sleep 0.2`], [`cat >>'${bench.folder}/log'`]), { agents })
    const run = bench.service.start('spawn', { parent, prompt: 'And you?', id: 'run-1' })
    const childSession = agents.get(run.id)!.session.header.id
    await run.result
    await run.dispose()
    expect(agents.get(run.id)).toBeUndefined()
    await bridge.idle()
    const common = {
      session_id: childSession,
      transcript_path: join(directory, 'parent.jsonl'),
      cwd: work,
      agent_id: 'run-1',
      agent_type: 'general-purpose',
    }
    expect(parse(await bench.lines('log'))).toEqual([
      { ...common, hook_event_name: 'SubagentStart' },
      {
        ...common,
        hook_event_name: 'SubagentStop',
        stop_hook_active: false,
        last_assistant_message: 'I am the child.',
        agent_transcript_path: join(directory, `${childSession}.jsonl`),
        stop_reason: 'completed',
      },
    ])
  })

  it('H2: of a run that was aborted before its start, and of one that was cancelled, how it stopped', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks(['cat >>log'], ['cat >>log']))
    await bench.start({ id: 'early', signal: AbortSignal.abort() }).run.result
    await bridge.idle()
    const { run } = bench.start({ id: 'late' })
    run.cancel()
    await run.result
    await bridge.idle()
    expect(
      parse(await bench.lines('log')).map((value) => pick(value, ['hook_event_name', 'agent_id', 'stop_reason', 'last_assistant_message'])),
    ).toEqual([
      ['SubagentStart', 'early', undefined, undefined],
      ['SubagentStop', 'early', 'aborted', ''],
      ['SubagentStart', 'late', undefined, undefined],
      ['SubagentStop', 'late', 'aborted', ''],
    ])
  })

  it('H2: a bridge that comes when a run is under way hears of its end', async () => {
    const bench = await createHooksBench()
    const { run, answer } = bench.start({ id: 'under-way' })
    const bridge = bench.bridge(hooks([], ['cat >>log']))
    await answer()
    await bridge.idle()
    expect(parse(await bench.lines('log')).map((value) => pick(value, ['agent_id', 'cwd', 'session_id']))).toEqual([
      ['under-way', bench.folder, run.id],
    ])
  })

  it('H2: a hook that does not read, and one that reads a message of a megabyte', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks([], ['exec <&-; sleep 0.1', 'jq -r ".last_assistant_message|length" >>log']))
    const { answer } = bench.start()
    await answer('x'.repeat(1_000_000))
    await bridge.idle()
    expect(await bench.lines('log')).toEqual(['1000000'])
    expect(bench.warnings).toEqual([])
  })

  it('H1: the environment is a short list of names and what was asked for: a secret of this process does not come through', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-secret-of-the-host')
    vi.stubEnv('CLAUDE_CODE_OAUTH_TOKEN', 'sk-secret-of-the-host')
    onTestFinished(() => void vi.unstubAllEnvs())
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks(['env >log']), { pluginRoot: '/the plugin', env: { TOKEN: 'for the hook', TERM: undefined } })
    await bench.delegate(bridge)
    const environment = await bench.lines('log')
    expect(environment.join('\n')).not.toContain('sk-secret-of-the-host')
    expect(environment).toEqual(
      expect.arrayContaining([
        `CLAUDE_PROJECT_DIR=${bench.folder}`,
        'CLAUDE_PLUGIN_ROOT=/the plugin',
        'TOKEN=for the hook',
        `PATH=${process.env['PATH']}`,
      ]),
    )
    expect(environment.filter((line) => /^(CLAUDE_(?!PROJECT_DIR|PLUGIN_ROOT)|TERM=)/.test(line))).toEqual([])
  })
})

describe('the order of commands', () => {
  it("H4: those of one event run one after the other in config order, in the child's cwd; a stop waits for the start of its run", async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge({
      SubagentStart: [
        { hooks: [{ command: 'sleep 0.3; pwd >>log' }, { command: 'echo start 2 >>log' }] },
        { matcher: 'general-purpose', hooks: [{ command: 'echo start 3 >>log' }] },
      ],
      SubagentStop: [{ hooks: [{ command: 'echo stop 1 >>log' }, { command: 'exit 1' }, { command: 'echo stop 3 >>log' }] }],
    })
    await bench.delegate(bridge)
    expect(await bench.lines('log')).toEqual([bench.folder, 'start 2', 'start 3', 'stop 1', 'stop 3'])
  })

  it('H4: hooks of different runs run beside each other, no more than maxConcurrent', async () => {
    const bench = await createHooksBench()
    // Each waits until as many have come as may.
    const bridge = bench.bridge(
      hooks([
        'echo in >>log; while [ $(grep -c in log) -lt 2 ]; do sleep 0.01; done; echo "running $(($(grep -c in log) - $(grep -c out log)))" >>count; sleep 0.1; echo out >>log',
      ]),
      {
        maxConcurrent: 2,
      },
    )
    const runs = Array.from({ length: 6 }, () => bench.start())
    await bridge.idle()
    const counts = (await bench.lines('count')).map((line) => Number(line.split(' ')[1]))
    expect(counts).toHaveLength(6)
    expect(Math.max(...counts)).toBe(2)
    await Promise.all(runs.map(({ answer }) => answer()))
  })

  it('H4: a child whose folder is gone: the hook is told of in a warning, the run stays as it is', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks(['echo never']), { agents: { get: () => ({ ...agentAt('/no/such/folder') }) } })
    await bench.delegate(bridge, { id: 'run-1' })
    expect(bench.warnings).toEqual([
      'Hooks: hooks.SubagentStart[0].hooks[0] of run run-1 /bin/sh could not be started: its working directory /no/such/folder cannot be found. Give a directory that exists and can be entered.',
    ])
  })

  it('H4: the timeout is in seconds, and 600 without one', async () => {
    const bench = await createHooksBench()
    const waits: number[] = []
    const clock: Clock = {
      ...systemClock,
      setTimeout: (callback, ms) => {
        waits.push(ms)
        return systemClock.setTimeout(callback, ms)
      },
    }
    const bridge = bench.bridge(hooks([{ command: 'true' }, { command: 'true', timeout: 2.5 }]), { clock })
    await bench.delegate(bridge)
    // Those of a write and of a teardown are others.
    expect(waits.filter((ms) => ms > 2000 && ms !== 30_000)).toEqual([600_000, 2500])
  })
})

describe('what a hook says', () => {
  const say = async (command: string, event: 'start' | 'stop' = 'start') => {
    const bench = await createHooksBench()
    const injected: unknown[] = []
    const bridge = bench.bridge(event === 'start' ? hooks([command]) : hooks([], [command]), {
      agents: {
        get: () => ({ ...agentAt(bench.folder), inject: (content: unknown, options: unknown) => void injected.push([content, options]) }),
      },
    })
    const { run, answer } = bench.start({ id: 'run-1' })
    await bridge.idle()
    await answer()
    await bridge.idle()
    const result = await run.result
    expect(result).toMatchObject({ stopReason: 'completed', output: [{ type: 'text', text: 'Done.' }] })
    return {
      injected,
      warnings: bench.warnings.map((warning) => warning.replace(/^Hooks: hooks\.\w+\[0\]\.hooks\[0\] of run run-1 /, '')),
      debugs: bench.debugs,
    }
  }
  const printed = (answer: unknown, rest = ''): string => `cat <<'EOF'\n${JSON.stringify(answer)}${rest}\nEOF`
  const context = (text: string) => ({ hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: text } })

  it.each<[string, string, readonly unknown[], readonly string[]]>([
    [
      'H5, H6: JSON with additionalContext: it is injected',
      printed(context('Mind the tests.')),
      [['Mind the tests.', { source: 'hooks' }]],
      [],
    ],
    ['H5: JSON after white space', `echo; echo; ${printed(context('x'))}`, [['x', { source: 'hooks' }]], []],
    ['H5: JSON with a line of something else behind it', printed(context('x'), '\nAll done'), [['x', { source: 'hooks' }]], []],
    [
      'H5: fields of other types are passed over',
      printed({
        continue: 'no',
        decision: 3,
        systemMessage: [],
        suppressOutput: 1,
        hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 7 },
      }),
      [],
      [],
    ],
    ['H5: text is nothing', 'echo Logged.', [], []],
    ['H5: nothing is nothing', 'true', [], []],
    ['H5: what only begins like JSON', 'echo "{not json"', [], ['printed what begins like JSON and is none; nothing is made of it.']],
    ['H5: more than is kept', `head -c 400000 /dev/zero | tr '\\0' '{'`, [], ['printed more than 256 KiB, of which nothing is made.']],
    [
      'H5: exit 2 is a block with stderr as its reason, which changes nothing',
      `${printed(context('x'))}\necho 'Not on main.' >&2; exit 2`,
      [],
      ['would block (exit code 2), which changes nothing here: Not on main.'],
    ],
    ['H5: another exit is an error', `${printed(context('x'))}\necho oops >&2; exit 1`, [], ['failed with exit code 1. It said: oops']],
    ['H5: a program that is not there', 'no-such-program-anywhere 2>/dev/null', [], ['failed with exit code 127.']],
    ['H5: an end by a signal', 'kill -KILL $$', [], ['failed with SIGKILL.']],
    [
      'H5: a hookSpecificOutput for another event is discarded',
      printed({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x' } }),
      [],
      ['gave a hookSpecificOutput that is for "SessionStart"; it has to have hookEventName "SubagentStart". It is discarded.'],
    ],
    [
      'H5: one for none is discarded',
      printed({ hookSpecificOutput: { additionalContext: 'x' } }),
      [],
      ['gave a hookSpecificOutput that names no event; it has to have hookEventName "SubagentStart". It is discarded.'],
    ],
    [
      'H6: block changes nothing',
      printed({ decision: 'block', reason: 'Too early.' }),
      [],
      ['would block (decision: block), which changes nothing here: Too early.'],
    ],
    [
      'H6: deny changes nothing',
      printed({ hookSpecificOutput: { hookEventName: 'SubagentStart', permissionDecision: 'deny', permissionDecisionReason: 'No.' } }),
      [],
      ['would block (permissionDecision: deny), which changes nothing here: No.'],
    ],
    [
      'H6: continue: false changes nothing',
      printed({ continue: false, stopReason: 'Enough.', ...context('x') }),
      [['x', { source: 'hooks' }]],
      ['would block (continue: false), which changes nothing here: Enough.'],
    ],
    ['H5: a message for the user', printed({ systemMessage: 'Two agents are running.' }), [], ['says: Two agents are running.']],
  ])('%s', async (_, command, injected, warnings) => {
    expect(await say(command)).toMatchObject({ injected, warnings })
  })

  it('H5: what is logged and what is injected is bounded', async () => {
    const loud = await say(`head -c 300000 /dev/zero | tr '\\0' 'x' >&2; exit 1`)
    expect(loud.warnings[0]!.length).toBeLessThan(1100)
    const { injected, warnings } = await say(
      `printf '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"'; head -c 50000 /dev/zero | tr '\\0' 'x'; echo '"}}'`,
    )
    expect((injected[0] as [string])[0]).toMatch(/^x{32000,32768} … \[cut\]$/)
    expect(warnings).toEqual(['gave an additionalContext of more than 32 KiB; the rest is cut off.'])
  })

  it('H6: of a stop hook there is nobody to take context', async () => {
    const { injected, debugs } = await say(
      printed({ hookSpecificOutput: { hookEventName: 'SubagentStop', additionalContext: 'x' } }),
      'stop',
    )
    expect(injected).toEqual([])
    expect(debugs).toContain(
      'Hooks: hooks.SubagentStop[0].hooks[0] of run run-1 gave an additionalContext, which an agent that has ended cannot take.',
    )
  })
})

describe('additionalContext', () => {
  const context = `echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Mind the tests."}}'`

  it('H6: comes to the model of a live child, between two of its steps, with the source hooks', async () => {
    const { promise: injectedYet, resolve: goOn } = deferred<string>()
    const model = scriptedModel([{ tools: [{ name: 'wait' }] }, ({ prompt }) => JSON.stringify(prompt)])
    const agents = createAgents({ model, tools: { wait: tool({ inputSchema: z.object({}), execute: () => injectedYet }) } })
    const bench = await createHooksBench({ providers: [spawnProvider({ agents })] })
    const bridge = bench.bridge(hooks([context]), { agents })
    const run = bench.service.start('spawn', { parent: bench.parent, prompt: 'Do it' })
    const { session } = agents.get(run.id)!
    await bridge.idle()
    goOn('waited')
    const { output } = await run.result
    expect(output[0]).toMatchObject({ text: expect.stringContaining('Mind the tests.') as string })
    expect(session.events.filter(({ type }) => type === 'context/message')).toMatchObject([
      { content: [{ type: 'text', text: 'Mind the tests.' }], source: 'hooks' },
    ])
    expect(bench.warnings).toEqual([])
  })

  it('H6: a child that is gone by then: dropped, and logged for who looks for it', async () => {
    const agents = createAgents({ model: scriptedModel(['Quick.']) })
    const bench = await createHooksBench({ providers: [spawnProvider({ agents })] })
    const bridge = bench.bridge(hooks([`sleep 0.2; ${context}`]), { agents })
    const run = bench.service.start('spawn', { parent: bench.parent, prompt: 'Do it', id: 'run-1' })
    const { session } = agents.get(run.id)!
    await run.result
    await bridge.idle()
    expect(session.events.map(({ type }) => type)).not.toContain('context/message')
    expect(bench.debugs).toEqual([
      'Hooks: hooks.SubagentStart[0].hooks[0] of run run-1: its additionalContext was dropped: the run has ended.',
    ])
    expect(bench.warnings).toEqual([])
  })

  it('H6: children that are no agents take none: one warning a provider', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks([context]))
    await bench.delegate(bridge, { id: 'run-1' })
    await bench.delegate(bridge, { id: 'run-2' })
    expect(bench.warnings).toEqual([
      'Hooks: hooks.SubagentStart[0].hooks[0] of run run-1 gave an additionalContext, which children of the provider hand cannot take.',
    ])
  })
})

function agentAt(cwd: string) {
  return {
    status: 'running' as const,
    session: { header: { version: 1 as const, id: 'session', createdAt: 0, cwd }, events: [] },
    inject: () => {},
  }
}

const pick = (value: unknown, names: readonly string[]): unknown[] => names.map((name) => (value as Record<string, unknown>)[name])
