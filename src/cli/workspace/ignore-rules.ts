/**
 * What the workspace hides: `.git`, `node_modules`, and what `.gitignore` and `.ignore` files name, nested ones and
 * those of the folders above up to the root of the git repository included. Contract: C4.
 *
 * The rules of all folders on a path go into one list, the outer ones first, each rewritten to be relative to the
 * base: a later rule wins over an earlier one, which is how git ranks a nested file over an outer one.
 */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isInside } from './confine.ts'
import { isCostly, nameRule } from './costly-rule.ts'
import { systemCode, WorkspaceError } from './workspace-error.ts'

const alwaysHidden = new Set(['.git', 'node_modules'])
const ruleFiles = ['.gitignore', '.ignore']
const longestRuleFile = 1024 * 1024

/** The rules that hold inside one folder. */
export interface FolderRules {
  /** Rules of this folder and those around it that have too many wildcards and do not hold, with the file that each is in. */
  readonly passedOver: readonly string[]
  /** Whether the entry `name` of this folder is hidden. */
  hides(name: string, isFolder: boolean): boolean
  /** The rules inside the sub-folder `name`. Rejects when a rule file is there and cannot be read. */
  enter(name: string): Promise<FolderRules>
}

/** @param root absolute, without symbolic links */
export async function loadRules(root: string): Promise<FolderRules> {
  const base = await repositoryOf(root)
  if (base !== undefined && base !== root) {
    const components = slashed(relative(base, root)).split('/')
    let rules = await rulesOf(base, base, none)
    let hidden = false
    for (const component of components) {
      hidden ||= rules.hides(component, true)
      rules = await rules.enter(component)
    }
    // Whoever opens a folder that its repository ignores wants to see what is in it.
    if (!hidden) return rules
  }
  return rulesOf(root, root, none)
}

/** Whether `real`, inside `root`, is hidden by itself or by a folder above it; `rules` are the root's. */
export async function isHidden(rules: FolderRules, root: string, real: string, isFolder: boolean): Promise<boolean> {
  if (real === root || !isInside(root, real)) return false
  const components = slashed(relative(root, real)).split('/')
  let current = rules
  for (const [index, component] of components.entries()) {
    const last = index === components.length - 1
    if (current.hides(component, !last || isFolder)) return true
    if (!last) current = await current.enter(component)
  }
  return false
}

const settings = { ignorecase: process.platform === 'darwin' || process.platform === 'win32' }

interface Rules {
  readonly matcher: Ignore
  readonly passedOver: readonly string[]
}

const none: Rules = { matcher: ignore(settings), passedOver: [] }

async function rulesOf(base: string, folder: string, outer: Rules): Promise<FolderRules> {
  const prefix = folder === base ? '' : `${slashed(relative(base, folder))}/`
  let own = outer
  for (const file of ruleFiles) {
    const text = await readRuleFile(join(folder, file))
    if (text === undefined) continue
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
    own = {
      matcher: ignore(settings)
        .add(own.matcher)
        .add(
          rebase(
            lines.filter((line) => !isCostly(line)),
            prefix,
          ),
        ),
      passedOver: [...own.passedOver, ...lines.filter(isCostly).map((line) => nameRule(`${prefix}${file}`, line))],
    }
  }
  return {
    passedOver: own.passedOver,
    hides: (name, isFolder) => alwaysHidden.has(name) || own.matcher.ignores(`${prefix}${name}${isFolder ? '/' : ''}`),
    enter: (name) => rulesOf(base, join(folder, name), own),
  }
}

/** Rewrites lines of a rule file in the folder `prefix` (ends with a slash, or is empty) to be relative to the base. */
function rebase(lines: readonly string[], prefix: string): readonly string[] {
  if (prefix === '') return lines
  const place = prefix.replace(/[\\*?[\]!# ]/g, '\\$&')
  return lines.flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const negative = line.startsWith('!')
    const pattern = (negative ? line.slice(1) : line).replace(/^\\(?=[!#])/, '')
    const anchored = /\/(?=.*\S)/.test(pattern)
    return [`${negative ? '!' : ''}/${place}${anchored ? '' : '**/'}${pattern.replace(/^\//, '')}`]
  })
}

async function readRuleFile(path: string): Promise<string | undefined> {
  let file
  try {
    // git does not follow a link here either.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > longestRuleFile) return undefined
    return await file.readFile('utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'EMLINK' || code === 'ENOTDIR') return undefined
    // In a folder that may not be entered nothing can be said of the file.
    if (!(await lstat(path).catch(() => undefined))) throw error
    // What it hides is not known, so nothing beside it is shown. The path can be one above the root and stays out of the message.
    throw new WorkspaceError(
      'rules-unreadable',
      `A ${basename(path)} cannot be read (${code ?? 'unknown error'}), so it is not known what it hides.`,
      { cause: error },
    )
  } finally {
    await file?.close()
  }
}

async function repositoryOf(root: string): Promise<string | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (await lstat(join(folder, '.git')).catch(() => undefined)) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
