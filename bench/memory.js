/** Heap that a live run holds on to. */
import { bytesOf, many, report } from './measure.js'
import { startBareChild } from './shared/bare-child.js'
import { serviceWith, startHanging } from './shared/no-op.js'

const count = many(20_000, 1000)
const service = serviceWith()
const run = bytesOf(() => startHanging(service), count)
const child = bytesOf(() => startBareChild(service), count)
report({ name: 'a live run', value: run.bytes / 1000, unit: 'kB', bound: 3 })
report({ name: 'a live run', value: run.bytes / child.bytes, reference: 'a bare machine of five states' })
process.exit()
