import { defineConfig, mergeConfig } from 'vitest/config'
import development from './vitest.config.ts'

const withoutDevelopment = (conditions: readonly string[] = []): string[] =>
  conditions.filter((condition) => condition !== 'development|production')

/** Tests that load no XState of their own: of text, of files, of the compiler, of programs, which run on plain Node as they are. */
const withoutXState = [
  'cli',
  'definitions',
  'docs',
  'graph',
  'structured',
  'agents/sessions',
  'hooks',
  'processes',
  'providers/acp',
  'load/acp-parallel',
  'project/build',
  'types',
  'layers',
  'requirements',
  'mutants',
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
      exclude: ['**/node_modules/**', ...withoutXState.map((what) => `test/${what}{/**,.test.ts}`)],
    },
  }),
)
