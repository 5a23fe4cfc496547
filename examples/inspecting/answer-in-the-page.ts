import { createSubagentService, defineProvider, rootAgent } from 'xstate-subagents'
import { createPermissionDesk, openInspectPage } from 'xstate-subagents/inspect'

const desk = createPermissionDesk()
const careful = defineProvider({
  name: 'careful',
  run: async (_, { runId, ask, signal }) => {
    const request = {
      id: 'write',
      title: 'Write the report to report.md?',
      options: [
        { id: 'yes', name: 'Allow once', kind: 'allow_once' },
        { id: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    } as const
    // The run waits, and its deadline stands still, until the question is answered.
    const { answer } = ask(request)
    const given = await desk.ask({ runId, request }, signal)
    answer()
    return given?.optionId === 'yes' ? 'Written.' : 'Not written.'
  },
})

const service = createSubagentService({ providers: [careful] })
const page = await openInspectPage(service, { permissions: desk })
console.log(`Answer at ${page.url}`)

const { output } = await service.delegate('careful', { parent: rootAgent(), prompt: 'Report.', label: 'report' })
console.log(output)
await service.close()
await page.close()
