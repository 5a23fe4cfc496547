/** Which tasks the scripted model can do: finding TODOs, and nothing else. Contract: C1. */

const names = /\b(todo|fixme)s?\b/i
const asksForMore =
  /\b(add|assign|close|create|delete|do|explain|fix|implement|refactor|remove|rename|replace|resolve|rewrite|solve|translate|update|write)\b/i

/** What `subagents demo` asks for when it is given no task. */
export const demoTask = 'Find every TODO and FIXME comment in this project and rank them.'

/** Told where the task is another one. */
export const onlyTodos = 'The script only finds TODOs, running that.'

export function isTodoTask(task: string): boolean {
  return names.test(task) && !asksForMore.test(task)
}
