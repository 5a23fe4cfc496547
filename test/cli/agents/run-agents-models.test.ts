import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { anthropicServer, type AnthropicRequest } from '../anthropic-server.ts'
import { fakeIo } from '../fake-io.ts'
import { modelServer } from '../model-server.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

const define = (model: string) =>
  `---\nname: ${model.replaceAll('/', '-')}-agent\ndescription: Works.\nmodel: ${model}\n---\nYou are the child.`
const greet = (model: string) => ({ name: 'subagent', input: { agent: `${model}-agent`, description: 'greet', prompt: 'Say hello' } })
const leftOut = (model: string) => `there is no model ${model} here, so the agent has the model of the agent that starts it.`

async function run(models: readonly string[], argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const agents = await temporaryFolder(Object.fromEntries(models.map((model, index) => [`${index}.md`, define(model)])))
  const io = fakeIo(['run', 'Greet me', '--agents', agents, '--cwd', await temporaryFolder({ 'x.js': '' }), ...argv], { env })
  const code = await runCli(io)
  return {
    code,
    warnings: [
      ...io
        .err()
        .replaceAll(`${agents}/`, '')
        .matchAll(/^warning: (.*)$/gm),
    ].map(([, warning]) => warning),
  }
}

describe('the models of agents', { timeout: 30_000 }, () => {
  const isChild = ({ system }: AnthropicRequest) => system.includes('You are the child.')

  it('C3, T14: with a model of Anthropic sonnet, opus and haiku are its models of that name, and inherit and its own id are the model of the run', async () => {
    const models = ['sonnet', 'opus', 'haiku', 'inherit', 'claude-sonnet-4-6']
    const requests = await anthropicServer((request) =>
      isChild(request) || request.afterTool ? { text: 'Hello.' } : { calls: models.map(greet) },
    )
    const ran = await run(models, ['--model', 'anthropic/claude-sonnet-4-6'], { ANTHROPIC_API_KEY: 'a-key-of-mine' })
    expect(ran).toEqual({ code: 0, warnings: [] })
    expect(requests.filter((request) => !isChild(request)).map(({ model }) => model)).toEqual(['claude-sonnet-4-6', 'claude-sonnet-4-6'])
    expect(
      requests
        .filter(isChild)
        .map(({ model }) => model)
        .toSorted(),
    ).toEqual(['claude-haiku-5-5', 'claude-opus-5-5', 'claude-sonnet-4-6', 'claude-sonnet-4-6', 'claude-sonnet-5-5'])
    expect(new Set(requests.map(({ key }) => key))).toEqual(new Set(['a-key-of-mine']))
  })

  it('C3, T14: with any other model they are the model of the run, and each file that names one has a warning', async () => {
    const scripted = await run(['opus', 'inherit', 'claude-opus-4-1'], ['--model', 'scripted'])
    expect(scripted).toEqual({ code: 0, warnings: [`0.md:4: ${leftOut('opus')}`, `2.md:4: ${leftOut('claude-opus-4-1')}`] })
    const server = await modelServer(({ messages }) =>
      messages.at(-1)?.role === 'tool' || String(messages[0]?.content).startsWith('You are the child.')
        ? { text: 'Hello.' }
        : { calls: [greet('haiku'), greet('m')] },
    )
    // A server at an address of one's own need not have the others, whatever it is called.
    const argv = ['--model', 'anthropic/m', '--base-url', server.url]
    expect(await run(['haiku', 'm', 'anthropic/m'], argv)).toEqual({ code: 0, warnings: [`0.md:4: ${leftOut('haiku')}`] })
    expect(server.requests.map(({ model }) => model)).toEqual(['m', 'm', 'm', 'm'])
  })
})
