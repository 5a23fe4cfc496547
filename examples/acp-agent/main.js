/**
 * An agent that speaks the Agent Client Protocol on stdin and stdout, built on this library: its sessions run on an
 * in-process agent, which can delegate in its turn.
 *
 *     node examples/acp-agent/main.js [--ask-for TOOL] [--children spawn|acp] [--sessions FOLDER] [--model VENDOR/ID]
 *
 * --ask-for   asks the client for a permission before that tool runs
 * --children  what its own children are: agents of this process, or processes of this very program
 * --sessions  keeps its sessions there, so that another process can load them
 * --model     a real model, whose key is in the environment; without it the scripted one of `subagents demo`
 *
 * How deep it is it reads from SUBAGENT_DEPTH, how deep its children may be from SUBAGENT_MAX_DEPTH.
 */
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'
import { loadSettings } from './settings.js'
import { AgentSession } from './session.js'
import { readSession } from './store.js'

const { values: flags } = parseArgs({
  options: {
    'ask-for': { type: 'string' },
    children: { type: 'string', default: 'spawn' },
    sessions: { type: 'string' },
    model: { type: 'string' },
  },
})
const settings = await loadSettings(flags, { program: fileURLToPath(import.meta.url), env: process.env })
const sessions = new Map()

const sessionOf = ({ sessionId }) => {
  const session = sessions.get(sessionId)
  if (!session) throw RequestError.sessionNotFound(sessionId)
  return session
}

const connection = agent({ name: 'acp-agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: settings.sessions !== undefined },
    agentInfo: { name: 'xstate-subagents-example', version: '1' },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, async ({ params, client }) => {
    const session = await AgentSession.open({ settings, client, cwd: params.cwd, meta: params._meta })
    sessions.set(session.id, session)
    return { sessionId: session.id }
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    if (settings.sessions === undefined) throw RequestError.methodNotFound(methods.agent.session.load)
    const events = await readSession(settings.sessions, params.sessionId)
    if (!events) throw RequestError.sessionNotFound(params.sessionId)
    const session = await AgentSession.open({ settings, client, cwd: params.cwd, meta: params._meta, id: params.sessionId, events })
    sessions.set(session.id, session)
    await session.tellPast()
    return {}
  })
  .onRequest(methods.agent.session.prompt, ({ params }) => sessionOf(params).prompt(params.prompt))
  .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))

// The client closed its end: what still runs ends with it.
await connection.closed
await Promise.all(Array.from(sessions.values(), (session) => session.close()))
process.exit(0)
