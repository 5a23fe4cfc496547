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

/** Times of frames and of what kept one from coming, from then on, in milliseconds. */
async function measured(page: Page, act: () => Promise<unknown>) {
  await page.evaluate(() => {
    const seen = { frames: [] as number[], tasks: [] as number[], isOver: false }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    })
    let last = performance.now()
    const frame = (time: number) => {
      seen.frames.push(time - last)
      last = time
      if (!seen.isOver) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  await act()
  return page.evaluate(() => {
    const { seen } = window as unknown as { seen: { frames: number[]; tasks: number[]; isOver: boolean } }
    seen.isOver = true
    const frames = seen.frames.toSorted((a, b) => a - b)
    return {
      frames: frames.length,
      middle: frames[Math.floor(frames.length / 2)]!,
      longestTask: Math.max(0, ...seen.tasks),
      elements: document.querySelectorAll('*').length,
    }
  })
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

// Bounds for machines that are busy with other things: on one that is not, a frame takes 17 ms and no task is long.
describe('2 000 recorded runs', () => {
  it('I3, I5: are shown whole and scrolled smoothly, with no more lines made than can be seen', async () => {
    const recorded = await record()
    const { page } = await opened(recorded)
    await page.getByText(`entry ${figure(recorded.entries.length)} of ${figure(recorded.entries.length)}`).waitFor({ timeout: 60_000 })
    expect(await page.title()).toBe(`${figure(many)} runs`)
    const wheel = await measured(page, () => scroll(page, 3, 60))
    const flung = await measured(page, () => scroll(page, 40, 45))
    process.stdout.write(`wheel ${JSON.stringify(wheel)}, flung ${JSON.stringify(flung)}\n`)
    for (const { middle, longestTask, elements } of [wheel, flung]) {
      expect(middle).toBeLessThan(150)
      expect(longestTask).toBeLessThan(1500)
      expect(elements).toBeLessThan(2000)
    }
    await page.focus('#tree')
    await page.keyboard.press('End')
    await lineOf(page, `part ${many - 1}`).waitFor()
    await page.keyboard.press('/')
    const search = await measured(page, () => page.keyboard.type('part 1234', { delay: 20 }))
    await lineOf(page, 'part 1234').waitFor()
    expect(await page.getByRole('treeitem').count()).toBe(2)
    expect(search.longestTask).toBeLessThan(1500)
  }, 180_000)
})

const figure = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')
