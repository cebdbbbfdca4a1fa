import { defineConfig } from 'vitest/config'

/** The tests that Stryker runs for each mutant, see room.ts. */
export default defineConfig({
  test: { pool: 'threads', isolate: false, include: ['test/mutation/room.ts'] },
})
