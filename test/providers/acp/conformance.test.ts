import { describe, it } from 'vitest'
import { describeProvider } from '../../../src/testing/index.ts'
import { acpSubject } from './subject.ts'

await describeProvider('acpProvider', acpSubject, {
  // Each case has processes, a socket and a clock of its own, and mostly waits for a process to start or to go.
  runner: { describe, it: it.concurrent },
  patienceMs: 5_000,
  skip: {
    R8: 'a child that is cancelled before its session is open ends at once, whatever its process does (A11)',
    R12: 'what goes wrong with a process is an end of its run, so result never rejects (A12)',
  },
})
