import { defineConfig, mergeConfig } from 'vitest/config'
import development from './vitest.config.ts'

/** What takes minutes: a million random steps, a million runs, a hundred thousand runs closed at once. */
export default mergeConfig(
  development,
  defineConfig({
    test: {
      include: ['test/property/**/*.test.ts', 'test/**/*.long.ts'],
      env: { STEPS: process.env['STEPS'] ?? '1000000' },
      // One after the other: they measure.
      fileParallelism: false,
    },
  }),
)
