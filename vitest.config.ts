import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Anything that escapes as an unhandled rejection ends the worker, as it would end a user's process.
    execArgv: ['--unhandled-rejections=strict'],
    pool: 'forks',
  },
})
