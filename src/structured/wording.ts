/** What a child is told of the structured result that it owes, and what is said where it did not give it: one wording for all. */
import { describeIssues, describeIssuesSafely } from './issues.ts'
import type { Issue } from './issues.ts'

/** The tool by which the result comes. */
export const structuredOutputTool = 'structured_output'

export const toolDescription = 'Gives the result of the work, and ends it.'

/** @param tool as the child knows it, with where it is found */
export function callInstruction(tool: string): string {
  return `When the work is done, give its result by calling the tool ${tool}, with arguments that fit its schema. Text alone is not taken as the result. Call it once, as the last thing you do: it ends the work. If a call fails, its error says what does not fit; repair that and call it again.`
}

export const resultTaken = 'The result is taken.'
export const resultStands = 'Refused: the result was given already, and stands.'

/** To the child, so that it repairs. */
export function doesNotFit(issues: readonly Issue[]): string {
  return `The result does not fit the schema. Repair this, and call ${structuredOutputTool} again:\n${describeIssues(issues)}`
}

/**
 * To whoever asked for the result; nothing of what the child wrote is in it (R14).
 * @param issues of the last result that did not fit @param none why there is none, where none was given at all
 */
export function noResult(issues: readonly Issue[], none: string): string {
  return issues.length > 0
    ? `The child ended without a structured result. The last that it gave did not fit:\n${describeIssuesSafely(issues)}`
    : `The child ended without a structured result: ${none}.`
}
