import type { ToolFilter } from '../../types.ts'
import { toolNames } from '../workspace/tool-names.ts'

/** Which of the command's tools an agent sees (P10). */
export function toolsOf({ toolFilter }: { readonly toolFilter?: ToolFilter }): readonly string[] {
  return toolNames.filter((name) => toolFilter?.allow?.includes(name) !== false && toolFilter?.deny?.includes(name) !== true)
}
