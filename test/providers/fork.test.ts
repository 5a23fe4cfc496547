import { describeProvider } from '../../src/testing/index.ts'
import { forkSubject } from './spawn-subject.ts'

await describeProvider('forkProvider', forkSubject, {
  skip: {
    A13: 'no tool of an in-process agent asks for a permission yet',
    R8: 'a turn ends at a cancel whatever its model and its tools do (G13)',
    R12: 'what goes wrong in a turn is an end of the turn, so result never rejects (P6)',
    R18: 'the agent is there when start() returned',
  },
})
