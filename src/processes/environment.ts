/**
 * The environment of a child process: an allow-list of the host's, and what was asked for on top (A21). A list of what is
 * secret would miss the next name; so a child gets only what programs need to run at all.
 *
 * A proxy setting is handed on whole, since a child without it reaches nothing: one that has a password in it gives it away.
 */
import { invalid } from '../run/request.ts'

const names = new Set(
  [
    ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'LANG', 'LANGUAGE', 'TMPDIR', 'TEMP', 'TMP'],
    ['TERM', 'COLORTERM', 'NO_COLOR'],
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
    ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO'],
  ].flat(),
)
const prefixes = ['LC_', 'XDG_']

/** In upper case: Windows does not tell the cases apart. */
const windowsNames = new Set(
  [
    ['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'PROCESSOR_ARCHITECTURE', 'NUMBER_OF_PROCESSORS'],
    ['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'ALLUSERSPROFILE', 'PUBLIC', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432'],
    [
      'COMMONPROGRAMFILES',
      'COMMONPROGRAMFILES(X86)',
      'COMMONPROGRAMW6432',
      'USERPROFILE',
      'HOMEDRIVE',
      'HOMEPATH',
      'USERNAME',
      'USERDOMAIN',
    ],
  ].flat(),
)

function isAllowed(name: string, isWindows: boolean): boolean {
  const plain = isWindows ? name.toUpperCase() : name
  return names.has(plain) || prefixes.some((prefix) => plain.startsWith(prefix)) || (isWindows && windowsNames.has(plain))
}

/**
 * @param explicit variables on top of what is handed on; `undefined` takes one away
 * @param host where the others come from
 * @throws SubagentError INVALID_REQUEST for a name that no variable can have, or a value that is no string. The message has
 * no value in it.
 */
export function childEnvironment(
  explicit: Readonly<Record<string, string | undefined>> = {},
  host: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32'
  const environment: NodeJS.ProcessEnv = {}
  // Each value of the host's own that is read is a call into the system.
  for (const name of Object.keys(host)) {
    if (!isAllowed(name, isWindows)) continue
    const value = host[name]
    // A value that begins so is a function of an old bash, which another bash would run.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value
  }
  for (const [name, value] of Object.entries(explicit)) {
    check(name, value)
    if (isWindows) for (const other of Object.keys(environment)) if (other.toUpperCase() === name.toUpperCase()) delete environment[other]
    if (value === undefined) delete environment[name]
    else environment[name] = value
  }
  return environment
}

function check(name: string, value: unknown): void {
  if (name === '' || /[=\0]/.test(name)) throw invalid('env', 'names without "=" and NUL that are not empty', name.split(/[=\0]/)[0])
  if (value !== undefined && (typeof value !== 'string' || value.includes('\0')))
    throw invalid(`env.${name}`, 'a string without NUL, or undefined to take the variable away', typeof value)
}
