/**
 * Names of attributes and metrics: those of OpenTelemetry's semantic conventions for generative AI, which are still in
 * development, and our own. A test holds the former against the published ones.
 */
export const invokeAgent = 'invoke_agent'

/** Who is at work, for the conventions; which model it asks is not known here. */
export const systemName = 'xstate-subagents'

export const attribute = {
  operation: 'gen_ai.operation.name',
  system: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  requestModel: 'gen_ai.request.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
  // Ours.
  provider: 'subagents.provider',
  runId: 'subagents.run.id',
  depth: 'subagents.depth',
  stopReason: 'subagents.stop_reason',
  failureCode: 'subagents.failure.code',
} as const

export const metric = {
  duration: 'gen_ai.client.operation.duration',
  tokens: 'gen_ai.client.token.usage',
  // Ours.
  runs: 'subagents.runs',
} as const

/** As the conventions ask for, the duration's with hours added, which a delegation can take. */
export const buckets = {
  seconds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 300, 900, 3600, 14_400],
  tokens: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
} as const
