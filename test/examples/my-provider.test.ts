import { describeProvider } from '../../src/testing/index.ts'
import { commandSubject } from './command-subject.ts'

await describeProvider('the provider of the example, on real processes', commandSubject, {
  patienceMs: 10_000,
  skip: {
    A13: 'a command asks nobody',
    R11: 'a process that is killed ends',
    R12: 'only a command that is not there makes the promise reject',
    R18: 'the process is there when start() returned',
    S13: 'what keeps a process from starting shows later',
  },
})
