import { expect, test } from 'vitest'
import { app, object, quota } from '../../../test/insight/explained.ts'
import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden, notFound } from '../../machinery/status.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { namespaceView } from './namespace-view.ts'
import { Parameters } from './question.ts'
import { RecordedUsage } from './recorded-usage.ts'

const KINDS: readonly ResourceKind[] = [
  ['', 'pods', 'Pod'],
  ['', 'resourcequotas', 'ResourceQuota'],
  ['apps', 'deployments', 'Deployment'],
].map(([group = '', resource = '', kind = '']) => ({ group, version: 'v1', resource, kind, namespaced: true }))

/** What is shown of a namespace with so many Deployments without room, and so many quotas that are full. */
async function shown(deployments: number, quotas: number, get: () => Promise<object> = async () => ({ metadata: {} })) {
  const template = { spec: { containers: [app('c', { cpu: '1' })] } }
  const stored: Readonly<Record<string, readonly KubeObject[]>> = {
    deployments: Array.from({ length: deployments }, (_, at) =>
      object('apps/v1', 'Deployment', `web-${at}`, { replicas: 1, template }),
    ),
    resourcequotas: Array.from({ length: quotas }, (_, at) => quota({ pods: '1' }, { pods: '1' }, { name: `q${at}` })),
  }
  const client = {
    list: async ({ resource }: ResourceKind) => ({ items: stored[resource] ?? [], resourceVersion: '1' }),
    get,
  } as unknown as KubeClient
  let turns = 0
  const { value } = await namespaceView(
    {
      viewer: {
        kinds: async () => ({
          of: (group: string, resource: string) =>
            KINDS.find((one) => one.group === group && one.resource === resource),
        }),
      } as unknown as Viewer,
      client,
      fairLists: client,
      parameters: new Parameters(new URLSearchParams(), []),
      usage: new RecordedUsage(undefined, systemContext),
      body: Buffer.alloc(0),
      turn: async () => void turns++,
      warn: () => undefined,
      signal: new AbortController().signal,
      now: 0,
    },
    'shop',
  )
  const { blocked, isWhole } = value as { blocked: { budgets: unknown[] }[]; isWhole: boolean }
  return { blocked: blocked.length, named: blocked.flatMap(({ budgets }) => budgets).length, isWhole, turns }
}

test('the quotas of all explanations of a namespace are bounded, and the answer says that it is not whole', async () => {
  expect(await shown(4, 500)).toEqual({ blocked: 4, named: 2000, isWhole: true, turns: 5 })
  expect(await shown(9, 600)).toEqual({ blocked: 4, named: 2400, isWhole: false, turns: 5 })
  expect(await shown(49, 40)).toEqual({ blocked: 49, named: 1960, isWhole: true, turns: 50 })
  expect(await shown(60, 2)).toEqual({ blocked: 50, named: 100, isWhole: false, turns: 51 })
})

test('a namespace that the API server does not know is not found; of one that the viewer may not get the rest is shown', async () => {
  const namespaces = { group: '', resource: 'namespaces' }
  await expect(shown(0, 1, () => Promise.reject(notFound(namespaces, 'shop')))).rejects.toMatchObject({
    message: 'namespaces "shop" not found',
  })
  const hidden = forbidden(namespaces, 'shop', 'you may not get it')
  expect(await shown(1, 1, () => Promise.reject(hidden))).toMatchObject({ blocked: 1 })
})
