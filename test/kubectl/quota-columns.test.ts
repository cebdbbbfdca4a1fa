import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/machinery/object.ts'
import { customResources } from '../../src/systems/custom-resources.ts'
import { type BareServer, bareServers, forSuite } from '../operator/operated.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { hasKubectl, kubectlOf } from './kubectl.ts'

const NAMESPACE = 'columns'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PODS = { pods: '3' }
const TWO = { pods: '2' }
const uid = 'c5b6f2f4-0000-4000-8000-000000000000'

/** An object of each kind, as its controllers would leave it, and the values that its row must show. */
const OBJECTS: Readonly<
  Record<string, { readonly spec: object; readonly status?: object; readonly shows: Readonly<Record<string, string>> }>
> = {
  resourcepools: {
    spec: { quota: { hard: PODS } },
    status: { conditions: [], allocation: { hard: PODS, used: TWO } },
    shows: { HARD: '{"pods":"3"}', CLAIMED: '{"pods":"2"}' },
  },
  resourcepoolclaims: {
    spec: { pool: 'shown', claim: TWO },
    status: { conditions: [], pool: { name: 'shown', uid } },
    shows: { POOL: 'shown', CLAIM: '{"pods":"2"}' },
  },
  customquotas: {
    spec: { limit: '3', sources: [{ version: 'v1', kind: 'Pod', op: 'count' }] },
    status: { conditions: [], targets: [], usage: { used: '2', available: '1' } },
    shows: { LIMIT: '3', USED: '2', AVAILABLE: '1' },
  },
  globalcustomquotas: {
    spec: { limit: '3', sources: [{ version: 'v1', kind: 'Pod', op: 'count' }] },
    status: { conditions: [], targets: [], usage: { used: '2', available: '1' } },
    shows: { LIMIT: '3', USED: '2', AVAILABLE: '1' },
  },
  quantityledgers: {
    spec: { targetRef: { kind: 'CustomQuota', name: 'shown', namespace: NAMESPACE } },
    status: { reserved: '1', allocated: '2', resourceQuota: { allocated: TWO } },
    shows: { TARGETNAME: 'shown', RESERVED: '1', ALLOCATED: '2', AMOUNTS: '{"pods":"2"}' },
  },
  quotaincreases: {
    spec: { hard: TWO, expiresAt: '2126-01-01T00:00:00Z' },
    shows: { HARD: '{"pods":"2"}', EXPIRES: '2126-01-01T00:00:00Z' },
  },
  quotaserviceconfigs: {
    spec: { quotas: [{ name: 'base', mode: 'cumulative', template: { spec: { hard: PODS } } }] },
    shows: {},
  },
  karmadaquotas: {
    spec: { hard: PODS },
    status: { hard: PODS, used: TWO },
    shows: { HARD: '{"pods":"3"}', USED: '{"pods":"2"}' },
  },
}

/** The cells of the only row, by the heading above them. */
function rowOf(printed: string): Readonly<Record<string, string>> {
  const [head = '', row = ''] = printed.split('\n')
  const starts = [...head.matchAll(/(?:^| {2})(?! )/g)].map(({ index, 0: gap }) => index + gap.length)
  return Object.fromEntries(
    starts.map((start, at) => [head.slice(start, starts[at + 1]).trim(), row.slice(start, starts[at + 1]).trim()]),
  )
}

async function define(server: BareServer, crd: JsonObject): Promise<void> {
  const { status } = await server.send('POST', CRDS, crd)
  expect([201, 409]).toContain(status)
  const { name } = crd['metadata'] as { readonly name: string }
  await server.until(`${CRDS}/${name}`, ({ text }) => text.includes('"NamesAccepted"') && text.includes('Established'))
}

for (const { name: server, available, start } of bareServers)
  describe.skipIf(!available || !hasKubectl)(`${server}: kubectl get`, () => {
    const suite = forSuite(async () => {
      const started = await start()
      await Promise.all(customResources.map(({ crd }) => define(started, crd)))
      await started.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
      return started
    })

    test.each(customResources)('$resource shows use and limit', async (resource) => {
      const { apiVersion, kind, namespaced, resource: plural } = resource
      const { spec, status, shows } = OBJECTS[plural] ?? { spec: {}, shows: { none: 'a kind without an object' } }
      const folder = `/apis/${apiVersion}${namespaced ? `/namespaces/${NAMESPACE}` : ''}/${plural}`
      const object = { apiVersion, kind, metadata: { name: 'shown' }, spec }
      // The server learns of a kind a moment after it says so.
      await suite.server.until(folder, ({ status: code }) => code === 200)
      const made = await suite.server.send('POST', folder, object)
      expect([made.status, made.text]).toEqual([201, expect.anything()])
      if (status !== undefined) {
        const written = await suite.server.send('PATCH', `${folder}/shown/status`, { status }, MERGE)
        expect([written.status, written.text]).toEqual([200, expect.anything()])
      }
      const kubectl = kubectlOf(suite.server.kubeconfig, NAMESPACE)
      const printed = await kubectl.ok('get', `${plural}.${resource.group}`, 'shown')
      expect(rowOf(printed)).toMatchObject({ NAME: 'shown', ...shows })
    })
  })
