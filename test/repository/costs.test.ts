import { mkdtempSync, readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { costLines, costsByRoom, costsIn, type FileCost, roomOf } from '../../scripts/costs.ts'
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

  test('of a room are those of its files, the most CPU time first', () => {
    expect(roomOf('src/machinery/cel/deep/a.test.ts')).toBe('src/machinery')
    const rooms = costsByRoom([
      cost('test/api/a.test.ts', 1, 5),
      cost('src/store/b.test.ts', 4, 4),
      cost('test/api/c.test.ts', 2, 5),
    ])
    expect(rooms).toEqual([
      { room: 'src/store', files: 1, cpuSeconds: 4, wallSeconds: 4 },
      { room: 'test/api', files: 2, cpuSeconds: 3, wallSeconds: 10 },
    ])
  })

  test('are printed by room, with the slowest files at the end', () => {
    const costs = [cost('test/api/quick.test.ts', 9, 1), cost('test/api/slow.test.ts', 1, 20)]
    expect(costLines(costs, 1)).toEqual([
      '   10.0 s CPU    21.0 s wall  test/api (2 files)',
      'The slowest files:',
      '    1.0 s CPU    20.0 s wall  test/api/slow.test.ts',
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
