/** Variables of the environment that an agent is given by name. What is in them is never printed. Contract: C3, A21. */
import { UsageError } from '../usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** @param names what `--env` says, each time it does @throws UsageError */
export function parseVariables(names: readonly string[] = []): readonly string[] {
  for (const name of names) {
    const [plain] = name.split('=')
    if (name.includes('='))
      throw new UsageError(
        `--env ${plain}=…: give the name alone, --env ${plain || 'NAME'}; the value is the one that the variable has here.`,
      )
    if (!/^[^\s\0]+$/.test(name))
      throw new UsageError(`--env ${JSON.stringify(name)}: that is no name of a variable. Give one, as in --env ANTHROPIC_API_KEY.`)
  }
  return [...new Set(names)]
}

/** @throws UsageError for one that is not there */
export function readVariables(names: readonly string[], env: Environment): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = env[name]
      if (value === undefined) throw new UsageError(`--env ${name}: there is no such variable here. Set it, or leave it out.`)
      return [name, value]
    }),
  )
}
