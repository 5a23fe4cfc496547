/** The built page: three files that stand beside this module in the build, and in `dist/` when this module runs from its source. */
import { readFile } from 'node:fs/promises'
import { SubagentError } from '../../errors.ts'

export interface Asset {
  readonly type: string
  readonly body: string
}

const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
}

/** @returns them by name @throws SubagentError INVALID_REQUEST where the page is not built */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const isSource = import.meta.url.endsWith('.ts')
  const folder = new URL(isSource ? '../../../dist/inspect/page/app/' : './app/', import.meta.url)
  const assets = Object.entries(types).map(async ([name, type]): Promise<[string, Asset]> => [
    name,
    { type, body: await readFile(new URL(name, folder), 'utf8') },
  ])
  try {
    return new Map(await Promise.all(assets))
  } catch (cause) {
    throw new SubagentError('INVALID_REQUEST', `The page is not built: ${folder.pathname} has not all of its files. Run npm run build.`, {
      cause,
    })
  }
}
