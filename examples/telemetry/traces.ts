import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { traceRuns } from 'xstate-subagents/telemetry'
import { scriptedModel } from 'xstate-subagents/testing'
import { subagentTool } from 'xstate-subagents/tools'

// In an application the exporter sends to a collector, and trace.setGlobalTracerProvider() makes `tracer` unnecessary.
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

const service = createSubagentService()
traceRuns(service, { tracer: provider.getTracer('example') })

// A parent that hands a part of its task to a child.
const agents = createAgents({
  model: scriptedModel(({ lastUserText, prompt }) =>
    lastUserText === 'Count the TODOs' && prompt.at(-1)?.role !== 'tool'
      ? { tools: [{ name: 'subagent', input: { description: 'count in src', prompt: 'Count in src' } }] }
      : 'There are three.',
  ),
  tools: { subagent: subagentTool({ service, provider: 'spawn' }) },
})
service.registerProvider(spawnProvider({ agents }))
await service.delegate('spawn', { parent: rootAgent(), prompt: 'Count the TODOs', label: 'count' })
await service.close()

const spans = exporter.getFinishedSpans()
for (const { name, parentSpanContext, attributes } of spans) {
  const above = spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId)
  console.log(`${name}, in ${above?.name ?? 'nothing'}: ${String(attributes['subagents.stop_reason'])}`)
}
