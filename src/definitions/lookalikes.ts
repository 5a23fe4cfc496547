/** What people write in place of a field that limits an agent, without its dashes and in small letters. */
const lookalikes: Readonly<Record<string, 'tools' | 'disallowedTools'>> = {
  tool: 'tools',
  tools: 'tools',
  allowtools: 'tools',
  allowedtool: 'tools',
  allowedtools: 'tools',
  disallowtools: 'disallowedTools',
  disallowedtool: 'disallowedTools',
  disallowedtools: 'disallowedTools',
  deniedtools: 'disallowedTools',
  denytools: 'disallowedTools',
  blockedtools: 'disallowedTools',
  forbiddentools: 'disallowedTools',
  excludedtools: 'disallowedTools',
}

/** The field that `name` is, or was most likely meant to be, where that is one that limits an agent. */
export function limitMeantBy(name: string): 'tools' | 'disallowedTools' | undefined {
  const bare = name.toLowerCase().replace(/[-_ ]/g, '')
  return Object.hasOwn(lookalikes, bare) ? lookalikes[bare] : undefined
}
