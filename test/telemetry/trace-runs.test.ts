import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Histogram, MetricData } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, defineProvider, rootAgent } from '../../src/index.ts'
import type { SubagentServiceOptions, SubagentStopReason } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { traceRuns } from '../../src/telemetry/index.ts'
import type { TraceRunsOptions } from '../../src/telemetry/index.ts'
import { createSimulatedClock, scriptedModel, scriptedProvider } from '../../src/testing/index.ts'
import { subagentTool } from '../../src/tools/index.ts'
import { collectLogger } from '../providers/collect.ts'

const request = { parent: rootAgent({ cwd: '/project' }), prompt: 'Count.' }
const contexts = new AsyncLocalStorageContextManager()
beforeAll(() => void context.setGlobalContextManager(contexts.enable()))
afterAll(() => context.disable())

function traced(options: SubagentServiceOptions = {}, traceOptions: TraceRunsOptions = {}) {
  const exporter = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 })
  const meters = new MeterProvider({ readers: [reader] })
  const logger = collectLogger()
  const service = createSubagentService({ logger, ...options })
  const tracer = tracers.getTracer('test')
  const traces = traceRuns(service, { tracer, meter: meters.getMeter('test'), logger, env: {}, ...traceOptions })
  const metrics = async () => {
    await meters.forceFlush()
    return new Map(
      measured
        .getMetrics()
        .at(-1)!
        .scopeMetrics.flatMap((scope) => scope.metrics.map((each) => [each.descriptor.name, each])),
    )
  }
  return { service, traces, tracer, logger, metrics, spans: () => exporter.getFinishedSpans() }
}

const named = (spans: readonly ReadableSpan[], name: string) => spans.find((span) => span.name === name)!

describe('traceRuns', () => {
  it('I6: a run is a span invoke_agent, named after its label, with what it is, how it ended and what it used', async () => {
    const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17, cachedInputTokens: 4, reasoningTokens: 2 }
    const { service, spans } = traced({ providers: [scriptedProvider([{ id: 'the-agent', text: 'three', usage }])] })
    await service.delegate('scripted', { ...request, id: 'count', label: 'counter', agentOptions: { model: 'deepseek/flash' } })
    await service.close()
    expect(spans().length).toBe(1)
    const [{ name, kind, status, attributes, ended }] = spans() as [ReadableSpan]
    expect([name, kind, status, ended]).toEqual(['invoke_agent counter', SpanKind.INTERNAL, { code: SpanStatusCode.OK }, true])
    expect(attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'xstate-subagents',
      'gen_ai.agent.name': 'counter',
      'gen_ai.agent.id': 'the-agent',
      'gen_ai.request.model': 'deepseek/flash',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 2,
      'subagents.provider': 'scripted',
      'subagents.run.id': 'count',
      'subagents.depth': 1,
      'subagents.stop_reason': 'completed',
    })
  })

  it('I6: runs of a tree of agents are spans in one another, and the first is in what its caller has open', async () => {
    const { service, spans, tracer } = traced()
    const agents = createAgents({
      model: scriptedModel(({ lastUserText, index }) =>
        lastUserText === 'outer' && index === 0
          ? { tools: [{ name: 'subagent', input: { description: 'inner', prompt: 'look' } }] }
          : 'done',
      ),
      tools: (agent) => ({ subagent: subagentTool({ service, provider: 'spawn', maxDepth: 3, parent: agent } as never) }),
    })
    service.registerProvider(spawnProvider({ agents }))
    await tracer.startActiveSpan('the request', async (span) => {
      await service.delegate('spawn', { ...request, prompt: 'outer', label: 'outer' })
      span.end()
    })
    await service.close()
    const [outer, inner, caller] = [
      named(spans(), 'invoke_agent outer'),
      named(spans(), 'invoke_agent inner'),
      named(spans(), 'the request'),
    ]
    expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
    expect(outer.parentSpanContext?.spanId).toBe(caller.spanContext().spanId)
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1)
    expect(inner.attributes['subagents.depth']).toBe(2)
  })

  it('I6: the child is given the trace context of its run, so that a process can go on with it', async () => {
    const provider = scriptedProvider(() => ({ id: 'agent', text: 'x' }))
    const { service, spans } = traced({ providers: [provider] })
    await service.delegate('scripted', request)
    const { traceparent } = provider.children[0]!.context.resolved.parent
    const { traceId, spanId } = spans()[0]!.spanContext()
    expect(traceparent).toBe(`00-${traceId}-${spanId}-01`)
    expect(Object.isFrozen(provider.children[0]!.context.resolved.parent)).toBe(true)
    await service.close()
    const untraced = createSubagentService({ providers: [provider] })
    await untraced.delegate('scripted', request)
    expect(provider.children[1]!.context.resolved.parent).not.toHaveProperty('traceparent')
    await untraced.close()
  })

  it('I6: a queued run is in the span of whoever asked for it, not of whoever made room', async () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const { service, spans, tracer } = traced({ providers: [provider], maxConcurrentRuns: 1 })
    const first = service.start('scripted', { ...request, label: 'first' })
    const asker = tracer.startSpan('asker')
    const second = context.with(trace.setSpan(context.active(), asker), () => service.start('scripted', { ...request, label: 'second' }))
    await context.with(trace.setSpan(context.active(), tracer.startSpan('other')), async () => {
      provider.children[0]!.settle()
      await first.result
    })
    provider.children[1]!.settle()
    await second.result
    await service.close()
    expect(named(spans(), 'invoke_agent second').parentSpanContext?.spanId).toBe(asker.spanContext().spanId)
  })

  it.each<[SubagentStopReason, object, object, string | undefined]>([
    ['completed', { text: 'x' }, { code: SpanStatusCode.OK }, undefined],
    ['refusal', { stopReason: 'refusal' }, { code: SpanStatusCode.ERROR, message: 'refusal' }, 'refusal'],
    ['max-tokens', { stopReason: 'max-tokens' }, { code: SpanStatusCode.ERROR, message: 'max-tokens' }, 'max-tokens'],
    [
      'error',
      { stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'secret words' } },
      { code: SpanStatusCode.ERROR, message: 'MODEL_ERROR' },
      'MODEL_ERROR',
    ],
    ['error', { reject: new Error('secret words') }, { code: SpanStatusCode.ERROR, message: 'error' }, 'error'],
    ['secret words' as never, { stopReason: 'secret words' }, { code: SpanStatusCode.ERROR, message: '_OTHER' }, '_OTHER'],
  ])('I6: a run that ends as %s has the status of that (%#)', async (_, child, status, errorType) => {
    const { service, spans, metrics } = traced({ providers: [scriptedProvider([child as never])] })
    await service.delegate('scripted', request).catch(() => {})
    await service.close()
    expect(spans()[0]!.status).toEqual(status)
    expect(spans()[0]!.attributes['error.type']).toBe(errorType)
    expect(JSON.stringify([spans()[0]!.attributes, spans()[0]!.events])).not.toContain('secret words')
    expect(JSON.stringify([...(await metrics()).values()].map(({ dataPoints }) => dataPoints))).not.toContain('secret words')
  })

  it('I6: a cancel is no error, a child that is deaf to it and a deadline are', async () => {
    const clock = createSimulatedClock()
    const provider = scriptedProvider((_, __, index) => ({ hang: true, deaf: index === 1 }))
    const { service, spans } = traced({ providers: [provider], clock })
    const runs = [{}, {}, { timeoutMs: 50 }].map((more) => service.start('scripted', { ...request, ...more }))
    runs[0]!.cancel()
    runs[1]!.cancel()
    clock.advance(50)
    await Promise.all([runs[0]!.result, runs[2]!.result])
    clock.advance(60_000)
    await Promise.all(runs.map(({ result }) => result))
    await service.close()
    const outcomes = spans().map(({ attributes, status }) => [attributes['subagents.stop_reason'], status.code, attributes['error.type']])
    expect(outcomes.toSorted()).toEqual(
      [
        ['aborted', SpanStatusCode.UNSET, undefined],
        ['aborted', SpanStatusCode.ERROR, 'DEAF'],
        ['timed-out', SpanStatusCode.ERROR, 'timed-out'],
      ].toSorted(),
    )
  })

  it('I6: a start that fails is a span of its own that ends, and a refused one is none; nothing is left open', async () => {
    const provider = scriptedProvider((_, __, index) => (index === 0 ? { startError: new Error('secret words') } : { hang: true }))
    const { service, spans, logger } = traced({ providers: [provider], maxConcurrentRuns: 1, queue: 'reject' })
    expect(() => service.start('scripted', { ...request, id: 'a' })).toThrow('secret words')
    const live = service.start('scripted', { ...request, id: 'b' })
    expect(() => service.start('scripted', { ...request, id: 'c' })).toThrow('No slot is free')
    expect(() => service.start('scripted', { ...request, id: 'b' })).toThrow('live run')
    expect(() => service.start('nobody', request)).toThrow('No provider')
    live.cancel()
    await live.result
    await service.close()
    expect(spans().map(({ attributes, status }) => [attributes['subagents.run.id'], attributes['error.type'], status.code])).toEqual([
      ['a', 'start-failed', SpanStatusCode.ERROR],
      ['c', 'start-failed', SpanStatusCode.ERROR],
      ['b', undefined, SpanStatusCode.UNSET],
    ])
    expect(logger.warnings).toEqual([])
  })

  it('I6: counts runs by outcome, measures how long they took and what they used, in the units of the conventions', async () => {
    const clock = createSimulatedClock()
    const provider = scriptedProvider([
      { text: 'x', delayMs: 2500, usage: { inputTokens: 100, outputTokens: 7 } },
      { stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: false, message: 'x' } },
    ])
    const { service, metrics } = traced({ providers: [provider], clock })
    const run = service.start('scripted', { ...request, label: 'not a dimension' })
    clock.advance(2500)
    await run.result
    await service.delegate('scripted', request)
    await service.close()
    const measured = await metrics()
    const points = (name: string) => measured.get(name)!.dataPoints.map(({ attributes, value }) => ({ attributes, value }))
    const common = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'xstate-subagents', 'subagents.provider': 'scripted' }
    const failed = { ...common, 'error.type': 'MODEL_ERROR' }
    expect(points('subagents.runs')).toEqual([
      { attributes: { ...common, 'subagents.stop_reason': 'completed' }, value: 1 },
      { attributes: { ...failed, 'subagents.stop_reason': 'error' }, value: 1 },
    ])
    const [took] = points('gen_ai.client.operation.duration') as { attributes: object; value: Histogram }[]
    expect([took!.attributes, took!.value.sum, measured.get('gen_ai.client.operation.duration')!.descriptor.unit]).toEqual([
      common,
      2.5,
      's',
    ])
    const used = points('gen_ai.client.token.usage') as { attributes: object; value: Histogram }[]
    expect(used.map(({ attributes, value }) => [attributes, value.sum])).toEqual([
      [{ ...common, 'gen_ai.token.type': 'input' }, 100],
      [{ ...common, 'gen_ai.token.type': 'output' }, 7],
    ])
    expect((measured.get('gen_ai.client.token.usage') as MetricData).descriptor.unit).toBe('{token}')
  })

  it('I6: labels are left out where they are not wanted, and never carry a key', async () => {
    const names = async (options: TraceRunsOptions) => {
      const { service, spans } = traced({ providers: [scriptedProvider(() => 'x')] }, options)
      await service.delegate('scripted', { ...request, label: 'use sk-abcdefgh12345678 and correct horse' })
      await service.close()
      return spans().map(({ name, attributes }) => [name, attributes['gen_ai.agent.name']])
    }
    expect(await names({ labels: false })).toEqual([['invoke_agent scripted', 'scripted']])
    const clean = 'use [redacted] and [redacted]'
    expect(await names({ env: { APP_SECRET: 'correct horse' } })).toEqual([[`invoke_agent ${clean}`, clean]])
  })

  it('I6: no prompt, text, tool input or option is in an attribute', async () => {
    const word = 'green cheese'
    const { service, spans } = traced({
      providers: [scriptedProvider([{ tools: [{ name: 'look', input: { word } }], text: word, diagnostic: word }])],
    })
    await service.delegate('scripted', { ...request, prompt: word, persona: word, agentOptions: { temper: word } as never })
    await service.close()
    expect(JSON.stringify(spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]))).not.toContain(word)
  })

  it('I6: a tracer that throws is a warning; the run goes on without a span', async () => {
    const broken = () => {
      throw new Error('the tracer is broken')
    }
    const { service, logger } = traced({ providers: [scriptedProvider(() => 'x')] }, { tracer: { startSpan: broken } as never })
    expect((await service.delegate('scripted', request)).stopReason).toBe('completed')
    await service.close()
    expect(logger.warnings).toEqual(['The tracing of runs threw: Error: the tracer is broken'])
  })

  it('I6: without a tracer provider nothing is traced and nothing goes to a child', async () => {
    const provider = scriptedProvider(() => 'x')
    const service = createSubagentService({ providers: [provider] })
    traceRuns(service)
    expect((await service.delegate('scripted', request)).stopReason).toBe('completed')
    expect(provider.children[0]!.context.resolved.parent).not.toHaveProperty('traceparent')
    await service.close()
  })

  it('I6: stopped, it traces no further run, and lets those that are live come to their ends', async () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const { service, traces, spans } = traced({ providers: [provider] })
    const live = service.start('scripted', { ...request, id: 'live' })
    traces.stop()
    const later = service.start('scripted', { ...request, id: 'later' })
    live.cancel()
    later.cancel()
    await service.close()
    expect(spans().map(({ attributes }) => attributes['subagents.run.id'])).toEqual(['live'])
  })

  it('I6: what is no service is refused by name', () => {
    expect(() => traceRuns({} as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^service must/) as unknown }),
    )
  })

  it('I6: a provider of one function has the trace context too', async () => {
    let seen: string | undefined
    const provider = defineProvider({ name: 'one', run: (_, { resolved }) => ((seen = resolved.parent.traceparent), 'x') })
    const { service } = traced({ providers: [provider] })
    await service.delegate('one', request)
    expect(seen).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    await service.close()
  })
})
