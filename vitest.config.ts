import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // They need a browser: vitest.browser.config.ts.
    exclude: [...configDefaults.exclude, 'test/browser/**'],
    // Anything that escapes as an unhandled rejection ends the worker, as it would end a user's process.
    execArgv: ['--unhandled-rejections=strict'],
    pool: 'forks',
    // Some start programs, on machines that are busy. What must be quick measures its own time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
