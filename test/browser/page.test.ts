import { describe, expect, it } from 'vitest'
import { createPermissionDesk, readJournal, recordJournal } from '../../src/inspect/index.ts'
import type { PermissionRequest } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { request, watched } from '../inspect/watched.ts'
import { lineOf, linesOf, opened, useBrowser } from './browser.ts'

useBrowser()

const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } as const

/** A run with three runs below it, of which one answers, one fails and one is cancelled; the uppermost goes on. */
async function four() {
  const provider = scriptedProvider([
    { hang: true },
    { tools: [{ name: 'search_files' }], text: ['Three ', 'TODOs'], usage: { totalTokens: 1540 } },
    { stopReason: 'error', failure },
    { hang: true },
  ])
  const { service, journal } = watched({ providers: [provider] })
  const start = (label: string, parent = request.parent) => service.start('scripted', { ...request, parent, label })
  const audit = start('audit')
  const below = { ...request.parent, id: audit.id }
  const [server, web, scripts] = ['server', 'web', 'scripts'].map((label) => start(label, below))
  await Promise.all([server!.result, web!.result])
  scripts!.cancel('enough')
  await scripts!.result
  return { service, journal, provider, audit, end: () => (provider.children[0]!.settle(), audit.result) }
}

describe('a live run', () => {
  it('I3, I5: is followed to its end, with those that it started, without loading the page again', async () => {
    const provider = scriptedProvider([{ hang: true }, { hang: true }])
    const { service, journal } = watched({ providers: [provider] })
    const { page } = await opened(journal)
    await page.getByText('No run yet.').waitFor()
    const above = service.start('scripted', { ...request, label: 'audit' })
    await lineOf(page, 'audit').getByText('waits for its model').waitFor()
    const below = service.start('scripted', { ...request, parent: { ...request.parent, id: above.id }, label: 'server' })
    await lineOf(page, 'audit').getByText('waits for server').waitFor()
    provider.children[1]!.update({ type: 'tool-call', toolCallId: 'call', name: 'search_files' })
    await lineOf(page, 'server').getByText('uses search_files').waitFor()
    expect(await lineOf(page, 'server').getAttribute('aria-level')).toBe('2')
    provider.children[1]!.settle()
    await below.result
    await lineOf(page, 'server').getByText('completed').waitFor()
    provider.children[0]!.settle()
    await above.result
    await service.close()
    await lineOf(page, 'audit').getByText('completed').waitFor()
    await page.getByRole('status').getByText('closed').waitFor()
    journal.close()
    await page.getByRole('status').getByText('ended').waitFor()
  })

  it('I3, I5: shows whole again when the page is loaded again in the middle of it, and goes on', async () => {
    const { service, journal, end } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'scripts').waitFor()
    const before = await linesOf(page)
    await page.reload()
    await lineOf(page, 'scripts').waitFor()
    expect((await linesOf(page)).map((line) => line.replace(/\d.*/, ''))).toEqual(before.map((line) => line.replace(/\d.*/, '')))
    await end()
    await lineOf(page, 'audit').getByText('completed').waitFor()
    await service.close()
  })

  it('I3: what is shown stays when the program ends, and the page says that it is over', async () => {
    const { service, journal, end } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'scripts').waitFor()
    await end()
    await service.close()
    journal.close()
    await page.getByRole('status').getByText('ended').waitFor()
    expect((await linesOf(page)).length).toBe(4)
  })
})

describe('outcomes', () => {
  it('I3, I5: a cancelled and a failed run are told apart, in words, by their signs and by the marks in their lanes; why it failed is said', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'scripts').waitFor()
    expect((await linesOf(page)).map((line) => line.replace(/, \d.*/, ''))).toEqual([
      'audit, scripted, running, waits for its model',
      'server, scripted, completed',
      'web, scripted, failed, MODEL_ERROR',
      'scripts, scripted, cancelled',
    ])
    const shapes = await page.getByRole('treeitem').evaluateAll((lines) => lines.map((line) => line.querySelector('.sign')!.innerHTML))
    expect(new Set(shapes).size).toBe(4)
    const marks = (name: string) => lineOf(page, name).evaluate((line) => [...line.querySelectorAll('.mark')].map((mark) => mark.className))
    expect(await marks('web')).toEqual(['mark is-settle of-failed'])
    expect(await marks('scripts')).toEqual(['mark is-cancel of-cancelled', 'mark is-settle of-cancelled'])

    await lineOf(page, 'web').click()
    const why = page.locator('.failure')
    expect(await why.innerText()).toContain('MODEL_ERROR while running · may go well when it is tried again')
    expect(await why.innerText()).toContain('Its model could not be reached or refused the call.')
    await lineOf(page, 'scripts').click()
    await page.getByRole('heading', { name: 'scripts' }).waitFor()
    expect(await why.count()).toBe(0)
    await service.close()
  })

  it('I3: search and filter leave those that match, with those above them, and are taken back with Escape', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'scripts').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('model_err')
    await lineOf(page, 'scripts').waitFor({ state: 'detached' })
    expect((await linesOf(page)).map((line) => line.split(',')[0])).toEqual(['audit', 'web'])
    await page.keyboard.press('Escape')
    await lineOf(page, 'scripts').waitFor()
    await page.getByRole('button', { name: '1 cancelled' }).click()
    await lineOf(page, 'web').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('nothing')
    await page.getByText('No run is like that.').waitFor()
    await page.getByRole('button', { name: 'Show all 4' }).click()
    await lineOf(page, 'web').waitFor()
    await service.close()
  })
})

describe('the views of a run', () => {
  it('I3: its chart has the present state lit and the way that it took drawn through, with the steps below', async () => {
    const { service, journal, end } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'audit').click()
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.getByRole('img', { name: 'Chart of run. It is in running, running.active.' }).waitFor()
    const lit = () => page.locator('.box.is-present text').allTextContents()
    const taken = () => page.locator('.arrow.is-taken text').allTextContents()
    expect(await lit()).toEqual(['running', 'active'])
    expect((await taken()).toSorted()).toEqual(['accept', 'ready'])
    await end()
    await page.getByRole('img', { name: 'It is in settling, settling.held' }).waitFor()
    expect((await taken()).toSorted()).toEqual(['accept', 'ready', 'settlereject'])
    expect(await page.locator('.steps li code').allTextContents()).toEqual([
      'validating.checking',
      'starting',
      'running.active',
      'settling.held',
    ])
    await service.close()
  })

  it('I3: the sequence has each event with who sent it and what came of it; updates and usage are there as far as the journal tells them', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'server').click()
    await page.getByRole('tab', { name: 'Sequence' }).click()
    const events = page.getByRole('listitem')
    await events.first().waitFor()
    expect((await events.locator('.hidden').allTextContents()).map((text) => text.replace(/^[^:]+: /, ''))).toEqual([
      'outside sends accept to server, which is then in starting',
      'outside sends ready to server, which is then in running.active',
      'outside sends settle to server, which is then in settling.held',
    ])
    await page.getByRole('tab', { name: 'Updates' }).click()
    await page.getByText('9 characters in 2 pieces').or(page.getByText('11 characters in 2 pieces')).waitFor()
    await page.getByText('search_files · ok').waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByText('1 540 tokens').or(page.getByText('1\u202f540')).first().waitFor()
    await page.getByText('this journal is one without content').waitFor()
    await service.close()
  })
})

describe('a question', () => {
  it('I3, I5, A13: that waits is seen from everywhere, gone to and answered by the keyboard, and the run goes on', async () => {
    const desk = createPermissionDesk()
    const provider = scriptedProvider([{ hang: true }, { hang: true }])
    const { service, journal } = watched({ providers: [provider] })
    const { page } = await opened(journal, { desk })
    service.start('scripted', { ...request, label: 'audit' })
    const run = service.start('scripted', { ...request, label: 'publish' })
    await lineOf(page, 'publish').waitFor()
    const child = provider.children[1]!
    const question: PermissionRequest = {
      id: 'q1',
      title: 'Run npm publish?',
      options: [
        { id: 'yes', name: 'Allow once', kind: 'allow_once' },
        { id: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    }
    const asked = child.ask(question)
    const answer = desk.ask({ runId: run.runId, request: question }, child.context.signal)
    await page.getByRole('alert').getByText('A run waits for your answer: Run npm publish?').waitFor()
    await lineOf(page, 'publish').getByText('asks').waitFor()
    await page.keyboard.press('p')
    await page.locator('.question button:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await answer).toEqual({ optionId: 'no' })
    asked.answer()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await lineOf(page, 'publish').getByText('waits for its model').waitFor()
    await service.close()
  })
})

describe('a recording', () => {
  it('I3, I4, I5: is shown at any moment of it, by slider and step by step', async () => {
    const { service, journal, end } = await four()
    const recording = await recordJournal(journal, `${await temporaryFolder()}/runs.jsonl`)
    await end()
    await service.close()
    await recording.close()
    const recorded = await readJournal(recording.file)
    const { page } = await opened(recorded)
    const all = String(recorded.entries.length)
    await page.getByText(`entry ${all} of ${all}`).waitFor()
    expect((await linesOf(page)).map((line) => line.replace(/, \d.*/, ''))).toEqual([
      'audit, scripted, completed',
      'server, scripted, completed',
      'web, scripted, failed, MODEL_ERROR',
      'scripts, scripted, cancelled',
    ])
    const slider = page.getByRole('slider', { name: 'Moment of the recording' })
    await page.getByRole('button', { name: 'One entry back' }).click()
    await page.getByText(`entry ${recorded.entries.length - 1} of ${all}`).waitFor()
    const first = recorded.entries.findIndex(({ type }) => type === 'end')
    await slider.focus()
    await slider.press('Home')
    const shown = async () => Number(/entry (\d+)/.exec(await page.locator('.replay-count').innerText())![1])
    for (let left = first - (await shown()); left > 0; left--) await page.getByRole('button', { name: 'One entry on' }).click()
    await page.getByText(`entry ${first} of ${all}`).waitFor()
    expect((await linesOf(page)).join()).not.toContain('completed')
    await slider.press('End')
    await page.getByText(`entry ${all} of ${all}`).waitFor()
  })
})

describe('keys and colours', () => {
  it('I3, I5: everything is reached and worked by the keyboard alone, and where the focus is can be seen', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal)
    await lineOf(page, 'scripts').waitFor()
    const focus = () => page.evaluate(() => document.activeElement!.id || document.activeElement!.textContent)
    const chosen = () =>
      page
        .locator('[aria-selected=true][role=treeitem]')
        .getAttribute('aria-label')
        .then((label) => label!.split(',')[0])
    await page.keyboard.press('Tab')
    await expect.poll(focus).toBe('To the runs')
    await page.keyboard.press('Enter')
    await expect.poll(focus).toBe('tree')
    await page.keyboard.press('Home')
    expect(await chosen()).toBe('audit')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await chosen()).toBe('web')
    const active = await page.locator('#tree').getAttribute('aria-activedescendant')
    expect(await page.locator(`#${active!}`).getAttribute('aria-label')).toContain('web')
    expect(await page.locator('.row.is-current').evaluate((line) => getComputedStyle(line).outlineWidth)).toBe('2px')
    await page.keyboard.press('ArrowLeft')
    expect(await chosen()).toBe('audit')
    await page.keyboard.press('ArrowLeft')
    expect((await linesOf(page)).length).toBe(1)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await chosen()).toBe('server')
    await page.keyboard.press('End')
    expect(await chosen()).toBe('scripts')
    await page.keyboard.press('n')
    expect(await chosen()).toBe('web')
    await page.keyboard.press('Enter')
    await expect.poll(focus).toBe('detail')
    await page.keyboard.press('3')
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Sequence')
    await page.getByRole('tab', { selected: true }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(focus).toBe('tab-updates')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Keys').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await expect.poll(focus).toBe('tree')
    // Forth through all that can be reached, each of which has a name and shows that it has the focus.
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab')
      const [id, name, seen] = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement
        const { outlineStyle } = getComputedStyle(element.matches('.choice input') ? element.parentElement! : element)
        const row = element.id === 'tree' && document.querySelector('.row.is-current')
        const labelled =
          element.getAttribute('aria-label') ?? document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent
        return [
          element.tagName,
          labelled || element.innerText || (element as HTMLInputElement).labels?.[0]?.textContent || '',
          outlineStyle !== 'none' || (row && getComputedStyle(row).outlineStyle !== 'none'),
        ]
      })
      if (id === 'BODY') break
      expect([name !== '', seen], `${String(id)} ${String(name)}`).toEqual([true, true])
    }
    await service.close()
  })

  it.each(['light', 'dark'] as const)(
    'I3, I5: %s, as the system has it: text has a contrast of 4.5 to 1, in every view',
    async (colorScheme) => {
      const { service, journal } = await four()
      const { page } = await opened(journal, { colorScheme })
      for (const name of ['audit', 'server', 'web', 'scripts'])
        for (const key of ['1', '2', '3', '4']) {
          await lineOf(page, name).click()
          await page.keyboard.press(key)
          if (key === '2') await page.locator('.chart svg').waitFor()
          expect(await page.evaluate(faintTexts), `${name} ${key}`).toEqual([])
        }
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 28)',
      )
      await service.close()
    },
  )

  it('I3, I5: the button goes from the system’s colours to light, to dark and back, and is remembered', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal, { colorScheme: 'dark' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const button = page.getByRole('button', { name: /Colours/ })
    const seen = [await ground()]
    for (let press = 0; press < 2; press++) {
      await button.click()
      seen.push(await ground())
    }
    expect(seen).toEqual(['rgb(20, 23, 28)', 'rgb(255, 255, 255)', 'rgb(20, 23, 28)'])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.reload()
    expect(await ground()).toBe('rgb(20, 23, 28)')
    await service.close()
  })

  it('I3: where a person wants no motion, nothing moves by itself', async () => {
    const { service, journal } = await four()
    const { page } = await opened(journal, { reducedMotion: 'reduce' })
    await lineOf(page, 'audit').waitFor()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await service.close()
  })
})

describe('an address that is wrong', () => {
  it('I3: shows nothing', async () => {
    const { service, journal } = await four()
    const { url } = await opened(journal)
    const answer = await fetch(`${url.slice(0, -2)}/`)
    expect([answer.status, await answer.text()]).toEqual([404, ''])
    await service.close()
  })
})

/** Texts that are fainter than 4.5 to 1 before what is behind them; of those that can be seen and are not switched off. */
function faintTexts(): string[] {
  const parse = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = ([r = 0, g = 0, b = 0]: readonly number[]): number => {
    const [x, y, z] = [r, g, b].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * x! + 0.7152 * y! + 0.0722 * z!
  }
  // In a chart: the box that a text is in, or the edge that is drawn round its letters.
  const behindDrawn = (element: Element): readonly number[] | undefined => {
    const box = element.closest('.box')?.querySelector('rect')
    if (box) return parse(getComputedStyle(box).fill)
    const { paintOrder, stroke } = getComputedStyle(element)
    return paintOrder.startsWith('stroke') && stroke !== 'none' ? parse(stroke) : undefined
  }
  const behind = (element: Element): readonly number[] => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const color = (at instanceof SVGTextElement && behindDrawn(at)) || parse(getComputedStyle(at).backgroundColor)
      if (color[3] !== 0) return color
    }
    return [255, 255, 255]
  }
  const faint: string[] = []
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ textContent }) => textContent)
      .join('')
      .trim()
    if (text === '' || element.closest(':disabled, .hidden, .skip, noscript, dialog:not([open])')) continue
    const { color, fill } = getComputedStyle(element)
    const [a, b] = [luminance(parse(element instanceof SVGTextElement ? fill : color)), luminance(behind(element))].toSorted(
      (x, y) => y - x,
    )
    const contrast = (a! + 0.05) / (b! + 0.05)
    if (contrast < 4.5) faint.push(`${text}: ${contrast.toFixed(2)}`)
  }
  return faint
}
