import { honest } from '../honest.ts'
import type { Broken } from './broken.ts'

export const startsAsync: Broken = {
  name: 'has an async start()',
  id: 'R18',
  sentence: 'start() gives back a run at once: { result, cancel, dispose }',
  seen: /service\.start\(\) threw SubagentError: .*start is synchronous/,
  look: /what is known only later settles result/,
  make: honest({ start: (child) => Promise.resolve(child) as never }),
}
