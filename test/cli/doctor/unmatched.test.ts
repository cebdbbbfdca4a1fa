// Covers src/insight/doctor/unmatched-selectors.ts, src/insight/doctor/unmatched-scopes.ts and src/insight/doctor/unmatched-sources.ts
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { GLOBAL_QUOTAS, map, mapsIn, quotasIn, QuotaWorld } from '../../operator/custom-quota/quota-world.ts'
import { forWorld, operatedServers } from '../../operator/operated.ts'
import { POOLS } from '../../operator/pool-objects.ts'
import { diagnosed } from './diagnosed.ts'

const PRIORITIES = '/apis/scheduling.k8s.io/v1/priorityclasses'
const COUNTED = { apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }
const labelled = (value: string) => ({ matchLabels: { berth: value } })

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot doctor and selectors`, () => {
    const suite = forWorld(share, (server) => new QuotaWorld(server))

    test('tells in notes which selectors, scopes and classes match nothing now, until something matches', async () => {
      const { server, world } = suite
      const own = `unmatched-${server.url.replaceAll(/\D/g, '')}`
      const [namespace, quotas] = [own, `/api/v1/namespaces/${own}/resourcequotas`]
      await world.create('/api/v1/namespaces', { metadata: { name: namespace } })
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: own },
        spec: { selectors: [labelled(own)], quota: { hard: { secrets: '30' } } },
      })
      await world.quota(undefined, own, { limit: '9', sources: [COUNTED], namespaceSelectors: [labelled(own)] })
      await world.quota(namespace, 'scoped', { limit: '9', sources: [COUNTED], scopeSelectors: [labelled(own)] })
      await world.quota(namespace, 'sourced', {
        limit: '9',
        sources: [COUNTED, { ...COUNTED, kind: 'Secret', selectors: [labelled(own)] }],
      })
      await world.create(quotas, {
        metadata: { name: 'urgent' },
        spec: {
          hard: { pods: '3' },
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [own] }] },
        },
      })
      const notes = async (...args: readonly string[]): Promise<readonly string[]> => {
        const { findings } = await diagnosed(server.kubeconfig, ...args)
        return findings
          .filter(({ object }) => object.namespace === namespace || object.name === own)
          .map(({ severity, object, text }) => `${severity} ${object.kind} ${object.name}: ${text}`)
          .toSorted()
      }
      const inNamespace = [
        'note CustomQuota scoped: spec.scopeSelectors[0] selects none of the objects that it may count now',
        'note CustomQuota sourced: spec.sources[1].selectors select no Secret now',
      ]
      const ofNamespaces = [
        `note GlobalCustomQuota ${own}: spec.namespaceSelectors[0] selects no namespace now`,
        `note ResourcePool ${own}: spec.selectors[0] selects no namespace now`,
      ]
      const ofQuota = [
        `note ResourceQuota urgent: its scopes name PriorityClass ${own}, which does not exist now`,
        'note ResourceQuota urgent: its scopes select nothing now among the pods of its namespace',
      ]
      const until = async (expected: readonly string[], ...args: readonly string[]): Promise<void> => {
        const all = expected.toSorted()
        const found = await eventually(
          () => notes(...args),
          (one) => JSON.stringify(one) === JSON.stringify(all),
          { what: all.join('\n') },
        )
        expect(found).toEqual(all)
      }
      await until([...inNamespace, ...ofNamespaces, ...ofQuota])
      await until([...inNamespace, ...ofQuota], '-n', namespace)
      await eventually(
        () => diagnosed(server.kubeconfig, '-n', namespace),
        ({ code, findings }) => code === 0 && findings.length > 0,
        { what: 'notes that leave the exit code 0' },
      )
      await world.create(PRIORITIES, { metadata: { name: own }, value: 10 })
      await world.create(mapsIn(namespace), map('one', 1, { berth: own }))
      await world.create(`/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: 'one', labels: { berth: own } },
      })
      await world.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels: { berth: own } } })
      await eventually(
        () =>
          server.send('POST', `/api/v1/namespaces/${namespace}/pods`, {
            metadata: { name: 'one' },
            spec: { priorityClassName: own, containers: [{ name: 'c', image: 'i' }] },
          }),
        ({ status }) => status === 201,
        { what: 'the pod' },
      )
      await until([])
      await world.delete(`${POOLS}/${own}`)
      await world.delete(`${GLOBAL_QUOTAS}/${own}`)
      await world.delete(`${PRIORITIES}/${own}`)
      await world.delete(`${quotasIn(namespace)}/scoped`)
    })
  })
