/** Draws docs/run-machine.svg from the machine itself: `npm run picture`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { drawRunMachine } from './picture/run-machine.ts'

mkdirSync('docs', { recursive: true })
writeFileSync('docs/run-machine.svg', drawRunMachine())
