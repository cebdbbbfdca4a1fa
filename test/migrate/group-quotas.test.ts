import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readManifests } from '../../src/migrate/read-manifests.ts'
import { eventually } from '../eventually.ts'
import {
  DEFINITIONS,
  forQuotas,
  GLOBAL_QUOTAS,
  openDefinition,
  openVersions,
} from '../operator/custom-quota/quota-world.ts'
import { operatedServers } from '../operator/operated.ts'
import { quotasIn } from '../operator/pool-objects.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { runInProcess } from './run-in-process.ts'

const HARD = {
  pods: '4',
  'requests.cpu': '1',
  'limits.memory': '1Gi',
  'services.nodeports': 2,
  'services.loadbalancers': '0',
  'requests.storage': '5Gi',
  'count/configmaps': '3',
}

/** A resource, and an object of it to create. */
type Step = readonly [string, { readonly metadata: { readonly name: string }; readonly spec?: object }]

const amounts = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } })
const pod = (name: string, cpu: string, memory: string, initCpu?: string): Step => [
  'pods',
  {
    metadata: { name },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: amounts(cpu, memory) }],
      ...(initCpu === undefined
        ? {}
        : { initContainers: [{ name: 'i', image: 'i', resources: amounts(initCpu, memory) }] }),
    },
  },
]
const service = (name: string, type: string, count: number): Step => [
  'services',
  {
    metadata: { name },
    spec: { type, ports: Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: 80 + at })) },
  },
]
const volumeClaim = (name: string, storage: string): Step => [
  'persistentvolumeclaims',
  { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
]
const map = (name: string): Step => ['configmaps', { metadata: { name } }]

/** Each limit is reached exactly, and exceeded by the least. */
const STEPS: readonly Step[] = [
  pod('a', '300m', '256Mi', '500m'),
  pod('b', '500m', '256Mi'),
  pod('c', '1m', '1Mi'),
  pod('d', '0', '512Mi'),
  pod('e', '0', '1Mi'),
  service('one', 'NodePort', 1),
  service('two', 'NodePort', 2),
  service('three', 'NodePort', 1),
  service('four', 'ClusterIP', 3),
  service('five', 'LoadBalancer', 1),
  volumeClaim('small', '3Gi'),
  volumeClaim('large', '2049Mi'),
  volumeClaim('rest', '2Gi'),
  map('one'),
  map('two'),
  map('three'),
]

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: quotas on groups of namespaces that are carried over`, () => {
    const suite = forQuotas(share)
    const home = temporaryDirectory()

    /** What becomes of the quotas in a file, as it is applied. */
    async function apply(command: string, quota: object, ...flags: readonly string[]): Promise<readonly string[]> {
      const file = join(home, `${command}.yaml`)
      writeFileSync(file, JSON.stringify(quota))
      const { code, stdout, stderr } = await runInProcess(suite.server.kubeconfig, 'migrate', command, file, ...flags)
      expect([code, stderr]).toEqual([0, ''])
      const made = readManifests('stdout', stdout)
      for (const one of made) await suite.world.create(GLOBAL_QUOTAS, one)
      for (const { metadata } of made) await suite.world.ready(`${GLOBAL_QUOTAS}/${metadata.name ?? ''}`)
      return made.map(({ metadata }) => metadata.name ?? '')
    }

    /** The namespace has what each has a moment later, so that both begin with the same. */
    async function namespace(of: string, labels: object): Promise<void> {
      await suite.world.create('/api/v1/namespaces', { metadata: { name: of, labels } })
      await suite.world.until(`/api/v1/namespaces/${of}/configmaps/kube-root-ca.crt`, () => true)
      await suite.world.until(`/api/v1/namespaces/${of}/serviceaccounts/default`, () => true)
    }

    /** The steps that are allowed, in their order. */
    async function allowed(of: string): Promise<readonly string[]> {
      const done: string[] = []
      for (const [resource, object] of STEPS) {
        const { status, text } = await suite.world.settled('POST', `/api/v1/namespaces/${of}/${resource}`, object)
        if (status !== 201 && status !== 403) throw new Error(text)
        if (status === 201) done.push(`${resource}/${object.metadata.name}`)
      }
      return done
    }

    test('refuse a group of namespaces at the same point as a ResourceQuota refuses one', async () => {
      const { world } = suite
      await namespace('crq-native', {})
      await world.create(quotasIn('crq-native'), { metadata: { name: 'q' }, spec: { hard: HARD } })
      await world.until(`${quotasIn('crq-native')}/q`, ({ status }) => status?.used?.['count/configmaps'] === '1')
      await namespace('crq-moved', { team: 'crq' })
      await apply('crq', {
        apiVersion: 'quota.openshift.io/v1',
        kind: 'ClusterResourceQuota',
        metadata: { name: 'crq' },
        spec: { selector: { labels: { matchLabels: { team: 'crq' } }, annotations: null }, quota: { hard: HARD } },
      })
      const natively = await allowed('crq-native')
      expect(natively).toContain('pods/d')
      expect(natively).not.toContain('pods/c')
      expect(await allowed('crq-moved')).toEqual(natively)
    })

    test('count in the whole subtree of a namespace, also kinds that only the API server knows', async () => {
      const { world } = suite
      const depth = 'hrq-root.tree.hnc.x-k8s.io/depth'
      await world.server.send('POST', DEFINITIONS, openDefinition('hrq.example.com', 'Crate', openVersions(['v1'])))
      await namespace('hrq-root', { [depth]: '0' })
      await namespace('hrq-child', { [depth]: '1' })
      await eventually(
        () => world.server.send('GET', '/apis/hrq.example.com/v1'),
        ({ status }) => status === 200,
      )
      const quota = {
        apiVersion: 'hnc.x-k8s.io/v1alpha2',
        kind: 'HierarchicalResourceQuota',
        metadata: { name: 'crates', namespace: 'hrq-root' },
        spec: { hard: { 'count/crates.hrq.example.com': '2' } },
      }
      const made = await apply('hrq', quota, '--kubeconfig', suite.server.kubeconfig)
      expect(made).toEqual(['hrq.hrq-root.crates.count--crates.hrq.example.com'])
      const crate = async (at: string, crateName: string) =>
        (
          await world.settled('POST', `/apis/hrq.example.com/v1/namespaces/${at}/crates`, {
            apiVersion: 'hrq.example.com/v1',
            kind: 'Crate',
            metadata: { name: crateName },
          })
        ).status
      expect([await crate('hrq-root', 'a'), await crate('hrq-child', 'b'), await crate('hrq-child', 'c')]).toEqual([
        201, 201, 403,
      ])
    })
  })

describe('what is not carried over', () => {
  test('is named with the reason, in the report too, and the exit code says so', async () => {
    const home = temporaryDirectory()
    const [file, report] = [join(home, 'quotas.yaml'), join(home, 'report.yaml')]
    const selector = { labels: null, annotations: { 'openshift.io/requester': 'alice' } }
    const hard = { pods: '4', 'count/crates.example.com': '2', 'limits.nvidia.com/gpu': '1' }
    const quota = (name: string, spec: object) => ({
      apiVersion: 'quota.openshift.io/v1',
      kind: 'ClusterResourceQuota',
      metadata: { name },
      spec,
      status: { namespaces: [{ namespace: 'alices' }] },
    })
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        quota('alice', { selector, quota: { hard } }),
        quota('owner', { selector: { annotations: { owner: 'a b' } }, quota: { hard } }),
        quota('scoped', {
          selector: { labels: { matchLabels: { a: 'b' } } },
          quota: { hard: { services: '1' }, scopes: ['Terminating'] },
        }),
      ],
    }
    writeFileSync(file, JSON.stringify(list))
    const { code, stdout, stderr } = await runInProcess('', 'migrate', 'crq', file, '--report', report)
    expect(code).toBe(3)
    expect(readManifests('stdout', stdout).map(({ metadata }) => metadata.name)).toEqual(['crq.alice.pods'])
    const lines = stderr.trim().split('\n')
    expect(lines).toEqual([
      'ClusterResourceQuota owner: not carried over: namespaces are selected by labels only, and the annotation owner=a b cannot be a label; give the namespaces a label and select that',
      'ClusterResourceQuota alice: to do: custom quotas select namespaces by labels, not by annotations, so nothing is counted before the namespaces have them: kubectl label namespace alices openshift.io/requester=alice',
      'ClusterResourceQuota alice, count/crates.example.com: not carried over: no kind is known for crates.example.com; --kubeconfig or --context names an API server that serves it',
      'ClusterResourceQuota alice, limits.nvidia.com/gpu: not carried over: limits nothing: no object is charged under this name',
      'ClusterResourceQuota scoped, services: not carried over: limits nothing: what it counts has none of the scopes of the quota',
    ])
    expect((parse(readFileSync(report, 'utf8')) as { shortfalls: readonly object[] }).shortfalls).toHaveLength(5)
  })
})
