/**
 * Arguments of a tool call that are nested so deep that no stack takes them. The AI SDK writes them as JSON again when the step
 * ends, and a provider with each call after that: either would fail the turn, so that the model never hears what was wrong.
 */

/** Levels that arguments may have: far more than a tool asks for, far fewer than overflow a stack. */
const maxLevels = 1000
/** No JSON, so that the AI SDK makes an error result of it, for the model to repair. */
const inPlace = `(arguments that are nested more than ${maxLevels} levels deep: they were not read. Call the tool with flatter ones.)`

/** A part of a model's stream, with other arguments where its own are nested too deep. */
export function withoutDeepArguments<Part extends { readonly type: string }>(part: Part): Part {
  if (part.type !== 'tool-call') return part
  const { input } = part as { readonly input?: unknown }
  return typeof input === 'string' && isTooDeep(input) ? { ...part, input: inPlace } : part
}

function isTooDeep(json: string): boolean {
  // Nearly all are too short for that.
  if (json.length <= maxLevels) return false
  let levels = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === ']' || character === '}') levels--
    else if ((character === '[' || character === '{') && ++levels > maxLevels) return true
  }
  return false
}
