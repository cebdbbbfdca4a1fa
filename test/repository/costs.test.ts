import { mkdtempSync, readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { costLines, costsIn, type FileCost } from '../../scripts/costs.ts'
import { cpuSecondsWithChildren } from '../cpu-time.ts'
import { recordCost } from '../file-costs.ts'

const cost = (file: string, cpuSeconds: number, wallSeconds: number): FileCost => ({ file, cpuSeconds, wallSeconds })

describe('the costs of tests', () => {
  test('of a file are summed up, wherever they were recorded', () => {
    const lines = [cost('/root/test/api/a.test.ts', 1, 2), cost('/root/test/api/a.test.ts', 3, 0), cost('main', 1, 1)]
    expect(costsIn(`${lines.map((one) => JSON.stringify(one)).join('\n')}\n`, '/root')).toEqual([
      cost('test/api/a.test.ts', 4, 2),
      cost('main', 1, 1),
    ])
  })

  test('are printed by room, the most CPU time first, with the slowest files at the end', () => {
    const costs = [
      cost('test/api/quick.test.ts', 1, 1),
      cost('src/machinery/go/deep/a.test.ts', 12, 2),
      cost('test/api/slow.test.ts', 9, 20),
    ]
    expect(costLines(costs, 1)).toEqual([
      '   12.0 s CPU     2.0 s wall  src/machinery',
      '   10.0 s CPU    21.0 s wall  test/api',
      'The slowest files:',
      '    9.0 s CPU    20.0 s wall  test/api/slow.test.ts',
    ])
  })

  test('hold those of the processes that a test starts', () => {
    const before = cpuSecondsWithChildren()
    // Works until it has taken a fifth of a second of a processor, however busy the machine is.
    const work =
      'let used; do { for (let i = 0; i < 1e6; i++); used = process.cpuUsage() } while (used.user + used.system < 2e5)'
    spawnSync(process.execPath, ['-e', work])
    expect(cpuSecondsWithChildren() - before).toBeGreaterThanOrEqual(process.platform === 'linux' ? 0.15 : 0)
  })

  test('are recorded where `make test` reads them', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'allot-costs-')), 'costs')
    const before = process.env['ALLOT_TEST_COSTS']
    process.env['ALLOT_TEST_COSTS'] = file
    recordCost(1, 2)
    if (before === undefined) delete process.env['ALLOT_TEST_COSTS']
    else process.env['ALLOT_TEST_COSTS'] = before
    expect(costsIn(readFileSync(file, 'utf8'), process.cwd())).toEqual([cost('test/repository/costs.test.ts', 1, 2)])
  })
})
