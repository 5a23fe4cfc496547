/** What listeners of `subagent/end` cost a run. */
import { compare, report } from './measure.js'
import { serviceWith, wholeRun } from './shared/no-op.js'
import { atOnce, inTurn } from './shared/repeat.js'

const [none, one, ten] = [0, 1, 10].map((listeners) => serviceWith({ listeners }))
const subjects = (repeat) => ({
  none: repeat(() => wholeRun(none)),
  one: repeat(() => wholeRun(one)),
  ten: repeat(() => wholeRun(ten)),
})

function told(how, cost) {
  report({ name: `one listener, ${how}`, value: cost.one / cost.none, reference: 'none' })
  report({ name: `ten listeners, ${how}`, value: cost.ten / cost.one, bound: 1.5, reference: 'one' })
}
told('one after another', await compare(subjects(inTurn)))
told('10 000 at a time', await compare(subjects(atOnce), { rounds: 21, count: 10_000, warmup: 10_000 }))
