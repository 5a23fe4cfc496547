/** A command as messages name it: nobody shall find a key there that was given as an argument. */
import { basename } from 'node:path'
import { redact } from '../../agents/redact.ts'

const mark = '[redacted]'
/** `--api-token`, `--token`, `-password`, `API_KEY`: what comes after it, or after its `=`, is a secret. */
const secretFlag = /^-{0,2}[\w.-]*(?:key|token|secret|password|passwd|credential|auth|authorization|bearer)s?$/i

export function commandLine(program: string, args: readonly string[]): string {
  let isSecret = false
  const shown = args.map((arg) => {
    if (isSecret && !arg.startsWith('--')) {
      isSecret = false
      return mark
    }
    const equals = arg.indexOf('=')
    if (equals > 0 && secretFlag.test(arg.slice(0, equals))) return `${arg.slice(0, equals + 1)}${mark}`
    isSecret = arg.startsWith('-') && secretFlag.test(arg)
    return redact(arg)
  })
  return [basename(program), ...shown].join(' ')
}
