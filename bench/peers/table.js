/** The results of a run as a table: `node bench/peers/table.js RESULTS`, from which docs/benchmarks.md has it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const columns = ['', 'CPU, µs', '÷ ours', '÷ AI SDK', 'allocated, kB', 'held, kB', 'loading', 'loaded, MB']
const ours = 'xstate-subagents'
const bare = 'AI SDK'

/** Each is set beside this package and beside the AI SDK in the same mode. */
export function tableOf({ node, processor, rounds, peers }) {
  const cost = (name, mode) => peers.find((peer) => peer.name === name && peer.mode === mode).cpuUs
  const rows = peers.map(({ name, version, mode, cpuUs, allocatedBytes, heldBytes, loadCpuUs, loadBytes }) => [
    `${name} ${version}, ${mode}`,
    cpuUs.toFixed(0),
    (cpuUs / cost(ours, mode)).toFixed(2),
    (cpuUs / cost(bare, mode)).toFixed(2),
    (allocatedBytes / 1000).toFixed(0),
    (heldBytes / 1000).toFixed(1),
    `${(loadCpuUs / 1e6).toFixed(2)} CPU s`,
    (loadBytes / 1e6).toFixed(1),
  ])
  const widths = columns.map((_, column) => Math.max(...[columns, ...rows].map((row) => row[column].length)))
  const lineOf = (row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
  return [...[columns, ...rows].map(lineOf), '', `Node ${node}, ${processor}, medians of ${rounds} rounds`].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(tableOf(JSON.parse(readFileSync(process.argv[2], 'utf8'))))
