import { honest } from '../honest.ts'
import type { Broken } from './broken.ts'

/** Its child has no id before it answers. */
export const changesItsId: Broken = {
  name: 'knows the id of its child only when it has settled',
  id: 'S14',
  sentence: 'the id of the child stays the same from start to disposal',
  seen: /^"session 7"$/,
  look: /known when start\(\) returns, or left out/,
  make: honest({
    start: (child) => {
      let id: string | undefined
      void child.result.then(
        () => (id = 'session 7'),
        () => {},
      )
      return {
        get id() {
          return id!
        },
        result: child.result,
        cancel: () => child.cancel(),
        dispose: () => child.dispose(),
      }
    },
  }),
}
