import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, golden, goldenFile, replay } from './golden-replay.ts'
import { compareMetrics, type Metrics, metricsOf, type RecordedMetrics } from './metrics/recorded-metrics.ts'
import { type Operated, operatedServers } from './operated.ts'

/** The exchanges that were recorded from Capsule and from the quota operator, each beside Kubernetes. */
const FILES = ['pools.json', 'queue.json', 'custom-quotas.json', 'increases.json'] as const

/** By the file with the metrics: of which exchanges they were printed, unless they say it themselves. */
const METRICS = { 'pools-metrics.json': 'pools.json', 'custom-quotas-metrics.json': 'custom-quotas.json' } as const

const FLAGS = [
  // Capsule keeps the ledgers of global quotas there.
  '--system-namespace=capsule-system',
  '--quota-definitions',
  fileURLToPath(goldenFile('increases-definitions.yaml')),
]

const recordedMetrics = Object.entries(METRICS).flatMap(([source, of]) =>
  golden<readonly RecordedMetrics[]>(source).map((one) => ({ ...one, source, file: one.file ?? of })),
)

for (const { name: server, available, start } of operatedServers)
  describe(`${server}: what was recorded beside Kubernetes`, { concurrent: true, skip: !available }, () => {
    let operated: Operated
    const results = new Map<string, ReadonlyMap<string, readonly string[]>>()
    const seen = new Map<string, Metrics>()

    beforeAll(async () => {
      operated = await start({ args: FLAGS })
      // A real controller manager that has just started is not yet making accounts of namespaces.
      await operated.until('/api/v1/namespaces/default/serviceaccounts/default', ({ status }) => status === 200)
      await Promise.all(
        FILES.map(async (file) => {
          const after = recordedMetrics.find((one) => one.file === file)?.after
          const read = async (word: string): Promise<void> => void seen.set(file, await metricsOf(operated, word))
          results.set(file, await replay(operated, file, after === undefined ? undefined : { after, read }))
        }),
      )
    })
    afterAll(() => operated?.[Symbol.asyncDispose]())

    for (const file of FILES)
      for (const { name } of golden<readonly Exchange[]>(file))
        test(`golden/${file}: ${name}`, () => {
          expect(results.get(file)?.get(name)).toEqual([])
        })

    for (const recorded of recordedMetrics)
      test(`golden/${recorded.source}: ${recorded.name} after ${recorded.after}`, () => {
        const metrics = seen.get(recorded.file)
        expect(metrics, 'metrics were read').toBeDefined()
        if (metrics !== undefined) expect(compareMetrics(recorded, metrics)).toEqual([])
      })
  })
