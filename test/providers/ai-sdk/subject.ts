import { ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { isAllowed } from '../../../src/agents/tool-filter.ts'
import { aiSdkAgentProvider } from '../../../src/providers/index.ts'
import type { AiSdkAgent } from '../../../src/providers/index.ts'
import type { ProviderSubject } from '../../../src/testing/index.ts'
import type { ProviderStartRequest, RunContext } from '../../../src/index.ts'
import { HandModel } from '../hand-model.ts'

const inputSchema = z.object({})
const tools = {
  read: tool({ inputSchema, execute: () => 'read' }),
  write: tool({ inputSchema, execute: () => 'written' }),
}

/** An agent that is made for a run, on a model that is written by hand. */
class Child {
  readonly model = new HandModel()
  readonly context: RunContext
  readonly made: Promise<AiSdkAgent>
  give!: () => void
  reject!: (error: unknown) => void

  constructor({ persona, toolFilter }: ProviderStartRequest, context: RunContext) {
    this.context = context
    const agent = new ToolLoopAgent({
      model: this.model.model,
      maxRetries: 0,
      // Version 7 of the AI SDK writes errors to the console otherwise.
      ...(process.env['AI_MAJOR'] === '7' && { onError: () => {} }),
      tools: Object.fromEntries(Object.entries(tools).filter(([name]) => isAllowed(toolFilter ?? {}, name))),
      ...(persona !== undefined && { instructions: persona }),
    })
    // Given when something is asked of it, so that making it can still fail.
    this.made = new Promise((resolve, reject) => {
      this.give = () => resolve(agent)
      this.reject = reject
    })
    const stop = (): void => this.reject(context.signal.reason)
    if (context.signal.aborted) stop()
    else context.signal.addEventListener('abort', stop, { once: true })
  }
}

export function aiSdkSubject(): ProviderSubject {
  const children: Child[] = []
  let isBroken = false
  const provider = aiSdkAgentProvider({
    name: 'ai-sdk',
    agent: (request, context) => {
      if (isBroken) throw new Error('no such agent')
      const child = new Child(request, context)
      children.push(child)
      return child.made
    },
    capabilities: { depthLimit: true, toolFilter: true, persona: true },
  })
  const model = (child: number): HandModel => {
    children[child]!.give()
    return children[child]!.model
  }
  const call = (child: number) => children[child] && model(child).model.calls[0]
  return {
    provider,
    settle: (text, child) => {
      model(child).write(text)
      model(child).end()
    },
    fail: (message, child) => model(child).end({ error: { message, status: 400 } }),
    reject: (error, child) => children[child]!.reject(error),
    stream: (text, child) => model(child).write(text),
    ask: (child) => children[child]!.context.ask({ id: 'permission', title: 'May I?', options: [] }),
    failStart: () => void (isBroken = true),
    sees: {
      prompt: (child) => call(child)?.lastUserText,
      // Asked of the first child at once, before its model was called.
      tools: (child) => call(child)?.tools ?? (child === 0 ? Object.keys(tools) : undefined),
      persona: (child) => {
        const system = call(child)?.prompt.find(({ role }) => role === 'system')
        return system && String(system.content)
      },
      depth: (child) => children[child]?.context.resolved.depth,
    },
  }
}
