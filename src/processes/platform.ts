/**
 * Which kind of family there is where this runs.
 */
import { darwinProcesses } from './darwin.ts'
import { linuxProcesses } from './linux.ts'
import type { FamilyRoot, ProcessFamily } from './process-family.ts'
import { UnixFamily } from './unix-family.ts'
import { WindowsFamily } from './windows.ts'

export const isWindows = process.platform === 'win32'
/** Other Unixes have a `ps` that shows the same columns. */
const source = process.platform === 'linux' ? linuxProcesses : darwinProcesses

export function createFamily(root: FamilyRoot): ProcessFamily {
  return isWindows ? new WindowsFamily(root) : new UnixFamily(root, source)
}

/** Kills all of them before it returns. */
export function killFamiliesNow(families: readonly ProcessFamily[]): void {
  const unix = families.filter((family) => family instanceof UnixFamily)
  UnixFamily.killNow(unix, source)
  for (const family of families) if (!(family instanceof UnixFamily)) family.killNow()
}
