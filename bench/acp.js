/** What an ACP child costs its host: `node scripts/build.js && node bench/acp.js [ROUNDS]`. */
import { acpSubjects, byHand } from './acp-subjects.js'
import { median, report } from './measure.js'

const rounds = Number(process.argv[2] ?? 41)
const { ours, pooled, close } = acpSubjects()
const subjects = { byHand, ours, pooled }
const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
// The first of each loads code, and fills the pool.
for (let warmup = 0; warmup < 5; warmup++) for (const subject of Object.values(subjects)) await subject()
const turns = Object.entries(subjects)
for (let round = 0; round < rounds; round++) {
  turns.push(turns.shift())
  for (const [name, subject] of turns) samples[name].push(await subject())
}
await close()
const cpu = (name) => median(samples[name].map(({ cpuMs }) => cpuMs))
const wall = (name) => median(samples[name].map(({ ms }) => ms))
for (const name of Object.keys(subjects))
  console.log(`${name}: ${cpu(name).toFixed(2)} ms of CPU, ${wall(name).toFixed(1)} ms in all, from the start to the first update`)
report('host CPU of a start beyond one by hand', cpu('ours') - cpu('byHand'), 5, ' ms')
report('a start on a process that is ready, in all', wall('pooled'), 10, ' ms')
