import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, golden, replay } from '../golden-replay.ts'
import { type Operated, operatedServers } from '../operated.ts'
import { compareMetrics, type Metrics, metricsOf, type RecordedMetrics } from '../metrics/recorded-metrics.ts'

const FILES = ['pools.json', 'queue.json'] as const

const recordedMetrics = golden<readonly RecordedMetrics[]>('pools-metrics.json').map((one) => ({
  ...one,
  file: one.file ?? 'pools.json',
}))

for (const { name: server, available, start } of operatedServers)
  describe(
    `${server}: what was recorded from Capsule beside Kubernetes`,
    { concurrent: true, skip: !available },
    () => {
      let operated: Operated
      const results = new Map<string, ReadonlyMap<string, readonly string[]>>()
      const seen = new Map<string, Metrics>()

      beforeAll(async () => {
        operated = await start()
        await Promise.all(
          FILES.map(async (file) => {
            const after = recordedMetrics.find((one) => one.file === file)?.after ?? ''
            const read = async (word: string): Promise<void> => void seen.set(file, await metricsOf(operated, word))
            results.set(file, await replay(operated, file, { after, read }))
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
        test(`golden/pools-metrics.json: ${recorded.name} after ${recorded.after}`, () => {
          const metrics = seen.get(recorded.file)
          expect(metrics, 'metrics were read').toBeDefined()
          if (metrics !== undefined) expect(compareMetrics(recorded, metrics)).toEqual([])
        })
    },
  )
