/** A real browser on the page, in which every fault counts: an error in its console, a request that leaves the page's server. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { openInspectPage } from '../../src/inspect/index.ts'
import type { PagePermissions } from '../../src/inspect/index.ts'
import { buildProgram } from '../cli/program-process.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

function findBrowser(): string {
  const asked = process.env['CHROMIUM']
  const places = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  const found = asked ? asked : places.find(isProgram)
  if (found === undefined || !isProgram(found))
    throw new Error(
      `${asked ? `CHROMIUM is ${asked}, which is no program.` : `There is no browser in the PATH: none of ${names.join(', ')}.`} Install one (on Debian: apt-get install -y chromium), or say in CHROMIUM where it is.`,
    )
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

let browser: Browser

/** For a file of tests: starts the browser and builds the page. */
export function useBrowser(): void {
  beforeAll(async () => {
    buildProgram()
    browser = await chromium.launch({
      executablePath: findBrowser(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
  })
  afterAll(() => browser?.close())
}

interface Opened {
  readonly page: Page
  readonly url: string
}

/** The page of a service, a journal or a recording, in a window of its own. */
export async function opened(
  shown: Parameters<typeof openInspectPage>[0],
  { desk, ...window }: BrowserContextOptions & { readonly desk?: PagePermissions } = {},
): Promise<Opened> {
  const served = await openInspectPage(shown, { env: {}, ...(desk && { permissions: desk }) })
  // Undone in reverse: a window that outlives its server asks it again, and that is a fault in its console.
  onTestFinished(() => served.close())
  const page = await look(served.url, window)
  return { page, url: served.url }
}

async function look(url: string, window: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...window })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`asked for ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(faults).toEqual([])
  })
  await page.goto(url)
  return page
}

/** The line of a run in the tree. */
export const lineOf = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name},`) })

/** What a person hears of the lines of the tree. */
export const linesOf = (page: Page) =>
  page.getByRole('treeitem').evaluateAll((lines) => lines.map((line) => line.getAttribute('aria-label')!))
