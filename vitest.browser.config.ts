import { configDefaults, defineConfig } from 'vitest/config'
import development from './vitest.config.ts'

/** The page in a real browser: chromium, of the PATH or of the variable CHROMIUM. */
export default defineConfig({
  test: {
    ...development.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: [...configDefaults.exclude],
    // They measure frames, and share a machine with what they test.
    fileParallelism: false,
  },
})
