import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, golden, replay } from '../golden-replay.ts'
import { type Operated, operatedServers } from '../operated.ts'
import { compareMetrics, type Metrics, metricsOf, type RecordedMetrics } from '../metrics/recorded-metrics.ts'

const FILE = 'custom-quotas.json'
const METRICS = 'custom-quotas-metrics.json'
const recordedMetrics = golden<readonly RecordedMetrics[]>(METRICS)

for (const { name: server, available, start } of operatedServers)
  describe(`${server}: what was recorded from Capsule's custom quotas beside Kubernetes`, { skip: !available }, () => {
    let operated: Operated
    let results: ReadonlyMap<string, readonly string[]>
    let metrics: Metrics | undefined

    beforeAll(async () => {
      // Capsule keeps the ledgers of global quotas there.
      operated = await start({ args: ['--system-namespace=capsule-system'] })
      // A real controller manager that has just started is not yet making accounts of namespaces.
      await operated.until('/api/v1/namespaces/default/serviceaccounts/default', ({ status }) => status === 200)
      const read = async (word: string): Promise<void> => void (metrics = await metricsOf(operated, word))
      results = await replay(operated, FILE, { after: recordedMetrics[0]?.after ?? '', read })
    })
    afterAll(() => operated?.[Symbol.asyncDispose]())

    for (const { name } of golden<readonly Exchange[]>(FILE))
      test(`golden/${FILE}: ${name}`, () => {
        expect(results.get(name)).toEqual([])
      })

    for (const recorded of recordedMetrics)
      test(`golden/${METRICS}: ${recorded.name} after ${recorded.after}`, () => {
        expect(metrics, 'metrics were read').toBeDefined()
        if (metrics !== undefined) expect(compareMetrics(recorded, metrics)).toEqual([])
      })
  })
