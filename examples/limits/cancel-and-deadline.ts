import { createSubagentService, defineProvider, rootAgent } from 'xstate-subagents'

const service = createSubagentService({
  providers: [
    defineProvider({
      name: 'reader',
      run: async (_, { signal, update }) => {
        update({ type: 'text', text: 'The first chapter is about a whale.' })
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return 'never comes this far'
      },
    }),
    defineProvider({ name: 'deaf', run: () => new Promise<string>(() => {}) }),
  ],
  cancelGraceMs: 200,
  releaseGraceMs: 200,
  logger: { debug() {}, error() {}, warn: (message) => console.log(`warning: ${message.replace(/run-\S+/, 'RUN')}`) },
})
const request = { parent: rootAgent(), prompt: 'Summarise the book' }
const deaf = service.start('deaf', request)

// A deadline: what was streamed so far is kept.
console.log(await service.delegate('reader', { ...request, timeoutMs: 50 }))

// A signal, or cancel(): whichever comes first decides.
const run = service.start('reader', { ...request, signal: AbortSignal.timeout(5_000) })
run.cancel('the user closed the page')
console.log((await run.result).stopReason)
await run.dispose()

// A child that does not hear is given up after its grace, and so is its release.
deaf.cancel()
const { stopReason, failure } = await deaf.result
console.log(stopReason, failure?.code)
await deaf.dispose().catch((error) => console.log(error.code, deaf.leaked))

await service.close()
