import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeProvider } from 'xstate-subagents/testing'
import { httpAgentProvider } from './provider.ts'

await describeProvider(
  'httpAgentProvider',
  async () => {
    // The other side, in the hand of the test: one open answer a child.
    const answers: ServerResponse[] = []
    const prompts: string[] = []
    const server = createServer((request, response) => {
      const child = answers.push(response) - 1
      request.setEncoding('utf8').on('data', (part: string) => (prompts[child] = (prompts[child] ?? '') + part))
      response.flushHeaders()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo

    /** The answer to a child, once its request is here. */
    const answerTo = async (child: number): Promise<ServerResponse> => {
      while (!answers[child]) await new Promise((resolve) => setImmediate(resolve))
      return answers[child]
    }
    return {
      provider: httpAgentProvider({ url: `http://127.0.0.1:${port}/` }),
      settle: async (text, child) => void (await answerTo(child)).end(text),
      stream: async (text, child) => void (await answerTo(child)).write(text),
      fail: async (_message, child) => void (await answerTo(child)).destroy(),
      sees: { prompt: (child) => prompts[child] },
      // The other side hears of a closed connection a little later.
      leftovers: async () => {
        for (let turn = 0; turn < 1000 && answers.some(({ closed }) => !closed); turn++)
          await new Promise((resolve) => setImmediate(resolve))
        return answers.filter(({ closed }) => !closed).map(() => 'an open request')
      },
      cleanUp: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  },
  {
    skip: {
      A13: 'the agent asks for no permission',
      R8: 'the request is aborted on this side, whatever the agent does',
      R11: 'there is nothing to release but the request itself',
      R18: 'it is ready when start returns',
      R12: 'a request that fails is an outcome of the child, not a fault of the provider',
      S13: 'nothing is known of the agent before its first answer',
    },
  },
)
