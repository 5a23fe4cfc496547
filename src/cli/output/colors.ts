import picocolors from 'picocolors'
import type { CliIo } from '../io.ts'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Colours for stderr, where progress is shown; none under NO_COLOR, nor where no terminal would show them (C7). */
export function colorsFor({ env, stderr }: Pick<CliIo, 'env' | 'stderr'>): Colors {
  const isSet = (name: string) => env[name] !== undefined && env[name] !== ''
  if (isSet('NO_COLOR')) return picocolors.createColors(false)
  if (isSet('FORCE_COLOR') && env['FORCE_COLOR'] !== '0') return picocolors.createColors(true)
  return picocolors.createColors(stderr.isTTY && env['TERM'] !== 'dumb')
}
