import { defineConfig } from 'vitest/config'

/** Long runs take as long as they take; in the short ones a test that hangs is cut off. */
const patience = process.env['ALLOT_SOAK'] === undefined ? 120_000 : 4 * 3600_000

export default defineConfig({
  test: {
    pool: 'threads',
    // What is waited for comes at once; on a busy machine a second, which is the default, is not long.
    expect: { poll: { timeout: 20_000 } },
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          // A busy machine is no failure; what has to be fast is compared with something, not with a clock.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*.test.ts'],
          // These start real processes and compete for two cores: one file at a time keeps them deterministic.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: patience,
          hookTimeout: patience,
        },
      },
    ],
  },
})
