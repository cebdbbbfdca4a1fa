import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

/** Long runs take as long as they take; in the short ones a test that hangs is cut off. */
const patienceOf = (ms: number): number => (process.env['ALLOT_SOAK'] === undefined ? ms : 4 * 3600_000)
const patience = patienceOf(120_000)

/**
 * Files that compare CPU times, measure the memory of a process or fill the machine with load: one a core, before all others. The storms of quotas
 * wait for API servers for a third of their time.
 */
const HEAVY = [
  'test/fuzz/{bodies,requests,slow-clients}.test.ts',
  'test/robustness/{costly-connections,costly-rules,crowd,selectors,texts,unknown-floods,unread-lists}.test.ts',
  'test/scale/**',
  'test/storm/{storm,wall-clock}.test.ts',
  'test/sweep/**',
]
const CORES = 2
/** Files that start servers wait for them about half of the time. */
const WAITING = 2 * CORES

const TESTS = '**/*.test.ts'
const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const withServers = {
  testTimeout: patience,
  // Also a real control plane that starts beside three other files.
  hookTimeout: patienceOf(240_000),
  globalSetup: ['test/shared-servers.ts'],
}

export default defineConfig({
  test: {
    // A process for each worker, so that what a file costs, with all that it starts, can be told from the others.
    pool: 'forks',
    // What is waited for comes at once; on a busy machine, or from a real control plane that tries again later, it does not.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    isolate: false,
    // Tests start hundreds of processes: half of what a start costs is to compile the same sources again.
    env: { NODE_COMPILE_CACHE: own('node_modules/.cache/compiled') },
    setupFiles: ['test/measured-file.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`src/${TESTS}`, `web/${TESTS}`],
          maxWorkers: WAITING,
          sequence: { groupOrder: 1 },
          // A busy machine is no failure; what has to be fast is compared with something, not with a clock.
          testTimeout: patienceOf(60_000),
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: [`test/${TESTS}`],
          exclude: HEAVY,
          maxWorkers: WAITING,
          sequence: { groupOrder: 1 },
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: HEAVY.map((pattern) => (pattern.endsWith('**') ? `${pattern}/*.test.ts` : pattern)),
          maxWorkers: CORES,
          // First: what the others share is started by the first that asks, and would take CPU time beside these.
          sequence: { groupOrder: 0 },
          ...withServers,
        },
      },
    ],
  },
})
