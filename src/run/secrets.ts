/** Keeps the keys of the environment out of everything that is printed (C3): a server, or a file, may say one back. */

const apiKeys = /_API_KEY$/
/** Names of variables whose values are nobody else's business, whatever they open. */
export const secretNames = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i
/** Shorter values are no keys: a local server is often given a word, which a text may have by chance. */
const shortest = 8
const mark = '[redacted]'
/** What stands between the words of a key: a line for a person may have other white space there, or have lost it. */
const between = String.raw`[\s\u0000-\u001f\u007f]`

/** The values of variables of such names, without white space around them. */
export function secretValues(env: Readonly<Record<string, string | undefined>>, names: RegExp, also: readonly string[] = []): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    (names.test(name) || also.includes(name)) && value !== undefined && value.trim().length >= shortest ? [value.trim()] : [],
  )
}

/**
 * Only a text that holds a key whole can be cleaned: one that comes in pieces has to be put together first.
 *
 * @param options.names which variables hold secrets @default those that end in _API_KEY
 * @param options.also other variables whose values are kept out
 * @returns a function that takes the values of those variables out of a text
 */
export function secretFilter(
  env: Readonly<Record<string, string | undefined>>,
  { names = apiKeys, also = [] }: { readonly names?: RegExp; readonly also?: readonly string[] } = {},
): (text: string) => string {
  const values = secretValues(env, names, also)
  // Of a value with line breaks a message may show one line. In JSON a value stands with its escapes.
  const forms = values.flatMap((value) => [value, ...value.split(/[\r\n]+/).map((line) => line.trim()), JSON.stringify(value).slice(1, -1)])
  const known = [...new Set(forms)].sort((a, b) => b.length - a.length).map((form) => form.split(new RegExp(`${between}+`)))
  const patterns = known
    .filter((words) => words.join('').length >= shortest)
    .map((words) => new RegExp(words.map(literal).join(`${between}*`), 'g'))
  return (text) => patterns.reduce((clean, secret) => clean.replace(secret, mark), text)
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
