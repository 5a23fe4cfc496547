/** Keeps the keys of the environment out of everything that is printed (C3): a server, or a file, may say one back. */

const names = /_API_KEY$/
/** Shorter values are no keys: a local server is often given a word, which a text may have by chance. */
const shortest = 8
const mark = '[redacted]'

/** @returns a function that takes the values of key variables out of a text */
export function secretFilter(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = Object.entries(env).flatMap(([name, value]) =>
    names.test(name) && value !== undefined && value.trim().length >= shortest ? [value.trim()] : [],
  )
  // In JSON a value stands with its escapes.
  const forms = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))].sort((a, b) => b.length - a.length)
  return (text) => forms.reduce((clean, secret) => clean.replaceAll(secret, mark), text)
}
