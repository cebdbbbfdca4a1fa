import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Allot, startAllot } from '../start-allot.ts'

const folder = [new URL('../../../shared/golden/', import.meta.url), new URL('../golden/', import.meta.url)].find(
  existsSync,
)
if (folder === undefined) throw new Error('the golden exchanges are missing; run scripts/refresh-shared')
const exchanges = JSON.parse(readFileSync(new URL('exchanges.json', folder), 'utf8')) as readonly {
  readonly name: string
}[]
const listed = JSON.parse(readFileSync(new URL('../differences.json', import.meta.url), 'utf8')) as readonly {
  readonly file: string
  readonly name: string
}[]

interface Result {
  readonly name: string
  readonly ok: boolean
  readonly differences: readonly string[]
}

describe('golden/exchanges.json, replayed against the running program', () => {
  let allot: Allot
  let results: ReadonlyMap<string, Result>

  beforeAll(async () => {
    allot = await startAllot({ workloads: true })
    const script = fileURLToPath(new URL('replay.mjs', folder))
    const run = spawnSync(process.execPath, [script, '--server', allot.url, '--token', allot.token, '--json'], {
      encoding: 'utf8',
      timeout: 100_000,
    })
    const text = run.stdout.slice(0, run.stdout.lastIndexOf(']') + 1)
    results = new Map((JSON.parse(text) as readonly Result[]).map((result) => [result.name, result]))
  })
  afterAll(() => allot.stop())

  for (const { name } of exchanges) {
    const differs = listed.some((entry) => entry.file === 'golden/exchanges.json' && entry.name === name)
    test(differs ? `${name} differs on purpose` : name, () => {
      const result = results.get(name)
      expect(result, 'the exchange was replayed').toBeDefined()
      if (differs) expect(result?.differences).not.toEqual([])
      else expect(result?.differences).toEqual([])
    })
  }
})
