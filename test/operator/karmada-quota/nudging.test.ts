import { describe, expect, test } from 'vitest'
import { operatedServers } from '../operated.ts'
import { bindingsIn, deployed, forKarmada } from './karmada-world.ts'

const CPU = { cpu: '1' }
/** As Karmada's scheduler writes it after a refusal with the reason QuotaExceeded. */
const REFUSED = {
  conditions: [
    {
      type: 'Scheduled',
      status: 'False',
      reason: 'QuotaExceeded',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
}

for (const { name, available, share } of operatedServers)
  describe(`${name}: KarmadaQuotas`, { skip: !available }, () => {
    const suite = forKarmada(share)

    test('bindings that run nowhere are scheduled again when room comes back, and no others', async () => {
      const { world } = suite
      await world.namespace('kq-nudge')
      await world.quota('kq-nudge', 'q', { cpu: '6' })
      const place = bindingsIn('kq-nudge')
      await world.bind('kq-nudge', 'first', deployed({ requests: CPU, clusters: { a: 3 } }))
      await world.bind('kq-nudge', 'running', deployed({ requests: CPU, clusters: { a: 1 } }))
      await world.bind('kq-nudge', 'nowhere', deployed({ requests: CPU, replicas: 2 }))
      await world.used('kq-nudge', 'q', { cpu: '6' })
      for (const one of ['running', 'nowhere']) await world.patch(`${place}/${one}/status`, { status: REFUSED })
      expect((await world.read(`${place}/nowhere`)).spec.rescheduleTriggeredAt).toBeUndefined()
      await world.delete(`${place}/first`)
      await world.until(`${place}/nowhere`, ({ spec }) => spec.rescheduleTriggeredAt !== undefined)
      expect((await world.read(`${place}/running`)).spec.rescheduleTriggeredAt).toBeUndefined()
      await world.used('kq-nudge', 'q', { cpu: '3' })
    })
  })
