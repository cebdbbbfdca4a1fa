import { expect, test } from 'vitest'
import { forbidden } from '../../machinery/status.ts'
import { type Enforcement, EnforcementProbe } from './enforcement-probe.ts'

/** Runs a probe to its end on a cluster with these parts; the clock jumps over its waits. */
async function probe(parts: Enforcement): Promise<{ found: readonly Enforcement[]; left: number }> {
  let time = 0
  const found: Enforcement[] = []
  const quotas = new Map<string, Record<string, unknown>>()
  const ask = {
    create: async ({ resource }: { resource: string }, object: Record<string, unknown>) => {
      if (resource === 'resourcequotas') {
        const { spec } = object as { spec: { hard: object } }
        const status = parts.controller ? { hard: spec.hard, used: {} } : {}
        quotas.set('probe', { ...object, metadata: { resourceVersion: '1' }, status })
        return object
      }
      const { status } = quotas.get('probe') as { status: { hard?: object } }
      const { name } = (object as { metadata: { name: string } }).metadata
      if (parts.plugin && status.hard !== undefined)
        throw forbidden({ group: '', resource }, name, `exceeded quota: ${name}, requested: 1`)
      return object
    },
    get: async () => quotas.get('probe'),
    patch: async (_: unknown, __: unknown, { body }: { body: { status: object } }) => {
      quotas.set('probe', { ...quotas.get('probe'), status: body.status })
    },
    delete: async () => void quotas.delete('probe'),
  }
  const controller = new EnforcementProbe({
    context: { client: ask, clock: { monotonic: () => time } } as never,
    systemNamespace: 'system',
    onFound: (seen) => found.push(seen),
  })
  let tries = 0
  while (found.length === 0 && tries++ < 1000) {
    const { requeueAfter = 0 } = await controller.reconcile('', undefined, new AbortController().signal)
    time += requeueAfter
  }
  return { found, left: quotas.size }
}

test.each([
  { plugin: true, controller: true },
  { plugin: true, controller: false },
  { plugin: false, controller: true },
  { plugin: false, controller: false },
])('a probe finds %o and leaves nothing behind', async (parts) => {
  expect(await probe(parts)).toEqual({ found: [parts], left: 0 })
})
