/**
 * Takes the values of a child's environment out of a text, in each form that a message has them in (G12, A21).
 *
 * Half a secret is found by nobody: a text is made safe first and cut afterwards, which `cleanStart` and `cleanEnd` are for.
 */
import { redact } from './redact.ts'

export interface Redactor {
  (text: string): string
  /** Characters of the longest text that it replaces: so much of a text that was cut is in doubt. */
  readonly longest: number
}

/** Shorter values are words that would be found anywhere. */
const shortest = 6
/** Of a value that was given as a secret. */
const shortestSecret = 4
const shortestEncoded = 8
/** Of what is known by its looks alone, as the keys that `redact` finds. */
const leastReach = 256
const secretName = /key|token|secret|pass|pwd|credential|auth|(?:^|_)pin(?:_|$)/i

/** Text with no value of the environment in it, and nothing that looks like a key. */
export function createRedactor(env: NodeJS.ProcessEnv, explicit: { readonly [name: string]: string | undefined } = {}): Redactor {
  let known: (readonly [form: string, name: string])[] | undefined
  // Most runs have no text that needs it.
  const forms = (): NonNullable<typeof known> => {
    const all = Object.entries(env).flatMap(([name, value = '']) => {
      const least = Object.hasOwn(explicit, name) && secretName.test(name) ? shortestSecret : shortest
      return value.length < least ? [] : formsOf(value).map((form) => [form, name] as const)
    })
    return (known ??= [...new Map(all)].toSorted(([a], [b]) => b.length - a.length))
  }
  const clean = (text: string): string => {
    let safe = text
    for (const [form, name] of forms()) if (safe.includes(form)) safe = safe.replaceAll(form, `[${name}]`)
    return redact(safe)
  }
  return Object.defineProperty(clean, 'longest', { get: () => Math.max(leastReach, forms()[0]?.[0].length ?? 0) }) as unknown as Redactor
}

/** The start of a text, safe: at least `length` characters of it where it has so many and they are no secrets. */
export function cleanStart(text: string, length: number, safe: Redactor): string {
  const window = 4 * length + 2 * safe.longest
  if (text.length <= window) return safe(text)
  const clean = safe(text.slice(0, window))
  return `${clean.slice(0, Math.max(0, clean.length - safe.longest))} …`
}

/** The last `length` characters of a text, safe. @param isCut something came before it, which may have been the start of a secret */
export function cleanEnd(text: string, length: number, safe: Redactor, isCut: boolean): string {
  const window = 4 * length + 2 * safe.longest
  const clean = safe(text.slice(-window))
  const certain = isCut || text.length > window ? clean.slice(safe.longest) : clean
  return certain.slice(-length).replace(/^[\uDC00-\uDFFF]/, '')
}

function formsOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim())
  const plain = [value, ...(lines.length > 1 ? lines.filter((line) => line.length >= shortest) : [])]
  const written = plain.flatMap((each) => [each, JSON.stringify(each).slice(1, -1), ...urlForms(each)])
  return [...written, ...base64Forms(value)]
}

function urlForms(value: string): string[] {
  try {
    const form = encodeURIComponent(value)
    return [form, form.replaceAll('%20', '+'), encodeURI(value)]
  } catch {
    // Half a code point has no such form.
    return []
  }
}

/** Also as a part of something longer, as in `user:password`: there are three ways to stand in it. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64')
    // Characters that its neighbours have a part in.
    const start = [0, 2, 3][before]!
    const end = encoded.includes('=') ? encoded.indexOf('=') - 1 : encoded.length
    const own = encoded.slice(start, end)
    return own.length < shortestEncoded ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
