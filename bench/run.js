/** A run whose provider does nothing: start, result, dispose. */
import { compare, report } from './measure.js'
import { plainFunction, wholeBareChild } from './shared/bare-child.js'
import { serviceWith, wholeRun } from './shared/no-op.js'
import { atOnce, inTurn } from './shared/repeat.js'

const service = serviceWith({ listeners: 1 })
const subjects = (repeat) => ({
  run: repeat(() => wholeRun(service)),
  child: repeat(() => wholeBareChild(service)),
  plain: repeat(plainFunction),
})
const bound = 1.4
const child = 'a bare machine of five states'
const plain = 'a plain async function'

const sequential = await compare(subjects(inTurn))
report({ name: 'one after another, one listener', value: sequential.run / sequential.child, bound, reference: child })
report({ name: 'one after another, one listener', value: sequential.run / sequential.plain, reference: plain })

const concurrent = await compare(subjects(atOnce), { rounds: 21, count: 10_000, warmup: 10_000 })
report({ name: '10 000 at a time, one listener', value: concurrent.run / concurrent.child, bound, reference: child })
report({ name: '10 000 at a time, one listener', value: concurrent.run / concurrent.plain, reference: plain })
