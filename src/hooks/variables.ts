/** `CLAUDE_PROJECT_DIR` and `CLAUDE_PLUGIN_ROOT`, in command lines and in the environment of hooks (H1). */
export interface HookVariables {
  readonly CLAUDE_PROJECT_DIR: string
  readonly CLAUDE_PLUGIN_ROOT?: string
}

/** Letters, digits and what no shell reads as more than a character of a path. */
const plain = /^[\p{L}\p{N} _./@%+=:,-]*$/u

/**
 * The command line with `${NAME}` replaced by its value. A value that a shell would read as more than a path, with a quote or
 * a `$` in it, stays a variable: the shell has it from its environment, and runs nothing that is in it.
 */
export function substitute(command: string, variables: HookVariables): string {
  return command.replace(/\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\}/g, (written, name: keyof HookVariables) => {
    const value = variables[name]
    return value !== undefined && plain.test(value) ? value : written
  })
}
