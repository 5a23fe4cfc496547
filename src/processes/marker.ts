/**
 * The mark by which a process is found that left its group and its parent: a variable in its environment, which it hands on
 * to what it starts. A host that is itself marked hands its own marks on before its child's, so that whoever launched the
 * host finds the whole tree.
 */
import { uniqueId } from '../run/defaults.ts'

const variable = 'SUBAGENT_RUN_MARKER'
const separator = ':'

/** A mark that no other process has. */
export const createMarker: () => string = uniqueId

/** `env` with the mark as its last variable: programs that write their title over their environment reach that one last. */
export function withMarker(env: NodeJS.ProcessEnv, marker: string): NodeJS.ProcessEnv {
  const { [variable]: _, ...rest } = env
  const outer = process.env[variable]
  return { ...rest, [variable]: outer ? outer + separator + marker : marker }
}

/** The marks in an environment as /proc shows it: `NAME=value` each ended by NUL. */
export function markersIn(environment: Buffer): readonly string[] {
  const assignment = `${variable}=`
  let at = environment.indexOf(assignment)
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(assignment, at + 1)
  if (at < 0) return []
  const end = environment.indexOf(0, at)
  return environment
    .subarray(at + assignment.length, end < 0 ? environment.length : end)
    .toString('latin1')
    .split(separator)
}
