/** A folder as a list of definitions: reads all files, and tells all that is wrong with them at once. */
import { fileURLToPath } from 'node:url'
import { SubagentError } from '../errors.ts'
import { debug, warn } from '../run/contain.ts'
import type { SubagentToolAgent } from '../tools/options.ts'
import type { Logger } from '../types.ts'
import { readDefinition } from './definition.ts'
import type { NamedDefinition } from './definition.ts'
import { findingsOf, shown } from './findings.ts'
import type { Findings } from './findings.ts'
import { findFiles } from './find-files.ts'
import { splitFrontMatter } from './front-matter.ts'
import type { LoadAgentDefinitionsOptions } from './options.ts'
import { readText } from './read-text.ts'

/** Of files without front matter, so many are named; the others are counted. */
const mostNamed = 5

/** @throws SubagentError INVALID_REQUEST */
export async function readFolder(
  place: string | URL,
  options: LoadAgentDefinitionsOptions & { readonly logger: Logger },
): Promise<SubagentToolAgent[]> {
  const directory = pathOf(place)
  const { logger } = options
  const problems: string[] = []
  const findings: Findings = {
    problem: (place, text) => void problems.push(`${shown(place, Infinity)}: ${text}`),
    warning: (place, text) => warn(logger, `${shown(place, Infinity)}: ${text}`),
    debug: (place, text) => debug(logger, `${shown(place, Infinity)}: ${text}`),
  }
  const definitions: NamedDefinition[] = []
  let plain = 0
  for (const { path, real } of await findFiles(directory, findings)) {
    const inFile = findingsOf(path, findings)
    const text = await readText(real, inFile)
    const parts = text === undefined ? 'unreadable' : splitFrontMatter(text)
    if (parts === undefined) {
      if (++plain <= mostNamed)
        inFile.warning(1, 'no front matter (a line --- at the top), so it is no agent definition, and was passed over.')
    } else if (parts === 'unclosed') {
      inFile.problem(1, 'the front matter is not closed. Put a line --- between its last field and the text of the agent.')
    } else if (parts !== 'unreadable') {
      const definition = readDefinition(path, parts, options, inFile)
      if (definition) definitions.push(definition)
    }
    inFile.tell()
  }
  if (plain > mostNamed) findings.warning(directory, `${plain - mostNamed} more .md files have no front matter, and were passed over.`)
  findDuplicates(definitions, findings)
  if (problems.length > 0) throw new SubagentError('INVALID_REQUEST', messageOf(directory, problems))
  return definitions.map(({ agent }) => agent)
}

function pathOf(place: string | URL): string {
  if (typeof place === 'string') return place
  try {
    return fileURLToPath(place)
  } catch (cause) {
    throw new SubagentError('INVALID_REQUEST', `directory must be a path or a URL of file:, got ${shown(place.href)}.`, { cause })
  }
}

function findDuplicates(definitions: readonly NamedDefinition[], { problem }: Findings): void {
  const places = new Map<string, string>()
  for (const { agent, path, nameLine } of definitions) {
    const place = shown(`${path}:${nameLine}`, Infinity)
    const first = places.get(agent.name)
    if (first === undefined) places.set(agent.name, place)
    else problem(place, `the name ${JSON.stringify(agent.name)} is that of ${first} too. Give one of them another name.`)
  }
}

function messageOf(directory: string, problems: readonly string[]): string {
  const [only] = problems
  if (problems.length === 1 && only !== undefined) return `The agent definitions cannot be used. ${only}`
  return `The agent definitions in ${directory} cannot be used, for ${problems.length} reasons:\n${problems.map((each) => `  ${each}`).join('\n')}`
}
