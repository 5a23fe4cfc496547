import { UsageError } from './usage-error.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
/** What a timer of Node can hold. */
const longest = 2_147_483_647

/** @param flag where it was given @returns milliseconds @throws UsageError */
export function parseDuration(text: string, flag = '--timeout'): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(number) * (units[unit ?? ''] ?? Number.NaN))
  if (milliseconds >= 1 && milliseconds <= longest) return milliseconds
  const reason = Number.isNaN(milliseconds) ? 'is not a duration' : 'is out of range (1ms to 24 days)'
  throw new UsageError(`${flag} ${text} ${reason}. Give a number with ms, s, m or h, such as 90s or 2m.`)
}
