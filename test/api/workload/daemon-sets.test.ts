import { expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer } from '../api-server.ts'

const api = apiServer({ workloads: true })

const NODE = 'simulated-node'
const daemonSet = (image: string, spec: Readonly<Record<string, unknown>> = {}): unknown => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'light' },
  spec: {
    selector: { matchLabels: { app: 'light' } },
    template: {
      metadata: { labels: { app: 'light' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image, resources: { requests: { cpu: '1' } } }],
        ...spec,
      },
    },
  },
})
const sets = (namespace: string): string => `${namespace.replace('/api/v1', '/apis/apps/v1')}/daemonsets`
const ready =
  (count: number) =>
  ({ metadata, status }: Answer['body']): boolean =>
    status.observedGeneration === metadata.generation &&
    status.desiredNumberScheduled === count &&
    status.numberReady === count &&
    (status.updatedNumberScheduled ?? 0) === count
const nodesOf = async (namespace: string): Promise<readonly string[]> =>
  (await api.get(`${namespace}/pods`)).items.map((pod: Answer['body']) => pod.spec.nodeName).toSorted()

test('every node has a pod of the set: those that come get one, and those that go lose it', async () => {
  const ns = await api.namespace()
  await api.create(sets(ns), daemonSet('nginx:1'))
  const { status } = await api.until(`${sets(ns)}/light`, ready(1))
  expect(status).toMatchObject({ currentNumberScheduled: 1, numberAvailable: 1, numberMisscheduled: 0 })
  const pods = await api.get(`${ns}/pods`)
  expect(pods.items[0].metadata.labels).toMatchObject({ 'pod-template-generation': '1' })
  await api.create('/api/v1/nodes', { metadata: { name: 'second' } })
  await api.until(`${sets(ns)}/light`, ready(2))
  expect(await nodesOf(ns)).toEqual(['second', NODE])
  const taint = { key: 'storm', value: 'yes', effect: 'NoExecute' }
  await api.patch('/api/v1/nodes/second', { spec: { taints: [taint] } })
  await api.until(`${sets(ns)}/light`, ready(1))
  await api.until(`${ns}/pods`, ({ items }) => items.length === 1)
  await api.send('DELETE', '/api/v1/nodes/second')
})

test('a node selector is followed', async () => {
  const ns = await api.namespace()
  await api.create(sets(ns), daemonSet('nginx:1', { nodeSelector: { deep: 'yes' } }))
  await api.until(`${sets(ns)}/light`, ready(0))
  expect(await nodesOf(ns)).toEqual([])
  await api.patch(`/api/v1/nodes/${NODE}`, { metadata: { labels: { deep: 'yes' } } })
  await api.until(`${sets(ns)}/light`, ready(1))
  await api.patch(`/api/v1/nodes/${NODE}`, { metadata: { labels: { deep: null } } })
  await api.until(`${ns}/pods`, ({ items }) => items.length === 0)
})

test('a new template replaces the pods, and its revision is kept', async () => {
  const ns = await api.namespace()
  await api.create(sets(ns), daemonSet('nginx:1'))
  await api.until(`${sets(ns)}/light`, ready(1))
  const containers = [{ name: 'c', image: 'nginx:2' }]
  await api.patch(`${sets(ns)}/light`, { spec: { template: { spec: { containers } } } })
  await api.until(`${sets(ns)}/light`, ready(1))
  const { items } = await api.until(`${ns}/pods`, (pods) => pods.items.length === 1)
  expect(items[0].spec.containers[0].image).toBe('nginx:2')
  const revisions = (await api.get(sets(ns).replace('daemonsets', 'controllerrevisions'))).items
  expect(revisions.map((one: Answer['body']) => one.revision).toSorted()).toEqual([1, 2])
  const newest = revisions.find((one: Answer['body']) => one.revision === 2)
  expect(newest.metadata.name).toBe(`light-${items[0].metadata.labels['controller-revision-hash']}`)
})

test('a pod that a quota refuses is reported, and made when there is room', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '0' } } })
  await api.until(`${ns}/resourcequotas/q`, ({ status }) => status.used !== undefined)
  await api.create(sets(ns), daemonSet('nginx:1'))
  const { items } = await api.until(`${ns}/events`, (events) => events.items.length > 0)
  expect(items[0]).toMatchObject({
    reason: 'FailedCreate',
    type: 'Warning',
    source: { component: 'daemonset-controller' },
    message: expect.stringMatching(
      /^Error creating: pods "light-\w+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/,
    ),
  })
  await api.patch(`${ns}/resourcequotas/q`, { spec: { hard: { pods: '1' } } })
  await api.until(`${sets(ns)}/light`, ready(1))
})
