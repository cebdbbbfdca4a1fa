import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Arena, defineKind, mustCreate } from '../arena.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { SCENARIOS, HIGH_PRIORITY } from './storm-scenario.ts'
import { storm } from './storm.ts'

const rounds = soak ? 20 : 1
let arena: Arena

beforeAll(async () => {
  arena = await Arena.open()
  await defineKind(arena.client, 'storm.allot.test', 'widgets', 'Widget')
  const priorityClass = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: HIGH_PRIORITY },
    value: 1000,
  }
  await mustCreate(arena.client, '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass)
  for (const name of ['fast', 'slow']) {
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'storm.allot.test/none',
      allowVolumeExpansion: true,
    }
    await mustCreate(arena.client, '/apis/storage.k8s.io/v1/storageclasses', storageClass)
  }
})

afterAll(() => arena.close())

describe('64 clients that write as fast as they can never get more than the quotas of a namespace allow', () => {
  for (const [index, scenario] of SCENARIOS.entries()) {
    test(
      `${scenario.name}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
      { timeout: 30_000 + rounds * 30_000 },
      async () => {
        const random = new SeededRandom(seed + index * 1000)
        for (let round = 0; round < rounds; round++) {
          await tellingSeed(`round ${round}`, async () => {
            const namespace = `storm-${index}-${round}`
            const disturbed = soak ? { cancellations: round % 2 === 1, kill: round % 4 === 3 } : {}
            const started = Date.now()
            const result = await storm({ arena, scenario, namespace, seed: random.between(0, 1e9), ...disturbed })
            if (process.env['ALLOT_VERBOSE'] !== undefined)
              console.log(scenario.name, round, Date.now() - started, result.events, JSON.stringify(result.answers))
            expect(result.wrong.slice(0, 10)).toEqual([])
            expect(result.answers['create 201']).toBeGreaterThan(0)
            expect(result.answers['create 403']).toBeGreaterThan(0)
            await arena.client.send('DELETE', `/api/v1/namespaces/${namespace}`)
          })
        }
      },
    )
  }
})
