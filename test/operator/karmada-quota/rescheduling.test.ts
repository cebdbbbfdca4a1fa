import { describe, expect, test } from 'vitest'
import { operatedServers } from '../operated.ts'
import { bindingsIn, deployed, forKarmada, type KarmadaWorld, kquotasIn } from './karmada-world.ts'

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

/** Makes a binding that runs nowhere, as Karmada's scheduler leaves it that a quota refused. */
async function waitingIn(world: KarmadaWorld, namespace: string): Promise<string> {
  const path = `${bindingsIn(namespace)}/waiting`
  const { status } = await world.bind(namespace, 'waiting', deployed({ requests: CPU, replicas: 2 }))
  expect(status).toBe(201)
  await world.patch(`${path}/status`, { status: REFUSED })
  return path
}

/** Resolves when the scheduler is to try the binding again after what it was asked to do until now. */
async function untilRescheduled(world: KarmadaWorld, path: string, before?: string): Promise<string> {
  const { spec } = await world.until(
    path,
    (binding) => binding.spec.rescheduleTriggeredAt !== undefined && binding.spec.rescheduleTriggeredAt !== before,
  )
  return spec.rescheduleTriggeredAt
}

for (const { name, available, share } of operatedServers)
  describe(`${name}: KarmadaQuotas`, { concurrent: true, skip: !available }, () => {
    const suite = forKarmada(share)

    test('bindings that run nowhere are scheduled again when room comes back, and no others', async () => {
      const { world } = suite
      await world.namespace('kq-reschedule')
      await world.quota('kq-reschedule', 'q', { cpu: '6' })
      const place = bindingsIn('kq-reschedule')
      await world.bind('kq-reschedule', 'first', deployed({ requests: CPU, clusters: { a: 3 } }))
      await world.bind('kq-reschedule', 'running', deployed({ requests: CPU, clusters: { a: 1 } }))
      await world.patch(`${place}/running/status`, { status: REFUSED })
      const waiting = await waitingIn(world, 'kq-reschedule')
      // A binding that waits costs nothing.
      await world.used('kq-reschedule', 'q', { cpu: '4' })
      // Room may have come back between the refusal and its condition.
      const before = await untilRescheduled(world, waiting)
      await world.delete(`${place}/first`)
      await untilRescheduled(world, waiting, before)
      expect((await world.read(`${place}/running`)).spec.rescheduleTriggeredAt).toBeUndefined()
      await world.used('kq-reschedule', 'q', { cpu: '1' })
    })

    test.for([
      {
        what: 'a limit is raised',
        namespace: 'kq-reschedule-raised',
        quotas: ['q'],
        free: (world: KarmadaWorld, path: string) => world.patch(path, { spec: { hard: { cpu: '9' } } }),
      },
      {
        what: 'a limit is removed',
        namespace: 'kq-reschedule-removed',
        quotas: ['q'],
        free: (world: KarmadaWorld, path: string) => world.patch(path, { spec: { hard: { cpu: null } } }),
      },
      {
        what: 'a quota is deleted',
        namespace: 'kq-reschedule-deleted',
        quotas: ['q', 'other'],
        free: (world: KarmadaWorld, path: string) => world.delete(path),
      },
      {
        what: 'the last quota is deleted',
        namespace: 'kq-reschedule-last',
        quotas: ['q'],
        free: (world: KarmadaWorld, path: string) => world.delete(path),
      },
    ])('bindings that run nowhere are scheduled again when $what', async ({ namespace, quotas, free }) => {
      const { world } = suite
      await world.namespace(namespace)
      for (const quota of quotas) await world.quota(namespace, quota, { cpu: '2', pods: '9' })
      const waiting = await waitingIn(world, namespace)
      const before = await untilRescheduled(world, waiting)
      await free(world, `${kquotasIn(namespace)}/q`)
      expect(await untilRescheduled(world, waiting, before)).not.toBe(before)
    })
  })
