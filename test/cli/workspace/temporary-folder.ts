import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A real folder with `files` (path → content) in it, gone when the test has finished. */
export async function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'subagents-workspace-')))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await addFiles(folder, files)
  return folder
}

export async function addFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/** Runs `task` as a user whom file modes bind: for root they are no obstacle, so root becomes `nobody` meanwhile. */
export async function withoutRoot<T>(task: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return task()
  process.seteuid!(65534)
  try {
    return await task()
  } finally {
    process.seteuid!(0)
  }
}
