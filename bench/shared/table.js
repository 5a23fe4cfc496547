/** Figures as lines: `node bench/shared/table.js RESULTS`, from which docs/benchmarks.md has them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether it held its bound, the figure, what was measured, what it was set beside, the bound. */
export function lineOf({ name, value, unit, bound, reference, held }) {
  const mark = held === undefined ? '     ' : held ? 'holds' : 'FAILS'
  const figure = Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(2)
  const space = unit === '×' ? '' : ' '
  const limit = bound === undefined ? '' : ` (at most ${bound}${space}${unit})`
  const beside = reference === undefined ? '' : `, beside ${reference}`
  return `  ${mark}  ${(figure + space + unit).padStart(9)}  ${name}${beside}${limit}`
}

function linesOf({ node, figures }) {
  const subjects = [...new Set(figures.map(({ subject }) => subject))]
  const lines = subjects.flatMap((subject) => [subject, ...figures.filter((figure) => figure.subject === subject).map(lineOf)])
  return [...lines, '', `Node ${node}`].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(linesOf(JSON.parse(readFileSync(process.argv[2], 'utf8'))))
