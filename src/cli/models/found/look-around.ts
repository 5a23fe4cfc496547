import type { CliIo } from '../../io.ts'
import { programName } from '../../program-name.ts'
import type { Found } from '../no-model.ts'
import { findAgents } from './agents-on-path.ts'
import { findLocalServers } from './local-servers.ts'

/** What could do a task: keys, servers, agents. Nothing of it is used, and no program is run. Takes no longer than a server is waited for. */
export async function lookAround({ env, localServers }: Pick<CliIo, 'env' | 'localServers'>): Promise<Found> {
  const [servers, agents] = await Promise.all([findLocalServers(localServers), findAgents(env)])
  return { program: programName(env), env, servers, agents }
}
