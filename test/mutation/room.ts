// The tests that judge mutants of one room of the pure core (`MUTATED_ROOM`), as one file: Stryker tells what each test
// covers only where tests share their modules. Plain cases come first, since the first test that fails ends the run of a
// mutant; random inputs and explored states take the longest. ResourceQuotas are the budgets that `charges` is tried with,
// so the tests of both rooms judge the mutants of either.
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOM = process.env['MUTATED_ROOM'] ?? 'quantity'
const TRIED_TOGETHER = ['charges', 'systems/resource-quota/decide']
const ROOMS = TRIED_TOGETHER.includes(ROOM) ? TRIED_TOGETHER : [ROOM]
const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url))
const SLOW =
  /\/(?:invariants|usage-shift|group-commit|quantity-properties|any-order|protocol|[^/]*\.propert(?:y|ies))\.test\.ts$/

const files = ROOMS.flatMap((room) => globSync(`${SOURCES}${room}/**/*.test.ts`).toSorted())
for (const file of files.toSorted((a, b) => Number(SLOW.test(a)) - Number(SLOW.test(b)))) await import(file)
