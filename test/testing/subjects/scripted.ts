import { scriptedProvider } from '../../../src/testing/index.ts'
import type { ProviderSubject, ScriptedChild, ScriptedRun } from '../../../src/testing/index.ts'
import { fitted, unfit, visible } from '../fitted.ts'

/** The scripted provider with every control that there is: its children hang until they are driven. */
export function scriptedSubject(): ProviderSubject {
  const scripts: Record<number, ScriptedRun> = {}
  const script = (child: number, more: ScriptedRun): void => void (scripts[child] = { ...scripts[child], ...more })
  const provider = scriptedProvider((_request, _context, index) => ({ hang: true, ...scripts[index] }), {
    signalsReady: true,
    steerable: true,
    resumable: true,
  })
  const child = (index: number): ScriptedChild => provider.children[index]!
  return {
    provider,
    settle: (text, index) =>
      child(index).settle({ output: [{ type: 'text', text }], ...(child(index).request.outputSchema !== undefined && unfit) }),
    ready: (index) => child(index).ready(),
    fail: (message, index) =>
      child(index).settle({ stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: false, message } }),
    reject: (error, index) => child(index).reject(error),
    ask: (index) => child(index).ask(),
    stream: (text, index) => child(index).update({ type: 'text', text }),
    structure: (structured, index) => child(index).settle(fitted(structured)),
    failStart: (index) => script(index, { startError: new Error('no child today') }),
    ignoreCancel: (index) => script(index, { deaf: true }),
    holdRelease: (index) => {
      script(index, { release: 'never' })
      return () => child(index).release()
    },
    failRelease: (index) => script(index, { release: { error: new Error('it would not let go') } }),
    sees: {
      prompt: (index) =>
        child(index)
          .request.prompt.map((block) => (block.type === 'text' ? block.text : ''))
          .join(),
      tools: (index) => visible(['read', 'write'], child(index).request.toolFilter),
      persona: (index) => child(index).request.persona,
      depth: (index) => child(index).context.resolved.depth,
      messages: (index) =>
        child(index)
          .messages.flat()
          .map((block) => (block.type === 'text' ? block.text : '')),
    },
  }
}
