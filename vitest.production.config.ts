import { defineConfig, mergeConfig } from 'vitest/config'
import development from './vitest.config.ts'

const withoutDevelopment = (conditions: readonly string[] = []): string[] =>
  conditions.filter((condition) => condition !== 'development|production')

/** Tests to which XState's build makes no difference: of text, of files, of the compiler, of programs, of what an agent or a tool says; and those that measure. */
const elsewhere = [
  'cli',
  'definitions',
  'docs',
  'graph',
  'structured',
  'agents/sessions',
  'hooks',
  'processes',
  'providers/acp',
  'load',
  'project/build',
  'types',
  'layers',
  'providers/cancel-many',
  'inspect/page',
  'tools',
  'requirements',
  'mutants',
  'bench',
  'project/size',
  'project/changesets',
]

/** The suite once more as plain Node resolves packages: XState's production build instead of its development build. */
export default mergeConfig(
  development,
  defineConfig({
    plugins: [
      {
        name: 'plain-node-conditions',
        // Configured conditions are only ever added to the defaults, so they are taken out of what was resolved: `ssr`
        // is what vitest hands to its workers as --conditions, the environments are what Vite resolves by.
        configResolved(config) {
          for (const { resolve } of [config.ssr, ...Object.values(config.environments)]) {
            if (resolve?.conditions) resolve.conditions = withoutDevelopment(resolve.conditions)
          }
        },
      },
    ],
    test: {
      env: { XSTATE_BUILD: 'production' },
      exclude: ['**/node_modules/**', ...elsewhere.map((what) => `test/${what}{/**,.test.ts}`)],
    },
  }),
)
