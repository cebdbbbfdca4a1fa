import { defineConfig } from 'vitest/config'

/** The tests that Stryker runs for each mutant, see room.ts. */
export default defineConfig({
  // The first run measures what each test covers, on a machine that may be busy.
  test: { pool: 'threads', isolate: false, include: ['test/mutation/room.ts'], testTimeout: 120_000 },
})
