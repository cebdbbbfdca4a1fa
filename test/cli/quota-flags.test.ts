import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Allot, runAllot, startAllot, temporaryDirectory } from '../start-allot.ts'

const CONFIGURATION = `apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
  - resource: persistentvolumeclaims
    matchContains: [.storageclass.storage.k8s.io/requests.storage]
  - resource: pods
    matchScopes:
      - {scopeName: PriorityClass, operator: In, values: [precious]}
`

const file = (text: string): string => {
  const path = join(temporaryDirectory(), 'limited.yaml')
  writeFileSync(path, text)
  return path
}

const quota = (name: string, hard: object): object => ({ metadata: { name }, spec: { hard } })
const pod = (name: string, cpu: string, more: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu }, limits: { cpu } } }], ...more },
})

async function refusal(allot: Allot, path: string, body: object): Promise<string> {
  const { status, json } = await allot.call(path, { method: 'POST', body })
  return `${status} ${json.message}`
}

async function twoFullQuotas(allot: Allot): Promise<string> {
  const path = '/api/v1/namespaces/default'
  await allot.call(`${path}/resourcequotas`, {
    method: 'POST',
    body: quota('first', { pods: '0', 'requests.cpu': '1' }),
  })
  await allot.call(`${path}/resourcequotas`, { method: 'POST', body: quota('second', { 'limits.cpu': '500m' }) })
  return await refusal(allot, `${path}/pods`, pod('p', '2'))
}

const FIRST =
  '403 pods "p" is forbidden: exceeded quota: first, requested: pods=1,requests.cpu=2, used: pods=0,requests.cpu=0, limited: pods=0,requests.cpu=1'

test('a refusal names every quota and every resource that refused', async () => {
  await using allot = await startAllot({ inMemory: true })
  expect(await twoFullQuotas(allot)).toBe(
    `${FIRST}; exceeded quota: second, requested: limits.cpu=2, used: limits.cpu=0, limited: limits.cpu=500m`,
  )
})

test('with --first-refusal-only it is the refusal of Kubernetes, to the letter', async () => {
  await using allot = await startAllot({ inMemory: true, args: ['--first-refusal-only'] })
  expect(await twoFullQuotas(allot)).toBe(FIRST)
})

test('with --limited-resources what is limited can be used only where a quota covers it', async () => {
  await using allot = await startAllot({ inMemory: true, args: ['--limited-resources', file(CONFIGURATION)] })
  const path = '/api/v1/namespaces/default'
  const claim = {
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'quick',
      resources: { requests: { storage: '1Gi' } },
    },
  }
  const limited = 'quick.storageclass.storage.k8s.io/requests.storage'
  expect(await refusal(allot, `${path}/persistentvolumeclaims`, claim)).toBe(
    `403 persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ${limited}`,
  )
  await allot.call('/apis/scheduling.k8s.io/v1/priorityclasses', {
    method: 'POST',
    body: { metadata: { name: 'precious' }, value: 1000 },
  })
  expect(await refusal(allot, `${path}/pods`, pod('p', '1', { priorityClassName: 'precious' }))).toBe(
    '500 insufficient quota to match these scopes: [{PriorityClass In [precious]}]',
  )
  await allot.call(`${path}/resourcequotas`, { method: 'POST', body: quota('storage', { [limited]: '5Gi' }) })
  const made = await allot.call(`${path}/persistentvolumeclaims`, { method: 'POST', body: claim })
  expect(made.status).toBe(201)
})

test('with --limited-resources an update that gives up what is limited needs no quota for it', async () => {
  const limited = `apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources: [{resource: services, matchContains: [services.loadbalancers]}]
`
  await using allot = await startAllot({ inMemory: true, args: ['--limited-resources', file(limited)] })
  const path = '/api/v1/namespaces/default'
  const service = (type: string): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: {
      type,
      ports: [{ port: 80 }],
      ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: false } : {}),
    },
  })
  await allot.call(`${path}/resourcequotas`, { method: 'POST', body: quota('one', { 'services.loadbalancers': '1' }) })
  expect((await allot.call(`${path}/services`, { method: 'POST', body: service('LoadBalancer') })).status).toBe(201)
  await allot.call(`${path}/resourcequotas/one`, { method: 'DELETE' })
  const lowered = await allot.call(`${path}/services/s`, { method: 'PUT', body: service('NodePort') })
  expect([lowered.status, lowered.json.message]).toEqual([200, undefined])
  expect(await refusal(allot, `${path}/services`, { ...service('LoadBalancer'), metadata: { name: 't' } })).toContain(
    'insufficient quota to consume: services.loadbalancers',
  )
})

test.each([
  ['limitedResources:\n  - matchContains: [cpu]\n', '5:5', 'limitedResources[0].resource: Required value'],
  ['limitedResources: [\n', '5:1', 'did not find expected'],
  [
    'limitedResources:\n  - resource: pods\n    resource: services\n',
    '6:5',
    'limitedResources[0].resource: is set twice',
  ],
  ['---\nkind: Other\n', '5:1', 'a second document begins here; only one may be given'],
])('a configuration that is wrong is refused with file, line and field path', async (rest, position, message) => {
  const path = file(
    `# what may be used only under a quota\napiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n${rest}`,
  )
  const { code, stderr } = await runAllot('up', '--in-memory', '--port', '0', '--limited-resources', path)
  expect(code).toBe(1)
  expect(stderr).toMatch(/; mend the file or start without it\n$/)
  expect(stderr).toContain(`${path}:${position}: ${message}`)
  expect(stderr.split('\n')).toHaveLength(2)
})

test('a missing configuration is reported', async () => {
  const { code, stderr } = await runAllot('up', '--in-memory', '--port', '0', '--limited-resources', '/nowhere/x.yaml')
  expect([code, stderr]).toEqual([
    1,
    'cannot read /nowhere/x.yaml (from --limited-resources): it does not exist; mend the file or start without it\n',
  ])
})
