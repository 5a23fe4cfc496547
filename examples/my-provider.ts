import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { SubagentProvider } from 'xstate-subagents'

/** Runs a command of your own as the child, with the prompt on its standard input. */
export function commandProvider(command: string, args: string[] = []): SubagentProvider {
  return {
    name: 'command',
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
    start(request, context) {
      const child = spawn(command, args, { cwd: request.parent.session.header.cwd, stdio: ['pipe', 'pipe', 'inherit'] })
      const ended = once(child, 'close')
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
        context.update({ type: 'text', text: part })
      })
      child.stdin.on('error', () => {}).end(request.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n'))
      return {
        result: ended.then(([code]) => ({
          output: [{ type: 'text', text }],
          stopReason: code === 0 ? 'completed' : 'error',
          ...(code !== 0 && { failure: { code: 'CRASHED', phase: 'running', retryable: false, message: `${command} ended with ${code}` } }),
        })),
        cancel: () => child.kill(),
        dispose: async () => {
          child.kill('SIGKILL')
          await ended
        },
      }
    },
  }
}
