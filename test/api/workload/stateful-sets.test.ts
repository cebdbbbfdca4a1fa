import { expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, JSON_PATCH, MERGE, namesOf, TABLE } from '../api-server.ts'

const api = apiServer({ workloads: true })

const byVersion = (a: Answer['body'], b: Answer['body']): number =>
  a.metadata.resourceVersion - b.metadata.resourceVersion

const template = (image: string): unknown => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'c', image, resources: { requests: { cpu: '1' } } }],
  },
})
const statefulSet = (spec: Readonly<Record<string, unknown>>): unknown => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web' },
  spec: {
    serviceName: 'www',
    selector: { matchLabels: { app: 'web' } },
    template: template('nginx:1'),
    ...spec,
  },
})
const data = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const path = (namespace: string): string => `${namespace.replace('/api/v1', '/apis/apps/v1')}/statefulsets/web`
const messages = async (namespace: string): Promise<readonly string[]> =>
  (await api.get(`${namespace}/events`)).items
    .filter((event: Answer['body']) => event.involvedObject.kind === 'StatefulSet')
    .toSorted(byVersion)
    .map((event: Answer['body']) => `${event.reason}: ${event.message}`)
const settled =
  (replicas: number) =>
  ({ metadata, status }: Answer['body']): boolean =>
    status.observedGeneration === metadata.generation &&
    status.replicas === replicas &&
    (status.updatedReplicas ?? 0) === replicas &&
    (status.readyReplicas ?? 0) === replicas

test('the containers of a set mount its claims, as files and as devices, also after updates of the set', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  const spec = { ...data.spec, volumeMode: 'Block' }
  const pod = {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'c',
        image: 'db:1',
        volumeMounts: [{ name: 'data', mountPath: '/var/lib/data' }],
        volumeDevices: [{ name: 'disk', devicePath: '/dev/disk' }],
      },
    ],
  }
  await api.create(
    at.replace('/web', ''),
    statefulSet({
      template: { metadata: { labels: { app: 'web' } }, spec: pod },
      volumeClaimTemplates: [data, { metadata: { name: 'disk' }, spec }],
    }),
  )
  await api.until(at, settled(1))
  await api.patch(at, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'db:2' }], JSON_PATCH)
  await api.until(at, settled(1))
  const { items } = await api.get(`${ns}/pods`)
  expect(items[0].spec).toMatchObject({
    containers: [
      {
        image: 'db:2',
        volumeMounts: [{ name: 'data', mountPath: '/var/lib/data' }, { readOnly: true }],
        volumeDevices: [{ name: 'disk', devicePath: '/dev/disk' }],
      },
    ],
    volumes: expect.arrayContaining([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      { name: 'disk', persistentVolumeClaim: { claimName: 'disk-web-0' } },
    ]),
  })
})

test('a set makes its pods in order, each with its claim, and keeps the claims when it shrinks', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  await api.create(at.replace('/web', ''), statefulSet({ replicas: 3, volumeClaimTemplates: [data] }))
  const { status } = await api.until(at, settled(3))
  expect(status).toMatchObject({ availableReplicas: 3, currentReplicas: 3, collisionCount: 0 })
  expect(status.currentRevision).toBe(status.updateRevision)
  const pods = await api.get(`${ns}/pods`)
  expect(namesOf(pods)).toEqual(['web-0', 'web-1', 'web-2'])
  expect(pods.items[1]).toMatchObject({
    metadata: { labels: { 'apps.kubernetes.io/pod-index': '1', 'controller-revision-hash': status.currentRevision } },
    spec: {
      hostname: 'web-1',
      subdomain: 'www',
      volumes: expect.arrayContaining([
        expect.objectContaining({
          name: 'data',
          persistentVolumeClaim: { claimName: 'data-web-1' },
        }),
      ]),
    },
  })
  expect((await messages(ns)).filter((one) => one.startsWith('SuccessfulCreate'))).toEqual([
    'SuccessfulCreate: create Claim data-web-0 Pod web-0 in StatefulSet web success',
    'SuccessfulCreate: create Pod web-0 in StatefulSet web successful',
    'SuccessfulCreate: create Claim data-web-1 Pod web-1 in StatefulSet web success',
    'SuccessfulCreate: create Pod web-1 in StatefulSet web successful',
    'SuccessfulCreate: create Claim data-web-2 Pod web-2 in StatefulSet web success',
    'SuccessfulCreate: create Pod web-2 in StatefulSet web successful',
  ])
  await api.patch(`${at}/scale`, { spec: { replicas: 1 } })
  await api.until(at, settled(1))
  expect(namesOf(await api.get(`${ns}/pods`))).toEqual(['web-0'])
  expect((await messages(ns)).slice(-2)).toEqual([
    'SuccessfulDelete: delete Pod web-2 in StatefulSet web successful',
    'SuccessfulDelete: delete Pod web-1 in StatefulSet web successful',
  ])
  expect(namesOf(await api.get(`${ns}/persistentvolumeclaims`))).toEqual(['data-web-0', 'data-web-1', 'data-web-2'])
})

test('claims go with the pods that are scaled away, and with the set, where it says so', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' }
  const spec = { replicas: 2, volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: policy }
  await api.create(at.replace('/web', ''), statefulSet(spec))
  await api.until(at, settled(2))
  await api.patch(`${at}/scale`, { spec: { replicas: 1 } })
  const claims = await api.until(`${ns}/persistentvolumeclaims`, ({ items }) => items.length === 1)
  expect(namesOf(claims)).toEqual(['data-web-0'])
  await api.send('DELETE', at)
  await api.until(`${ns}/persistentvolumeclaims`, ({ items }) => items.length === 0)
})

test('a new template replaces the pods from the highest ordinal down to the partition, and an old one can come back', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  const revisions = `${at.replace('/statefulsets/web', '')}/controllerrevisions`
  await api.create(at.replace('/web', ''), statefulSet({ replicas: 3 }))
  const before = await api.until(at, settled(3))
  const rollingUpdate = { partition: 1 }
  await api.patch(at, {
    spec: { template: template('nginx:2'), updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
  })
  const half = await api.until(at, ({ status }) => status.updatedReplicas === 2 && status.readyReplicas === 3)
  expect(half.status.currentRevision).toBe(before.status.currentRevision)
  expect(half.status.updateRevision).not.toBe(before.status.currentRevision)
  const images = async (): Promise<readonly string[]> =>
    (await api.get(`${ns}/pods`)).items.map((pod: Answer['body']) => pod.spec.containers[0].image)
  expect(await images()).toEqual(['nginx:1', 'nginx:2', 'nginx:2'])
  // Pods below the partition come back as they were.
  await api.send('DELETE', `${ns}/pods/web-0`)
  await api.until(at, ({ status }) => status.readyReplicas === 3)
  expect(await images()).toEqual(['nginx:1', 'nginx:2', 'nginx:2'])
  await api.patch(at, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })
  const after = await api.until(at, settled(3))
  expect(after.status.currentRevision).toBe(half.status.updateRevision)
  expect(await images()).toEqual(['nginx:2', 'nginx:2', 'nginx:2'])
  expect((await api.get(revisions)).items.map((one: Answer['body']) => one.revision).toSorted()).toEqual([1, 2])
  await api.patch(at, { spec: { template: template('nginx:1') } })
  const back = await api.until(at, settled(3))
  expect(back.status.currentRevision).toBe(before.status.currentRevision)
  expect((await api.get(revisions)).items.map((one: Answer['body']) => one.revision).toSorted()).toEqual([2, 3])
})

test('a set whose pod a quota refuses says so, and goes on when there is room', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  await api.create(`${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '2' } } })
  await api.until(`${ns}/resourcequotas/q`, ({ status }) => status.used !== undefined)
  await api.create(at.replace('/web', ''), statefulSet({ replicas: 3 }))
  const failure =
    'FailedCreate: create Pod web-2 in StatefulSet web failed error: pods "web-2" is forbidden: exceeded quota: q, ' +
    'requested: requests.cpu=1, used: requests.cpu=2, limited: requests.cpu=2'
  await api.until(`${ns}/events`, ({ items }) =>
    items.some((event: Answer['body']) => `${event.reason}: ${event.message}` === failure),
  )
  expect((await api.get(at)).status).toMatchObject({ replicas: 2, readyReplicas: 2 })
  // Saying it again raises the count of the one Event.
  const repeated = await api.until(`${ns}/events`, ({ items }) =>
    items.some((event: Answer['body']) => event.reason === 'FailedCreate' && event.count > 1),
  )
  expect(repeated.items.filter(({ reason }: Answer['body']) => reason === 'FailedCreate')).toHaveLength(1)
  await api.patch(`${ns}/resourcequotas/q`, { spec: { hard: { 'requests.cpu': '3' } } }, MERGE)
  await api.until(at, settled(3))
})

test('a claim that a quota refuses keeps its pod from being made', async () => {
  const ns = await api.namespace()
  const hard = { persistentvolumeclaims: '0' }
  await api.create(`${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })
  await api.until(`${ns}/resourcequotas/q`, ({ status }) => status.used !== undefined)
  await api.create(path(ns).replace('/web', ''), statefulSet({ replicas: 1, volumeClaimTemplates: [data] }))
  const refusal =
    'persistentvolumeclaims "data-web-0" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1, ' +
    'used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0'
  await api.until(`${ns}/events`, ({ items }) => items.length >= 2)
  expect((await messages(ns)).slice(0, 2)).toEqual([
    `FailedCreate: create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ${refusal}`,
    `FailedCreate: create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: ${refusal}`,
  ])
  expect((await api.get(`${ns}/pods`)).items).toEqual([])
})

test('the set takes in a pod of its name and labels, and no other', async () => {
  const ns = await api.namespace()
  const labels = { app: 'web' }
  for (const name of ['web-1', 'stray'])
    await api.create(`${ns}/pods`, { metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'a' }] } })
  await api.create(path(ns).replace('/web', ''), statefulSet({ replicas: 1, podManagementPolicy: 'Parallel' }))
  await api.until(path(ns), settled(1))
  await api.until(`${ns}/pods`, ({ items }) => items.length === 2)
  expect(namesOf(await api.get(`${ns}/pods`))).toEqual(['stray', 'web-0'])
})

test('revisions of a set are counted with all 64 bits', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  const revisions = at.replace('statefulsets/web', 'controllerrevisions')
  await api.create(at.replace('/web', ''), statefulSet({}))
  await api.until(at, settled(1))
  const [first] = namesOf(await api.get(revisions))
  await api.send('PATCH', `${revisions}/${first}`, '{"revision":9007199254740993}', MERGE)
  await api.patch(at, { spec: { template: template('nginx:2') } })
  await api.until(at, settled(1))
  const { rows } = await api.get(revisions, TABLE)
  const { url, token } = api.running
  const text = await (await fetch(url + revisions, { headers: { authorization: `Bearer ${token}` } })).text()
  expect(rows).toHaveLength(2)
  expect(new Set(text.match(/"revision":\d+/g))).toEqual(
    new Set(['"revision":9007199254740993', '"revision":9007199254740994']),
  )
})

test('the data of a revision is written as Kubernetes writes it: names in order, and no time that is null', async () => {
  const ns = await api.namespace()
  const at = path(ns)
  const { spec } = template('nginx:1') as { readonly spec: object }
  const metadata = { name: 'web', labels: { zone: 'z', app: 'web' }, creationTimestamp: null }
  await api.create(at.replace('/web', ''), statefulSet({ template: { spec, metadata } }))
  await api.until(at, settled(1))
  const { items } = await api.get(at.replace('statefulsets/web', 'controllerrevisions'))
  const text = JSON.stringify(items[0].data)
  expect(text).not.toContain('creationTimestamp')
  expect(text).toMatch(/^\{"spec":\{"template":\{"\$patch":"replace","metadata":\{"labels":\{"app":"web","zone":"z"\}/)
  expect(text).toMatch(
    /"spec":\{"containers":\[\{"image":"nginx:1","imagePullPolicy":"IfNotPresent","name":"c","resources"/,
  )
})
