/** Which kinds of agents a group of hooks is for (H3). */
export type Matcher = (agentType: string) => boolean

/** Of such a text the parts between bars are names. */
const names = /^[\w|-]+$/

/** @returns undefined for a regular expression that is none */
export function parseMatcher(text: string | undefined): Matcher | undefined {
  if (text === undefined || text === '' || text === '*') return () => true
  if (names.test(text)) {
    const alternatives = new Set(text.split('|'))
    return (agentType) => alternatives.has(agentType)
  }
  try {
    const pattern = new RegExp(text)
    return (agentType) => pattern.test(agentType)
  } catch {
    return undefined
  }
}
