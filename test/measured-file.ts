// Loaded before each file of tests: measures what it costs, with the processes that it starts.
import { afterAll, expect } from 'vitest'
import { cpuSecondsWithChildren } from './cpu-time.ts'
import { beginFile, recordCost } from './file-costs.ts'

const { testPath } = expect.getState()
if (testPath !== undefined) beginFile(testPath)
const cpuBefore = cpuSecondsWithChildren()
const began = performance.now()
// Hooks run in reverse order, so this one is last.
afterAll(() => {
  recordCost(cpuSecondsWithChildren() - cpuBefore, (performance.now() - began) / 1000)
})
