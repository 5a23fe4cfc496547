/** Figures as text. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return ''
  if (ms < 1000) return `${Math.round(Math.max(0, ms))} ms`
  if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return h > 0 ? `${h} h ${m} min` : `${m} min ${s} s`
}

/** Thousands apart, by a space that does not break. */
export const count = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')

export const plural = (number: number, one: string, many = `${one}s`): string => `${count(number)} ${number === 1 ? one : many}`

export function timeOfDay(at: number): string {
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** A step of an axis: 1, 2 or 5 of a decimal unit up to seconds, then of minutes and hours. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5]

/** @returns moments from `from` to `to`, counted from `zero`, at most `most` */
export function ticks(from: number, to: number, zero: number, most: number): number[] {
  const step = steps.find((each) => (to - from) / each <= most) ?? 864e5 * Math.ceil((to - from) / 864e5 / Math.max(1, most))
  const first = Math.ceil((from - zero) / step)
  return Array.from({ length: Math.max(0, Math.floor((to - zero) / step) - first + 1) }, (_, index) => zero + (first + index) * step)
}

export function axisLabel(ms: number, step: number): string {
  if (ms === 0) return '0'
  if (step < 1000 && ms < 10_000) return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`
  return ms < 60_000 ? `${ms / 1000} s` : duration(ms).replace(/ 0 (?:s|min)$/, '')
}
