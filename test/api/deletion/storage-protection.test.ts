import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../../in-process.ts'

const NS = '/api/v1/namespaces/depot'
const CLAIMS = `${NS}/persistentvolumeclaims`

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
  await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'depot' } })
})
afterAll(() => server.stop())

const claim = (name: string): Promise<unknown> =>
  server.send('POST', CLAIMS, {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
  })

const pod = (name: string, volume: object): Promise<unknown> =>
  server.send('POST', `${NS}/pods`, {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...volume }] },
  })

const gone = (path: string): Promise<unknown> => server.until(path, (body) => body.code === 404)

test('a deleted claim that no pod mounts goes, and gives its quota back', async () => {
  await server.send('POST', `${NS}/resourcequotas`, {
    metadata: { name: 'q' },
    spec: { hard: { 'requests.storage': '9Gi' } },
  })
  await claim('idle')
  await server.until(`${NS}/resourcequotas/q`, (quota) => quota.status?.used?.['requests.storage'] === '3Gi')
  expect((await server.send('DELETE', `${CLAIMS}/idle`)).status).toBe(200)
  await gone(`${CLAIMS}/idle`)
  await server.until(`${NS}/resourcequotas/q`, (quota) => quota.status.used['requests.storage'] === '0')
})

test('a deleted claim that a pod mounts stays until the pod has ended', async () => {
  await claim('held')
  await pod('holder', { persistentVolumeClaim: { claimName: 'held' } })
  await server.send('DELETE', `${CLAIMS}/held`)
  expect((await server.send('GET', `${CLAIMS}/held`)).body.metadata.deletionTimestamp).toBeDefined()
  const ended = { status: { phase: 'Succeeded' } }
  await server.send('PATCH', `${NS}/pods/holder/status`, ended, { 'content-type': 'application/merge-patch+json' })
  await gone(`${CLAIMS}/held`)
})

test('the claim of an ephemeral volume is held by its pod', async () => {
  await claim('owner-v')
  await pod('owner', {
    ephemeral: {
      volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    },
  })
  await server.send('DELETE', `${CLAIMS}/owner-v`)
  expect((await server.send('GET', `${CLAIMS}/owner-v`)).status).toBe(200)
  await server.send('DELETE', `${NS}/pods/owner`)
  await gone(`${CLAIMS}/owner-v`)
})

test('a deleted volume goes unless it is bound', async () => {
  const volumes = '/api/v1/persistentvolumes'
  for (const name of ['free', 'bound']) {
    const spec = { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } }
    expect((await server.send('POST', volumes, { metadata: { name }, spec })).status).toBe(201)
  }
  await server.send(
    'PATCH',
    `${volumes}/bound/status`,
    { status: { phase: 'Bound' } },
    { 'content-type': 'application/merge-patch+json' },
  )
  for (const name of ['free', 'bound']) await server.send('DELETE', `${volumes}/${name}`)
  await gone(`${volumes}/free`)
  expect((await server.send('GET', `${volumes}/bound`)).status).toBe(200)
})

test('a deleted attributes class stays while a claim or a volume has it, and then goes', async () => {
  const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses'
  for (const name of ['fast', 'unused'])
    await server.send('POST', classes, { metadata: { name }, driverName: 'd', parameters: { iops: '1' } })
  const storage = { resources: { requests: { storage: '1Gi' } } }
  const spec = { accessModes: ['ReadWriteOnce'], volumeAttributesClassName: 'fast' }
  await server.send('POST', CLAIMS, { metadata: { name: 'attributed' }, spec: { ...spec, ...storage } })
  const volume = {
    metadata: { name: 'attributed' },
    spec: { ...spec, capacity: { storage: '1Gi' }, csi: { driver: 'd', volumeHandle: 'v' } },
  }
  expect((await server.send('POST', '/api/v1/persistentvolumes', volume)).status).toBe(201)
  for (const name of ['fast', 'unused']) await server.send('DELETE', `${classes}/${name}`)
  await gone(`${classes}/unused`)
  for (const user of [`${CLAIMS}/attributed`, '/api/v1/persistentvolumes/attributed']) {
    expect((await server.send('GET', `${classes}/fast`)).body.metadata?.finalizers).toEqual([
      'kubernetes.io/vac-protection',
    ])
    await server.send('DELETE', user)
    await gone(user)
  }
  await gone(`${classes}/fast`)
})

test('a deleted attributes class is not forgotten when a volume of its name goes before', async () => {
  const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses'
  const volumes = '/api/v1/persistentvolumes'
  await server.send('POST', classes, { metadata: { name: 'same' }, driverName: 'd', parameters: { iops: '1' } })
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } }
  for (const [name, more] of [
    ['same', {}],
    ['user', { volumeAttributesClassName: 'same' }],
  ] as const) {
    const csi = { driver: 'd', volumeHandle: name }
    const sent = await server.send('POST', volumes, { metadata: { name }, spec: { ...spec, ...more, csi } })
    expect(sent.status).toBe(201)
  }
  await server.send('DELETE', `${classes}/same`)
  for (const name of ['same', 'user']) {
    expect((await server.send('GET', `${classes}/same`)).status).toBe(200)
    await server.send('DELETE', `${volumes}/${name}`)
    await gone(`${volumes}/${name}`)
  }
  await gone(`${classes}/same`)
})

test('a namespace with claims comes to its end', async () => {
  await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'dock' } })
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  await server.send('POST', '/api/v1/namespaces/dock/persistentvolumeclaims', { metadata: { name: 'c' }, spec })
  await server.send('DELETE', '/api/v1/namespaces/dock')
  expect(await gone('/api/v1/namespaces/dock')).toMatchObject({ reason: 'NotFound' })
})
