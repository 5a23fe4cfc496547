import { honest } from '../honest.ts'
import type { Broken } from './broken.ts'

export const hasAPersonaOfItsOwn: Broken = {
  name: 'takes an empty persona for none asked for',
  id: 'P11',
  sentence: "with the persona '' the child has no system prompt",
  seen: /You are helpful/,
  look: /'' is none/,
  make: honest({
    more: (children) => ({
      sees: {
        prompt: (child) => children[child]?.prompt,
        persona: (child) => children[child]?.request.persona || 'You are helpful.',
      },
    }),
  }),
}
