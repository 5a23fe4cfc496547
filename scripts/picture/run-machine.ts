import { chartOf } from '../../src/graph/chart.ts'
import { runMachine } from '../../src/machines/run.ts'
import { runPlacement } from './placement.ts'
import { toSvg } from './svg.ts'

/** The picture of the run machine as it is now. */
export const drawRunMachine = (): string =>
  toSvg(chartOf(runMachine.config), runPlacement, 'The run machine: validating, starting, running, settling, disposed')
