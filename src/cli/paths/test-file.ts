/** The vitest file that `subagents paths MODULE` prints: it runs as it stands, and shows where one's own system goes. */
import { basename, extname } from 'node:path'
import type { EventObject } from 'xstate'
import type { PathFilter } from '../../testing/index.ts'
import type { LoadedMachine } from './load-machine.ts'

/** The options of `modelPaths` that the command line can give. */
export interface TestFileOptions extends PathFilter {
  readonly input?: unknown
  readonly events?: readonly EventObject[]
}

export function testFile({ machine, path, exportName }: LoadedMachine, { kind, event, endState, input, events }: TestFileOptions): string {
  const file = basename(path)
  const typed = /^\.[cm]?tsx?$/.test(extname(path))
  const name = exportName === 'default' ? 'machine' : exportName
  const imported = exportName === 'default' ? name : `{ ${name} }`
  const types = (machine.events as readonly string[]).filter((type) => !type.includes('*') && !type.startsWith('xstate.'))
  const inputOption = input === undefined ? '' : `, { input: ${JSON.stringify(input)} }`
  const options = [
    ...(kind === 'simple' ? [`kind: 'simple'`] : []),
    ...(event === undefined ? [] : [`event: ${quote(String(event))}`]),
    ...(endState === undefined ? [] : [`endState: ${quote(endState)}`]),
    ...(input === undefined ? [] : [`input: ${JSON.stringify(input)}`]),
    ...(events === undefined ? [] : [`events: ${JSON.stringify(events)}`]),
  ]
  const optionsText = options.length === 0 ? '' : `, { ${options.join(', ')} }`
  const causes = typed ? `const cause: { [Type in Event['type']]: (event: Event) => unknown } = {` : 'const cause = {'
  return [
    `// Takes the paths through ${name} one by one. As it stands, what is tested is an actor of the machine itself:`,
    '// put there what the machine is the model of, cause each event in it, and read the state from it.',
    `import { describe, expect, it } from 'vitest'`,
    `import { createActor } from 'xstate'`,
    ...(typed ? [`import type { EventFromLogic } from 'xstate'`] : []),
    `import { modelPaths } from 'xstate-subagents/testing'`,
    `import ${imported} from ${quote(`./${file}`)}`,
    '',
    ...(typed ? [`type Event = EventFromLogic<typeof ${name}>`, ''] : []),
    'function start() {',
    `  const actor = createActor(${name}${inputOption}).start()`,
    `  ${causes}`,
    ...types.map((type) => `    ${/^[A-Za-z_$][\w$]*$/.test(type) ? type : quote(type)}: (event) => actor.send(event),`),
    '  }',
    '  return { cause, state: () => actor.getSnapshot().value, stop: () => actor.stop() }',
    '}',
    '',
    '// An event with a payload goes into the option events, an entry for each payload to try.',
    `const paths = modelPaths(${name}${optionsText})`,
    '',
    `describe(${quote(name)}, () => {`,
    '  for (const { description, steps } of paths) {',
    '    it(description, async () => {',
    '      const tested = start()',
    '      for (const { event, value } of steps) {',
    typed ? `        await tested.cause[event.type as Event['type']](event)` : '        await tested.cause[event.type](event)',
    '        expect(tested.state()).toEqual(value)',
    '      }',
    '      await tested.stop()',
    '    })',
    '  }',
    '})',
    '',
  ].join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
