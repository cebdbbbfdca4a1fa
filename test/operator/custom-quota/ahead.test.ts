import { describe, expect, test } from 'vitest'
import { inParallel } from '../../../src/runtime/tasks/in-parallel.ts'
import { operatedServers } from '../operated.ts'
import { COUNTED_MAPS, forQuotas, ledgersIn, map, mapsIn, quotasIn } from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `m${index}`)

for (const { name, available, share } of operatedServers)
  describe(`${name}: room that is reserved ahead`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test('is held in the ledger while many requests come, and is given back after them', async () => {
      const { world } = suite
      await world.namespace('cq-ahead')
      await world.quota('cq-ahead', 'many', { limit: '100000', sources: [COUNTED_MAPS], scopeSelectors })
      const ledger = `${ledgersIn('cq-ahead')}/many`
      let count = 0
      await world.untilAhead(ledger, () => world.create(mapsIn('cq-ahead'), map(`m${count++}`)))
      const { status } = await world.until(ledger, (one) => one.status.reserved === '0')
      expect(status).toMatchObject({ allocated: String(count), reservations: [] })
      await world.used(`${quotasIn('cq-ahead')}/many`, String(count))
    })

    test('lets exactly as many requests through as fit, however they come', async () => {
      const { world } = suite
      await world.namespace('cq-ahead-full')
      await world.quota('cq-ahead-full', 'full', { limit: '120', sources: [COUNTED_MAPS], scopeSelectors })
      const statuses: number[] = []
      await inParallel(numbered(200), 8, async (one) => {
        const { status } = await world.send('POST', mapsIn('cq-ahead-full'), map(one))
        statuses.push(status)
      })
      expect(statuses.filter((status) => status === 201)).toHaveLength(120)
      expect(new Set(statuses)).toEqual(new Set([201, 403]))
    })
  })
