/** The result that a child wrote into its text, where it could not or did not call a tool for it. */

/** Characters from the end that are looked through, and places where an object may begin that are tried: a text can be long. */
const mostCharacters = 512 * 1024
const mostTries = 2_000

/** The last JSON object of a text: of its last fenced block that holds one, else the one that its last brace ends. */
export function lastJsonObject(text: string): object | undefined {
  const end = text.slice(-mostCharacters)
  const blocks = [...end.matchAll(/^[ \t]*```[^\n`]*\n([\s\S]*?)^[ \t]*```/gm)].map(([, body = '']) => body)
  for (const block of blocks.toReversed()) {
    const found = parseObject(block)
    if (found) return found
  }
  const close = end.lastIndexOf('}')
  // From the front, so that an object is found before those inside it.
  let open = end.indexOf('{')
  for (let tries = 0; open !== -1 && open < close && tries < mostTries; tries++) {
    const found = parseObject(end.slice(open, close + 1))
    if (found) return found
    open = end.indexOf('{', open + 1)
  }
  return undefined
}

function parseObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
