/** What an ACP child costs its host: from the start to the first update, beside a spawn and lines of JSON by hand. */
import { acpSubjects, byHand } from './acp-subjects.js'
import { many, median, report } from './measure.js'

const { ours, pooled, close } = acpSubjects()
const subjects = { byHand, ours, pooled }
const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
// The first of each loads code, and fills the pool.
for (let warmup = 0; warmup < many(5, 1); warmup++) for (const subject of Object.values(subjects)) await subject()
const turns = Object.entries(subjects)
for (let round = 0; round < many(41, 1); round++) {
  turns.push(turns.shift())
  for (const [name, subject] of turns) samples[name].push(await subject())
}
await close()
const cpu = (name) => median(samples[name].map(({ cpuMs }) => cpuMs))
const wall = (name) => median(samples[name].map(({ ms }) => ms))
report({ name: 'a start, in all', value: wall('ours') / wall('byHand'), reference: 'one by hand' })
report({ name: 'host CPU of a start beyond one by hand', value: cpu('ours') - cpu('byHand'), unit: 'ms', bound: 5 })
report({ name: 'a start on a process that is ready, in all', value: wall('pooled'), unit: 'ms', bound: 10 })
