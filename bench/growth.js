/** Whether a run costs more where many others are live: nothing may be searched or copied a start. */
import { compare, many, report } from './measure.js'
import { fill, serviceWith, wholeRun } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'

const [few, lots] = [many(1000), many(100_000, 200)]
const [small, large] = [serviceWith(), serviceWith()]
const live = [fill(small, few), fill(large, lots)]
globalThis.gc()
const cost = await compare({ small: inTurn(() => wholeRun(small)), large: inTurn(() => wholeRun(large)) })
report({
  name: `start and end among ${live[1].length} live runs`,
  value: cost.large / cost.small,
  bound: 1.2,
  reference: `among ${live[0].length}`,
})
process.exit()
