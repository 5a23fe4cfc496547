import { describeProvider } from '../../../src/testing/index.ts'
import { aiSdkSubject } from './subject.ts'

await describeProvider('aiSdkAgentProvider', aiSdkSubject, {
  skip: {
    R8: 'reading ends at a cancel, whatever model and tools do',
    R11: 'what is released is the read under way; once the run has settled only a deaf model or tool can hold that',
    R18: 'the agent is there when start() has returned',
  },
})
