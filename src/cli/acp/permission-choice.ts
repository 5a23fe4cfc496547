import { pick } from '../pick.ts'

/** What `--permission` can say: a question at the terminal, or one answer to all. */
export const permissionChoices = ['ask', 'allow', 'reject'] as const
export type PermissionChoice = (typeof permissionChoices)[number]

/** @throws UsageError */
export function parsePermission(text: string): PermissionChoice {
  return pick(text, permissionChoices, `--permission ${JSON.stringify(text)}: there is no such choice`)
}
