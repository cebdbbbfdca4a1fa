import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, type InProcess, startInProcess } from '../../in-process.ts'

const V1 = '/apis/resource.k8s.io/v1'
const CLASSES = `${V1}/deviceclasses`
const CLAIMS = `${V1}/namespaces/lab/resourceclaims`
const PODS = '/api/v1/namespaces/lab/pods'
const QUOTA = '/api/v1/namespaces/lab/resourcequotas/devices'
const EXPLICIT = 'requests.example.com/gpu'
const IMPLICIT = 'requests.deviceclass.resource.kubernetes.io/gpu'

let server: InProcess
beforeEach(async () => {
  server = await startInProcess()
  await made('/api/v1/namespaces', { metadata: { name: 'lab' } })
  await made(CLASSES, { metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } })
  const hard = { [EXPLICIT]: '3', [IMPLICIT]: '3', 'gpu.deviceclass.resource.k8s.io/devices': '5' }
  await made('/api/v1/namespaces/lab/resourcequotas', { metadata: { name: 'devices' }, spec: { hard } })
})
afterEach(() => server.stop())

async function made(path: string, body: object): Promise<Answer['body']> {
  const { status, body: answer } = await server.send('POST', path, body)
  expect(status, answer.message).toBe(201)
  return answer
}

const claim = (name: string, count: number, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count } }] } },
})
const pod = (name: string, requests: Record<string, string>): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'x', resources: { requests, limits: requests } }] },
})
const used = async (): Promise<Record<string, string>> => (await server.send('GET', QUOTA)).body.status.used
async function expectUsed(explicit: string, implicit: string): Promise<void> {
  await server.until(QUOTA, ({ status }) => status.used[EXPLICIT] === explicit && status.used[IMPLICIT] === implicit)
  expect(server.complaints).toEqual([])
}

test('pods and claims share the quota of the extended resource that a device class stands for', async () => {
  await made(PODS, pod('asks', { 'example.com/gpu': '1' }))
  await made(CLAIMS, claim('two', 2))
  expect(await used()).toEqual({ [EXPLICIT]: '3', [IMPLICIT]: '2', 'gpu.deviceclass.resource.k8s.io/devices': '2' })
  const refused = await server.send('POST', CLAIMS, claim('one', 1))
  expect(refused.body.message).toBe(
    'resourceclaims.resource.k8s.io "one" is forbidden: exceeded quota: devices, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=3, limited: requests.example.com/gpu=3',
  )
  await server.send('DELETE', `${CLAIMS}/two`)
  expect(await used()).toEqual({ [EXPLICIT]: '1', [IMPLICIT]: '0', 'gpu.deviceclass.resource.k8s.io/devices': '0' })
})

test('a claim made for a pod is not charged again for what the pod is charged, and is once the pod is gone', async () => {
  const { metadata } = await made(PODS, pod('owner', { 'example.com/gpu': '1' }))
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: metadata.uid, controller: true }
  const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' }
  await made(CLAIMS, claim('made', 1, { annotations, ownerReferences: [owner], finalizers: ['test/keep'] }))
  expect(await used()).toMatchObject({ [EXPLICIT]: '1', [IMPLICIT]: '1' })
  await server.send('DELETE', `${PODS}/owner?gracePeriodSeconds=0`)
  // The claim, which still holds its device, now costs what its pod was charged.
  await expectUsed('1', '1')
  await server.send(
    'PATCH',
    `${CLAIMS}/made`,
    { metadata: { finalizers: null } },
    {
      'content-type': 'application/merge-patch+json',
    },
  )
  await expectUsed('0', '0')
})

test('claims are counted anew when their device class comes to stand for an extended resource, or no longer does', async () => {
  await made(CLAIMS, claim('two', 2))
  expect(await used()).toMatchObject({ [EXPLICIT]: '2', [IMPLICIT]: '2' })
  const set = (extendedResourceName: string | null): Promise<Answer> =>
    server.send(
      'PATCH',
      `${CLASSES}/gpu`,
      { spec: { extendedResourceName } },
      {
        'content-type': 'application/merge-patch+json',
      },
    )
  await set(null)
  await expectUsed('0', '2')
  await set('example.com/gpu')
  await expectUsed('2', '2')
})
