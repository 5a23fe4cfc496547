/**
 * Takes the pictures of the page in docs/images: `npm run screenshots`. Needs chromium, in the PATH or in CHROMIUM.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createJournal, createPermissionDesk, openInspectPage, readJournal, recordJournal } from 'xstate-subagents/inspect'
import { scriptedProvider } from 'xstate-subagents/testing'

const images = fileURLToPath(new URL('../docs/images/', import.meta.url))
const question = {
  id: 'question',
  title: 'Write the ranking to docs/todos.md?',
  toolName: 'write_file',
  options: [
    { id: 'once', name: 'Allow once', kind: 'allow_once' },
    { id: 'always', name: 'Allow always', kind: 'allow_always' },
    { id: 'no', name: 'Reject', kind: 'reject_once' },
  ],
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs of every kind, in five seconds. */
async function play(service, desk, providers) {
  const start = (provider, label, more = {}) =>
    service.start(provider, { parent: rootAgent({ cwd: '/project' }), prompt: label, label, ...more })
  const above = start('spawn', 'Find every TODO and rank them')
  const below = (provider, label, more = {}) => start(provider, label, { parent: { ...rootAgent(), id: above.id }, ...more })
  const [server, web, scripts, write] = [
    below('spawn', 'TODOs in server/'),
    below('spawn', 'TODOs in web/'),
    below('spawn', 'TODOs in scripts/'),
    below('acp', 'Write the ranking down'),
  ]
  start('acp', 'Audit of dependencies', { timeoutMs: 1900, cancelGraceMs: 900 })
  const childOf = (run) => providers.flatMap(({ children }) => children).find(({ runId }) => runId === run.runId)
  const use = async (run, name, ms, status = 'ok') => {
    const toolCallId = `${name} ${Math.random()}`
    childOf(run).update({ type: 'tool-call', toolCallId, name })
    await wait(ms)
    childOf(run).update({ type: 'tool-result', toolCallId, status })
  }
  childOf(above).update({ type: 'tool-call', toolCallId: 'delegate', name: 'subagent' })
  await Promise.all([
    use(server, 'list_files', 300)
      .then(() => use(server, 'search_files', 900))
      .then(() => use(server, 'read_file', 500))
      .then(() => {
        for (const text of ['There are ', 'seven TODOs ', 'in three files.']) childOf(server).update({ type: 'text', text })
        childOf(server).settle({
          output: [{ type: 'text', text: 'Seven.' }],
          usage: { inputTokens: 4180, outputTokens: 312, totalTokens: 4492 },
        })
      }),
    use(web, 'search_files', 1300, 'error').then(async () => {
      await wait(800)
      childOf(web).settle({
        stopReason: 'error',
        failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' },
      })
    }),
    use(scripts, 'search_files', 1500).then(async () => {
      scripts.cancel('enough')
      await wait(700)
      childOf(scripts).settle({ stopReason: 'aborted' })
    }),
    use(write, 'read_file', 1100).then(() => {
      const asked = childOf(write).ask(question)
      void desk.ask({ runId: write.runId, request: question }, childOf(write).context.signal).then(async () => {
        asked.answer()
        await use(write, 'write_file', 400)
        childOf(write).settle()
      })
    }),
    wait(4200),
  ])
  return { above, settle: () => childOf(above).settle(), write }
}

const folder = mkdtempSync(join(tmpdir(), 'screenshots-'))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

async function picture(name, url, { colorScheme = 'light', width = 1280, height = 760 }, act) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme })
  await page.goto(url)
  await page.getByRole('treeitem').first().waitFor()
  await page.focus('#tree')
  await act(page)
  await wait(300)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await page.close()
}

const choose = (page, name) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) }).click()
const view = async (page, key) => {
  await page.keyboard.press(key)
  if (key === '2') await page.locator('.chart svg').waitFor()
}

const desk = createPermissionDesk()
const scripted = () => ({ hang: true })
const deaf = ({ prompt }) => ({ hang: true, deaf: prompt[0].text.startsWith('Audit') })
const providers = [scriptedProvider(scripted, { name: 'spawn' }), scriptedProvider(deaf, { name: 'acp' })]
const service = createSubagentService({ providers })
const journal = createJournal(service)
const recording = await recordJournal(journal, join(folder, 'runs.jsonl'))
const live = await openInspectPage(journal, { permissions: desk })
try {
  const { above, settle, write } = await play(service, desk, providers)
  const { url } = live
  await Promise.all([
    picture('page-runs-light', url, {}, (page) => choose(page, 'TODOs in web')),
    picture('page-runs-dark', url, { colorScheme: 'dark' }, (page) => choose(page, 'Find every')),
    picture('page-question-dark', url, { colorScheme: 'dark' }, (page) => page.keyboard.press('p')),
  ])
  desk.answer(write.runId, question.id, 'once')
  await write.result
  settle()
  await above.result
  await service.close()
  await recording.close()
  const recorded = await openInspectPage(await readJournal(recording.file))
  try {
    const { url } = recorded
    await picture('page-chart-light', url, { width: 1600, height: 1000 }, async (page) => {
      await choose(page, 'Write the')
      await view(page, '2')
    })
    await picture('page-sequence-dark', url, { colorScheme: 'dark' }, async (page) => {
      await choose(page, 'Write the')
      await view(page, '3')
    })
    await picture('page-updates-light', url, {}, async (page) => {
      await choose(page, 'TODOs in server')
      await view(page, '4')
    })
    await picture('page-narrow-light', url, { width: 900, height: 800 }, async (page) => {
      await page.locator('#slider').focus()
      for (let step = 0; step < 4; step++) await page.keyboard.press('PageDown')
      await choose(page, 'TODOs in scripts')
    })
  } finally {
    await recorded.close()
  }
} finally {
  await browser.close()
  await live.close()
  await service.close()
  journal.close()
  rmSync(folder, { recursive: true, force: true })
}
