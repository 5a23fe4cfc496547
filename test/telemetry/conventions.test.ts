import * as published from '@opentelemetry/semantic-conventions/incubating'
import { expect, it } from 'vitest'
import { attribute, invokeAgent, metric } from '../../src/telemetry/conventions.ts'

it('I6: names are those of the published conventions, or stand under our own', () => {
  const {
    operation,
    system,
    agentName,
    agentId,
    requestModel,
    inputTokens,
    outputTokens,
    cachedInputTokens,
    reasoningTokens,
    tokenType,
    errorType,
  } = attribute
  expect({
    operation,
    system,
    agentName,
    agentId,
    requestModel,
    inputTokens,
    outputTokens,
    cachedInputTokens,
    reasoningTokens,
    tokenType,
    errorType,
    invokeAgent,
    duration: metric.duration,
    tokens: metric.tokens,
  }).toEqual({
    operation: published.ATTR_GEN_AI_OPERATION_NAME,
    system: published.ATTR_GEN_AI_PROVIDER_NAME,
    agentName: published.ATTR_GEN_AI_AGENT_NAME,
    agentId: published.ATTR_GEN_AI_AGENT_ID,
    requestModel: published.ATTR_GEN_AI_REQUEST_MODEL,
    inputTokens: published.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
    outputTokens: published.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
    cachedInputTokens: published.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
    reasoningTokens: published.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
    tokenType: published.ATTR_GEN_AI_TOKEN_TYPE,
    errorType: published.ATTR_ERROR_TYPE,
    invokeAgent: published.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
    duration: published.METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
    tokens: published.METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
  })
  const known = new Set<unknown>(Object.values(published))
  const ours = [...Object.values(attribute), ...Object.values(metric)].filter((name) => !known.has(name))
  expect(ours.filter((name) => !name.startsWith('subagents.'))).toEqual([])
})
