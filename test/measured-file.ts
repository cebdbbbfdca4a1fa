// Loaded before each file of tests: measures what it costs, with the processes that it starts.
import { afterAll, expect } from 'vitest'
import { cpuSecondsWithChildren } from './cpu-time.ts'
import { beginFile, recordCost } from './file-costs.ts'

// The runner measures its own process itself; the processes that tests start write what ran into this folder (scripts/coverage.ts).
const { ALLOT_COVERAGE_FOLDER: coverage } = process.env
if (coverage !== undefined) process.env['NODE_V8_COVERAGE'] = coverage

const { testPath } = expect.getState()
if (testPath !== undefined) beginFile(testPath)
const cpuBefore = cpuSecondsWithChildren()
const began = performance.now()
// Hooks run in reverse order, so this one is last.
afterAll(() => {
  recordCost(cpuSecondsWithChildren() - cpuBefore, (performance.now() - began) / 1000)
})
