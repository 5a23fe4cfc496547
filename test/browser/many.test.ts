import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createSubagentService } from '../../src/index.ts'
import { createJournal, readJournal, recordJournal } from '../../src/inspect/index.ts'
import type { RecordedJournal } from '../../src/inspect/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { request } from '../inspect/watched.ts'
import { lineOf, opened, useBrowser } from './browser.ts'

useBrowser()

const many = 2000

async function record(): Promise<RecordedJournal> {
  const provider = scriptedProvider((_, __, index) =>
    index % 10 === 3
      ? { stopReason: 'refusal' }
      : { tools: [{ name: 'search_files' }], text: ['Three ', 'TODOs'], usage: { totalTokens: index } },
  )
  const service = createSubagentService({ providers: [provider] })
  const journal = createJournal(service, { env: {}, limit: 1_000_000 })
  const recording = await recordJournal(journal, `${await temporaryFolder()}/many.jsonl`)
  for (let made = 0; made < many; made += 20) {
    const above = service.start('scripted', { ...request, label: `audit ${made}` })
    const parent = { ...request.parent, id: above.id }
    const below = Array.from({ length: 19 }, (_, index) =>
      service.start('scripted', { ...request, parent, label: `part ${made + index + 1}` }),
    )
    const runs = [above, ...below]
    await Promise.all(runs.map(({ result }) => result))
    for (const run of runs.toReversed()) await run.dispose()
  }
  await service.close()
  await recording.close()
  return readJournal(recording.file)
}

/**
 * What the page itself works at in a frame, in milliseconds: script, style and layout. How long a frame takes besides, on a machine
 * that draws without a graphics card and has other things to do, says nothing of the page.
 */
async function workPerFrame(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const look = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const of = (name: string) => metrics.find((metric) => metric.name === name)!.value
    const frames = await page.evaluate(() => (window as unknown as { framesSeen: number }).framesSeen)
    return { frames, work: of('ScriptDuration') + of('RecalcStyleDuration') + of('LayoutDuration') }
  }
  await page.evaluate(() => {
    const counter = window as unknown as { framesSeen?: number }
    if (counter.framesSeen !== undefined) return
    counter.framesSeen = 0
    const frame = () => {
      counter.framesSeen!++
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  const before = await look()
  await act()
  const after = await look()
  await session.detach()
  return ((after.work - before.work) * 1000) / (after.frames - before.frames)
}

/** What a person scrolls: steps of a wheel, one a frame, there and back; a step is this many lines. */
const scroll = (page: Page, lines: number, steps: number) =>
  page.evaluate(
    async ([lines, steps]) => {
      const tree = document.getElementById('tree')!
      for (let step = 0; step < 2 * steps!; step++) {
        tree.scrollTop += (step < steps! ? 28 : -28) * lines!
        await new Promise(requestAnimationFrame)
      }
    },
    [lines, steps],
  )

/** On a machine that has nothing else to do it is a fifth of this or less. */
const bound = 100

describe('2 000 recorded runs', () => {
  it('I3, I5: are shown whole and scrolled smoothly, with no more lines made than can be seen', async () => {
    const recorded = await record()
    const { page } = await opened(recorded)
    const all = figure(recorded.entries.length)
    await page.getByText(`entry ${all} of ${all}`).waitFor({ timeout: 60_000 })
    expect(await page.title()).toBe(`${figure(many)} runs`)
    expect(await workPerFrame(page, () => scroll(page, 3, 60))).toBeLessThan(bound)
    expect(await workPerFrame(page, () => scroll(page, 40, 45))).toBeLessThan(bound)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2000)
    await page.focus('#tree')
    await page.keyboard.press('End')
    await lineOf(page, `part ${many - 1}`).waitFor()
    await page.keyboard.press('/')
    expect(await workPerFrame(page, () => page.keyboard.type('part 1234'))).toBeLessThan(bound)
    await lineOf(page, 'part 1234').waitFor()
    expect(await page.getByRole('treeitem').count()).toBe(2)
  }, 180_000)
})

const figure = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')
