import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootAgent } from '../../src/index.ts'
import type { ProviderSubject } from '../../src/testing/index.ts'
import { commandProvider } from '../../examples/my-provider.ts'

/** Tells its process id, takes the prompt from its input, then writes what it finds in `part` until `end` holds its exit code. */
const script = `
[ -f deaf ] && trap '' TERM
echo $$ > pid.new && mv pid.new pid
cat > prompt
part() { [ -f part ] && cat part && rm part; }
until [ -f end ]; do part; sleep 0.005; done
part
exit $(cat end)
`

/** Real processes, driven through files in a folder of each. */
export function commandSubject(): ProviderSubject {
  const root = mkdtempSync(join(tmpdir(), 'command-provider-'))
  const folders: string[] = []
  const folder = (child: number): string => (folders[child] ??= mkdtempSync(join(root, 'child-')))
  const read = (child: number, file: string): string | undefined => {
    const path = join(folder(child), file)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  // Whole or not at all: the child may look at any time.
  const write = (child: number, file: string, text: string): void => {
    writeFileSync(join(folder(child), 'new'), text)
    renameSync(join(folder(child), 'new'), join(folder(child), file))
  }
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  return {
    provider: commandProvider('sh', ['-c', script]),
    request: (child) => ({ parent: rootAgent({ cwd: folder(child) }) }),
    isUp: (child) => read(child, 'pid') !== undefined,
    settle: (text, child) => {
      write(child, 'part', text)
      write(child, 'end', '0')
    },
    fail: (_message, child) => write(child, 'end', '3'),
    stream: async (text, child) => {
      write(child, 'part', text)
      while (read(child, 'part') !== undefined) await new Promise((resolve) => setTimeout(resolve, 2))
    },
    ignoreCancel: (child) => write(child, 'deaf', ''),
    sees: { prompt: (child) => read(child, 'prompt') },
    leftovers: () =>
      folders.flatMap((_, child) => {
        const pid = Number(read(child, 'pid'))
        return pid > 0 && isAlive(pid) ? [`process ${pid}`] : []
      }),
    cleanUp: () => rmSync(root, { recursive: true, force: true }),
  }
}
