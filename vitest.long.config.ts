import { defineConfig } from 'vitest/config'
import development from './vitest.config.ts'

/** What takes minutes: a million random steps, a million runs, a hundred thousand runs closed at once, a hundred kills. */
export default defineConfig({
  test: {
    ...development.test,
    include: ['test/property/**/*.test.ts', 'test/load/**/*.{test,long}.ts', 'test/agents/sessions/*.long.ts'],
    env: { STEPS: process.env['STEPS'] ?? '1000000' },
    // One after the other: they measure.
    fileParallelism: false,
  },
})
