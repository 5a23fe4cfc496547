import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { findLocalServers, localServers } from '../../../../src/cli/models/found/local-servers.ts'
import { listServer } from './list-server.ts'

const [ollama, llamaCpp] = localServers as [(typeof localServers)[0], (typeof localServers)[0]]
const asOllama = async (reply: (path: string | undefined, response: ServerResponse) => unknown) =>
  findLocalServers([{ ...ollama, port: await listServer(reply) }])

describe('servers of models on this machine', () => {
  it('C3: are looked for at the ports that Ollama and llama.cpp take by themselves', () => {
    expect(localServers.map(({ name, port, path }) => [name, port, path])).toEqual([
      ['Ollama', 11434, '/api/tags'],
      ['llama.cpp', 8080, '/v1/models'],
    ])
  })

  it('C3: are found with the names of their models', async () => {
    const paths: (string | undefined)[] = []
    const ports = [
      await listServer((path) => (paths.push(path), { models: [{ name: 'llama3.2:latest', size: 1 }, { name: 'hf.co/a/b:Q4' }] })),
      await listServer((path) => (paths.push(path), { object: 'list', data: [{ id: 'qwen3.gguf' }] })),
    ]
    expect(
      await findLocalServers([
        { ...ollama, port: ports[0]! },
        { ...llamaCpp, port: ports[1]! },
      ]),
    ).toEqual([
      { name: 'Ollama', vendor: 'ollama', baseUrl: `http://127.0.0.1:${ports[0]}/v1`, models: ['llama3.2:latest', 'hf.co/a/b:Q4'] },
      { name: 'llama.cpp', vendor: 'llama.cpp', baseUrl: `http://127.0.0.1:${ports[1]}/v1`, models: ['qwen3.gguf'] },
    ])
    expect(paths.toSorted()).toEqual(['/api/tags', '/v1/models'])
    expect(await asOllama(() => ({ models: [] }))).toMatchObject([{ models: [] }])
  })

  it('C3: are not taken for one where something else answers, or nothing', async () => {
    expect(await asOllama(() => '<html>a web site</html>')).toEqual([])
    expect(await asOllama(() => ({ models: 'none' }))).toEqual([])
    expect(await asOllama(() => 'null')).toEqual([])
    expect(await asOllama((_, response) => void response.writeHead(500).end('{"models":[]}'))).toEqual([])
    expect(await asOllama((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end())).toEqual([])
    expect(await asOllama((_, response) => void response.destroy())).toEqual([])
    expect(await asOllama(() => JSON.stringify({ models: [{ name: 'x'.repeat(1_100_000) }] }))).toEqual([])
    expect(await findLocalServers([{ ...ollama, port: 1 }])).toEqual([])
  })

  it('C3: are not waited for', async () => {
    const began = performance.now()
    const silent = await listServer(() => undefined)
    const trickling = await listServer((_, response) => void response.write('{"models":['))
    expect(
      await findLocalServers([
        { ...ollama, port: silent },
        { ...llamaCpp, port: trickling },
      ]),
    ).toEqual([])
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it('C3: have only such names listed as can be given to --model', async () => {
    const names = ['fine', 'with space', '\u001b[31mred', 'turned\u202e', '', 7, null]
    expect(await asOllama(() => ({ models: names.map((name) => ({ name })) }))).toMatchObject([{ models: ['fine'] }])
  })
})
