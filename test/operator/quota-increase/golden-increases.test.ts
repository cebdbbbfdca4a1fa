import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, golden, goldenFile, replay } from '../golden-replay.ts'
import { type Operated, operatedServers } from '../operated.ts'

const FILE = 'increases.json'
const DEFINITIONS = fileURLToPath(goldenFile('increases-definitions.yaml'))

for (const { name: server, available, start } of operatedServers)
  describe.skipIf(!available)(`${server}: what was recorded from the quota operator beside Kubernetes`, () => {
    let operated: Operated
    let results: ReadonlyMap<string, readonly string[]>

    beforeAll(async () => {
      operated = await start({ args: ['--quota-definitions', DEFINITIONS] })
      results = await replay(operated, FILE)
    })
    afterAll(() => operated?.[Symbol.asyncDispose]())

    for (const { name } of golden<readonly Exchange[]>(FILE))
      test(`golden/${FILE}: ${name}`, () => {
        expect(results.get(name)).toEqual([])
      })
  })
