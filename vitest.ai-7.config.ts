import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import development from './vitest.config.ts'

const installed = (path: string): string => fileURLToPath(new URL(`test/ai-7/node_modules/${path}`, import.meta.url))

/** Everything that stands on the AI SDK once more on its version 7, which `npm run test:ai-7` installs. */
export default mergeConfig(
  {
    ...development,
    test: { ...development.test, include: ['test/{agents,providers,tools}/**/*.test.ts', 'test/testing/scripted-model.test.ts'] },
  },
  defineConfig({
    resolve: {
      alias: [
        { find: /^ai$/, replacement: installed('ai/dist/index.js') },
        { find: /^@ai-sdk\/openai-compatible$/, replacement: installed('@ai-sdk/openai-compatible/dist/index.js') },
      ],
    },
    test: {
      env: { AI_MAJOR: '7' },
      exclude: [
        ...configDefaults.exclude,
        // Measures what a cancel costs above version 6; version 7 alone takes longer for it.
        'test/providers/cancel-many.test.ts',
        // What it takes away, version 7 has not.
        'test/agents/message-schema.test.ts',
        // Without the AI SDK.
        'test/providers/{define,generator,outcome}.test.ts',
        'test/providers/acp/**',
        'test/agents/sessions/**',
      ],
    },
  }),
)
