import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Long runs take as long as they take; in the short ones a test that hangs is cut off. */
const patience = process.env['ALLOT_SOAK'] === undefined ? 120_000 : 4 * 3600_000

/**
 * Files that need the machine to themselves: they compare CPU times, fill it with load, kill at moments that chance chooses, or count
 * what a whole process does. All others share the two cores; while these run, one of them mostly waits.
 */
const ALONE = [
  'test/chaos/kill.test.ts',
  'test/fuzz/{bodies,connections,requests}.test.ts',
  'test/operator/{chaos,shutdown}.test.ts',
  'test/robustness/{connections,crowd,rules,selectors,texts,unknown-clients,unread-answers}.test.ts',
  'test/scale/**',
  'test/store/kill.test.ts',
  'test/storm/**',
  'test/sweep/**',
]

const TESTS = '**/*.test.ts'
const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const withServers = {
  testTimeout: patience,
  hookTimeout: patience,
  globalSetup: ['test/shared-servers.ts'],
}

export default defineConfig({
  test: {
    // A process for each worker, so that what a file costs, with all that it starts, can be told from the others.
    pool: 'forks',
    // What is waited for comes at once; on a busy machine a second, which is the default, is not long.
    expect: { poll: { timeout: 20_000 } },
    isolate: false,
    // Tests start hundreds of processes: half of what a start costs is to compile the same sources again.
    env: { NODE_COMPILE_CACHE: own('node_modules/.cache/compiled') },
    setupFiles: ['test/measured-file.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`src/${TESTS}`],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          // A busy machine is no failure; what has to be fast is compared with something, not with a clock.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: [`test/${TESTS}`],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE.map((pattern) => (pattern.endsWith('**') ? `${pattern}/*.test.ts` : pattern)),
          maxWorkers: 1,
          // First: what the others share is started by the first that asks, and would take CPU time beside these.
          sequence: { groupOrder: 0 },
          ...withServers,
        },
      },
    ],
  },
})
