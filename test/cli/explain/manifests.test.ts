import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { eventually } from '../../eventually.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { forSuite, over } from '../../operator/operated.ts'
import { startAllot, temporaryDirectory } from '../../start-allot.ts'
import { deployment } from './stuck-workloads.ts'

const suite = forSuite(async () => {
  const allot = await startAllot({ workloads: true })
  return over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
})
const BOXED = {
  metadata: { name: 'boxed' },
  handler: 'boxed',
  overhead: { podFixed: { cpu: '150m' } },
}
const CPU = { requests: { cpu: '100m' } }
const planned = deployment('web', 3, [{ name: 'web', image: 'i', resources: CPU }])
const workload = (replicas: unknown): object => {
  const { spec, ...head } = planned.object as { readonly spec: { readonly template: { readonly spec: object } } }
  const { template } = spec
  const boxed = { ...template, spec: { ...template.spec, runtimeClassName: 'boxed' } }
  return { apiVersion: 'apps/v1', kind: 'Deployment', ...head, spec: { ...spec, replicas, template: boxed } }
}

const explained = async (...manifests: readonly object[]): ReturnType<typeof runInProcess> =>
  await explainedIn('default', ...manifests)

async function explainedIn(namespace: string, ...manifests: readonly object[]): ReturnType<typeof runInProcess> {
  const file = join(temporaryDirectory(), 'planned.yaml')
  writeFileSync(file, manifests.map((one) => stringify(one)).join('---\n'))
  return await runInProcess(suite.server.kubeconfig, 'explain', '-n', namespace, '-f', file, '-o', 'json')
}

test('manifests find the quotas among them and the classes of the cluster, and nothing of a wrong type is guessed', async () => {
  const { status, text } = await suite.server.send('POST', '/apis/node.k8s.io/v1/runtimeclasses', BOXED)
  expect(status, text).toBe(201)
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'small' },
    spec: { hard: { 'requests.cpu': '700m' } },
  }
  const { code, stdout } = await explained(workload(3), quota)
  const [about] = JSON.parse(stdout) as readonly Explanation[]
  expect([code, about?.summary, about?.causes.map(({ text }) => text)]).toEqual([
    3,
    'Deployment web is blocked: 0 of 3 Pods exist, 2 more fit',
    ['quota small: requests.cpu 0 of 700m used, 750m more requested'],
  ])
  const wrong = await explained(quota, workload('3'))
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toMatch(
    /planned\.yaml:\d+: Deployment web, spec\.replicas: json: cannot unmarshal string .*; mend the manifest/,
  )
})

const namespaceOf = async (name: string): Promise<string> => {
  const { status, text } = await suite.server.send('POST', '/api/v1/namespaces', { metadata: { name } })
  expect(status, text).toBe(201)
  return name
}

const pod = (metadata: object, cpu: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...more },
})

test('manifests that are refused leave their room to those after them, which may get their names from the API server', async () => {
  const namespace = await namespaceOf('in-turn')
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'small' },
    spec: { hard: { 'requests.cpu': '1' } },
  }
  const pods = ['800m', '800m', '100m'].map((cpu) => pod({ generateName: 'run-' }, cpu))
  const { code, stdout, stderr } = await explainedIn(namespace, quota, ...pods)
  const [, ...said] = JSON.parse(stdout) as readonly Explanation[]
  expect([code, stderr]).toEqual([3, ''])
  expect(said.map(({ object, verdict }) => [object.name, verdict])).toEqual([
    ['run-', 'clear'],
    ['run-', 'blocked'],
    ['run-', 'clear'],
  ])
})

test('manifests of another namespace than the one that is asked about are told apart from kinds that are not served', async () => {
  const others = [pod({ name: 'a', namespace: 'shop' }, '1'), pod({ name: 'b', namespace: 'bar' }, '1')]
  const elsewhere = await explained(...others)
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    [
      'Pod a is left out: its namespace is shop',
      'Pod b is left out: its namespace is bar',
      'no manifest belongs to namespace default, but to bar, shop; name one of them with --namespace',
      '',
    ].join('\n'),
  ])
  const unserved = await explained({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' } })
  expect([unserved.code, unserved.stderr]).toEqual([
    1,
    expect.stringMatching(/\nno manifest is of a kind that the API server serves in namespaces; compare apiVersion/),
  ])
})

test('a manifest is refused for a ServiceAccount or a class that is neither stored nor among the manifests', async () => {
  const namespace = await namespaceOf('accounts')
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }
  const royal = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'royal' },
    value: 9,
  }
  const wanted = pod({ name: 'web' }, '1', { serviceAccountName: 'robot', priorityClassName: 'royal' })
  const alone = await explainedIn(namespace, wanted)
  const [about] = JSON.parse(alone.stdout) as readonly Explanation[]
  expect([alone.code, about?.causes.map(({ type, text }) => [type, text])]).toEqual([
    3,
    [['rejected', expect.stringContaining('serviceaccount "robot" not found')]],
  ])
  expect(about?.remedies.map(({ type, allowed }) => [type, allowed])).toEqual([['create', true]])
  const classless = await explainedIn(namespace, wanted, account)
  expect([classless.code, classless.stdout]).toEqual([
    3,
    expect.stringContaining('no PriorityClass with name royal was found'),
  ])
  const whole = await explainedIn(namespace, wanted, account, royal)
  expect([whole.code, whole.stderr]).toEqual([0, ''])
})

test('a manifest of a stored workload is explained with the pods of its new template and the fields that it leaves out', async () => {
  const namespace = await namespaceOf('changed')
  const at = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const container = { name: 'web', image: 'i', resources: { requests: { cpu: '1' } } }
  const { object } = deployment('web', 2, [container])
  const hard = { 'requests.cpu': '3' }
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' }, spec: { hard } }
  expect((await suite.server.send('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, quota)).status).toBe(201)
  expect((await suite.server.send('POST', at, object)).status).toBe(201)
  await eventually(
    () => suite.server.send('GET', `/api/v1/namespaces/${namespace}/resourcequotas/small`),
    ({ text }) => /"used":\{"requests.cpu":"2"\}/.test(text),
    { what: 'two pods' },
  )
  const dearer = { ...container, resources: { requests: { cpu: '1500m' } } }
  const { spec, ...head } = deployment('web', 2, [dearer]).object as { readonly spec: object }
  const { replicas: _, ...silent } = spec as { readonly replicas: number }
  const { code, stdout } = await explainedIn(namespace, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...head,
    spec: silent,
  })
  const [about] = JSON.parse(stdout) as readonly Explanation[]
  expect([code, about?.summary, about?.causes.map(({ text }) => text)]).toEqual([
    3,
    'Deployment web is blocked: 0 of 2 new Pods exist beside 2 old ones, 0 more fit',
    ['quota small: requests.cpu 2 of 3 used, 2 more requested'],
  ])
})

test('an increase that nobody has looked at is said to be one, and no right is asked for', async () => {
  const namespace = await namespaceOf('undecided')
  const file = new URL('../../../config/crd/openmcp.cloud_quotaincreases.yaml', import.meta.url)
  const { status, text } = await suite.server.send(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    parse(readFileSync(file, 'utf8')),
  )
  expect(status, text).toBe(201)
  await eventually(
    () =>
      suite.server.send('POST', `/apis/openmcp.cloud/v1alpha1/namespaces/${namespace}/quotaincreases`, {
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'QuotaIncrease',
        metadata: { name: 'more' },
        spec: { hard: { pods: '2' } },
      }),
    (one) => one.status === 201,
    { what: 'an increase' },
  )
  const { code, stderr } = await runInProcess(
    suite.server.kubeconfig,
    'explain',
    'quotaincrease',
    'more',
    '-n',
    namespace,
  )
  expect(code).toBe(1)
  expect(stderr).toContain('nobody has looked at QuotaIncrease more yet; wait a moment if it is new')
})
