import { appendFileSync } from 'node:fs'

/** Where `scripts/test.ts` reads what each file of tests cost, one JSON text a line. */
const FILE = 'ALLOT_TEST_COSTS'
const CURRENT = 'ALLOT_TEST_FILE'
/** As whose costs those of real control planes are recorded: their processes outlive the script that starts them. */
export const REAL_SERVERS = 'real API servers'

/** The cost of a file of tests; a file can have several. */
export interface FileCost {
  /** Its path, or what else has costs. */
  readonly file: string
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

/** Says whose costs those are that are recorded from now on. */
export function beginFile(path: string): void {
  process.env[CURRENT] = path
}

/** Adds to the costs of the current file of tests, or of something else, if anybody reads them. */
export function recordCost(cpuSeconds: number, wallSeconds = 0, file = process.env[CURRENT]): void {
  const report = process.env[FILE]
  if (report === undefined || file === undefined) return
  const cost: FileCost = { file, cpuSeconds, wallSeconds }
  appendFileSync(report, `${JSON.stringify(cost)}\n`)
}
