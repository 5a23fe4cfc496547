/**
 * Servers of models on this machine: Ollama and llama.cpp at the ports that they take by themselves (C3). Asked on 127.0.0.1
 * alone, briefly, for the list of their models and for nothing else.
 */
import { get } from 'node:http'
import { safeLine } from '../../output/safe-text.ts'

export interface LocalServer {
  readonly name: string
  /** The vendor that its models are named after: `--model ollama/ID`. */
  readonly vendor: string
  readonly port: number
  /** Gives the list. */
  readonly path: string
  /** The names in the list; throws, or gives anything else, for what is no list. */
  readonly modelsIn: (body: never) => unknown
}

export interface FoundServer extends Pick<LocalServer, 'name' | 'vendor'> {
  readonly baseUrl: string
  readonly models: readonly string[]
}

export const localServers: readonly LocalServer[] = [
  {
    name: 'Ollama',
    vendor: 'ollama',
    port: 11434,
    path: '/api/tags',
    modelsIn: (body: { models: { name: unknown }[] }) => body.models.map(({ name }) => name),
  },
  {
    name: 'llama.cpp',
    vendor: 'llama.cpp',
    port: 8080,
    path: '/v1/models',
    modelsIn: (body: { data: { id: unknown }[] }) => body.data.map(({ id }) => id),
  },
]

const waitMs = 300
const mostBytes = 1_000_000

/** Those of `servers` that answer with a list of models, in their order. Never rejects. */
export async function findLocalServers(servers: readonly LocalServer[]): Promise<FoundServer[]> {
  const answers = await Promise.all(servers.map((server) => askForModels(server).catch(() => undefined)))
  return servers.flatMap(({ name, vendor, port }, index) => {
    const models = answers[index]
    return models ? [{ name, vendor, baseUrl: `http://127.0.0.1:${port}/v1`, models }] : []
  })
}

/** Only what can be given to `--model` as it is. @returns `undefined` for an answer that is no list */
async function askForModels({ port, path, modelsIn }: LocalServer): Promise<string[] | undefined> {
  const models = modelsIn(JSON.parse(await fetchText(port, path)) as never)
  return Array.isArray(models)
    ? models.filter((model): model is string => typeof model === 'string' && /^\S+$/.test(model) && model === safeLine(model))
    : undefined
}

/** With no connection that stays and no redirect that is followed. */
function fetchText(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false, signal: AbortSignal.timeout(waitMs) }, (response) => {
      if (response.statusCode !== 200) return void request.destroy(new Error(`HTTP ${response.statusCode}`))
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > mostBytes) request.destroy(new Error('too long'))
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
