import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, namesOf, pod } from '../api-server.ts'

const api = apiServer({ workloads: true })
const selector = { matchLabels: { app: 'web' } }
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const inGroup = (ns: string, group: string): string => ns.replace('/api/v1', `/apis/${group}/v1`)

const budget = async (ns: string, spec: object, name = 'b'): Promise<string> => {
  const collection = `${inGroup(ns, 'policy')}/poddisruptionbudgets`
  await api.create(collection, { metadata: { name }, spec: { selector, ...spec } })
  return `${collection}/${name}`
}
const deploy = async (ns: string, replicas: number): Promise<void> => {
  const collection = `${inGroup(ns, 'apps')}/deployments`
  await api.create(collection, { metadata: { name: 'web' }, spec: { replicas, selector, template } })
  await api.until(`${collection}/web`, ({ status }) => status.availableReplicas === replicas)
}
const evict = (ns: string, name: string): Promise<Answer> =>
  api.send('POST', `${ns}/pods/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
const labelled = (name: string): object => ({ ...template, metadata: { ...template.metadata, name } })
const condition = ({ status }: Answer['body']): string =>
  (status.conditions ?? [])
    .map((one: Answer['body']) => `${one.type} ${one.status} ${one.reason} ${one.message}`)
    .join()

describe('a disruption budget', () => {
  test.each([
    ['minAvailable: 1', { minAvailable: 1 }, { desiredHealthy: 1, disruptionsAllowed: 2 }],
    ['minAvailable: 50%', { minAvailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
    ['maxUnavailable: 1', { maxUnavailable: 1 }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
    ['maxUnavailable: 0', { maxUnavailable: 0 }, { desiredHealthy: 3, disruptionsAllowed: 0 }],
  ])('with %s counts the pods of a deployment', async (_what, spec, counts) => {
    const ns = await api.namespace()
    const at = await budget(ns, spec)
    await deploy(ns, 3)
    const { status } = await api.until(at, (body) => body.status.currentHealthy === 3 && body.status.expectedPods === 3)
    expect(status).toMatchObject({ ...counts, currentHealthy: 3, expectedPods: 3, observedGeneration: 1 })
  })

  test('lets pods go as long as enough stay, and then answers 429 with the cause', async () => {
    const ns = await api.namespace()
    const at = await budget(ns, { minAvailable: 1 })
    await api.create(`${ns}/pods`, labelled('a'))
    await api.create(`${ns}/pods`, labelled('b'))
    const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
    for (const name of ['a', 'b']) await api.patch(`${ns}/pods/${name}/status`, running)
    await api.until(at, ({ status }) => status.disruptionsAllowed === 1)
    expect((await evict(ns, 'a')).status).toBe(201)
    const settled = await api.until(at, ({ status }) => status.expectedPods === 1 && status.currentHealthy === 1)
    expect(condition(settled)).toBe('DisruptionAllowed False InsufficientPods ')
    const refused = await evict(ns, 'b')
    // A client that gets a time to retry waits without a message.
    expect(refused.headers.get('retry-after')).toBeNull()
    expect([refused.status, refused.body.message, refused.body.details.causes]).toEqual([
      429,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
        },
      ],
    ])
    expect(namesOf(await api.get(`${ns}/pods`))).toEqual(['b'])
  })

  test('that is not the only one of a pod keeps it: 500', async () => {
    const ns = await api.namespace()
    await budget(ns, { minAvailable: 0 })
    await budget(ns, { minAvailable: 0 }, 'c')
    await deploy(ns, 1)
    const [name = ''] = namesOf(await api.get(`${ns}/pods`))
    const { status, body } = await evict(ns, name)
    expect([status, body.message]).toEqual([
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ])
  })

  test.each([
    ['AlwaysAllow', 201],
    ['IfHealthyBudget', 429],
  ])('with %s answers %d for a pod that is not ready', async (policy, code) => {
    const ns = await api.namespace()
    const at = await budget(ns, { minAvailable: 1, unhealthyPodEvictionPolicy: policy })
    await api.create(`${ns}/pods`, labelled('a'))
    await api.patch(`${ns}/pods/a/status`, { status: { phase: 'Running' } })
    await api.until(at, ({ status }) => status.expectedPods === 1)
    expect((await evict(ns, 'a')).status).toBe(code)
  })

  test('whose pods have an owner without a scale says so, and lets nothing go', async () => {
    const ns = await api.namespace()
    const at = await budget(ns, { maxUnavailable: 1 })
    await api.create(`${inGroup(ns, 'apps')}/daemonsets`, { metadata: { name: 'd' }, spec: { selector, template } })
    const body = await api.until(at, (one) => condition(one).includes('SyncFailed'))
    expect(condition(body)).toBe(
      'DisruptionAllowed False SyncFailed daemonsets.apps does not implement the scale subresource',
    )
    expect(body.status.disruptionsAllowed).toBe(0)
  })

  test('gets its status back when somebody else overwrites it', async () => {
    const ns = await api.namespace()
    const at = await budget(ns, { minAvailable: 1 })
    await deploy(ns, 2)
    const { status } = await api.until(at, (body) => body.status.disruptionsAllowed === 1)
    await api.patch(`${at}/status`, { status: { disruptionsAllowed: 7, expectedPods: 9 } })
    await api.until(at, (body) => JSON.stringify(body.status) === JSON.stringify(status))
    expect((await api.get(at)).status).toEqual(status)
  })
})

test('a pod that is evicted says so in its conditions while it goes, and a dry run changes nothing', async () => {
  const ns = await api.namespace()
  const { metadata, ...rest } = pod('evicted') as { readonly metadata: object }
  await api.create(`${ns}/pods`, { ...rest, metadata: { ...metadata, finalizers: ['example.test/stays'] } })
  const path = `${ns}/pods/evicted`
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } }
  const target = async (): Promise<unknown> =>
    (await api.get(path)).status.conditions?.find(({ type }: { readonly type: string }) => type === 'DisruptionTarget')
  expect((await api.send('POST', `${path}/eviction?dryRun=All`, eviction)).status).toBe(201)
  expect(await target()).toBeUndefined()
  expect((await api.send('POST', `${path}/eviction`, eviction)).status).toBe(201)
  expect(await target()).toMatchObject({
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  })
  expect((await api.get(path)).metadata.deletionTimestamp).toBeDefined()
})
