import { describeProvider } from '../../src/testing/index.ts'
import { scriptedSubject } from './subjects/scripted.ts'

await describeProvider('scriptedProvider', scriptedSubject)
