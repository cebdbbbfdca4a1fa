import { describe, expect, test } from 'vitest'
import type { Explanation, Remedy } from '../../../src/insight/explain/explanation.ts'
import { assets, borrowRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import { kubeconfigOf } from '../../install/pod-process.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { type BareServer, forSuite, over } from '../../operator/operated.ts'
import { podsIn } from '../../operator/pool-objects.ts'
import { startAllot } from '../../start-allot.ts'

const SERVERS = [
  { name: 'allot up, without its operator', hasNodes: true, available: true, start: () => up() },
  {
    name: 'a real API server, without allot',
    // Nothing becomes ready there, so that a rollout that needs it cannot end.
    hasNodes: false,
    available: assets !== undefined,
    start: async () => over(await borrowRealServer()),
  },
]

async function up(): Promise<BareServer> {
  const allot = await startAllot({ workloads: true })
  return over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
}

type Requests = Readonly<Record<string, string>>
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const PATCH_TYPE = { 'content-type': 'application/strategic-merge-patch+json' }

const patchOf = (memory: string): object => ({
  spec: { template: { spec: { containers: [{ name: 'brewer', resources: { requests: { memory } } }] } } },
})
const deployment = (name: string, replicas: number, memory: string, more: object = {}): object => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'brewer', image: 'registry.example/brewer', resources: { requests: { memory } } }],
      },
    },
    ...more,
  },
})

for (const { name, hasNodes, available, start } of SERVERS)
  describe.skipIf(!available)(`${name}: what judges of public benchmarks ask of explain`, () => {
    const suite = forSuite(start)
    const make = async (path: string, object: object): Promise<void> => {
      const { status, text } = await suite.server.send('POST', path, object)
      expect(status, text).toBe(201)
    }
    const deploymentsIn = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`
    /** A namespace in which its default account may read, and patch Deployments, and nothing else. */
    const given = async (namespace: string, hard: Requests): Promise<string> => {
      await make('/api/v1/namespaces', { metadata: { name: namespace } })
      const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
      await suite.server.until(account, ({ status }) => status === 200)
      const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`
      await make(quotas, { metadata: { name: 'cellar' }, spec: { hard } })
      await suite.server.until(`${quotas}/cellar`, ({ json }) => json.status?.used !== undefined)
      const place = `${RBAC}/namespaces/${namespace}`
      await make(`${place}/roles`, {
        metadata: { name: 'deployer' },
        rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] }],
      })
      for (const [role, kind] of [
        ['deployer', 'Role'],
        ['view', 'ClusterRole'],
      ] as const)
        await make(`${place}/rolebindings`, {
          metadata: { name: role },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
          subjects: [{ kind: 'ServiceAccount', namespace, name: 'default' }],
        })
      return await kubeconfigOf(suite.server, namespace, 'default')
    }
    const pods = (namespace: string, count: number) =>
      eventually(
        () => suite.server.send('GET', podsIn(namespace)),
        ({ json }) =>
          json.items.filter(
            ({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }) =>
              metadata.deletionTimestamp === undefined,
          ).length === count,
        { what: `${count} pods` },
      )
    const blocked = async (kubeconfig: string, namespace: string, cause: string): Promise<readonly Remedy[]> => {
      const { stdout } = await eventually(
        () => runInProcess(kubeconfig, 'explain', 'deployment', 'tap', '-n', namespace, '-o', 'json'),
        ({ stdout: said }) =>
          said !== '' && (JSON.parse(said) as Explanation).causes.map(({ text }) => text).join() === cause,
        { what: cause },
      )
      return (JSON.parse(stdout) as Explanation).remedies
    }
    const patched = async (namespace: string, patch: object): Promise<void> => {
      const { status, text } = await suite.server.send('PATCH', `${deploymentsIn(namespace)}/tap`, patch, PATCH_TYPE)
      expect(status, text).toBe(200)
    }
    /** The patch that a remedy prints, as its reader would send it. */
    const patchIn = ({ command = '' }: Remedy): object =>
      JSON.parse(/--patch '(.*)'$/.exec(command)?.[1] ?? '') as object

    test('without a revision to go back to the amount that fits is what is left', async () => {
      const kubeconfig = await given('brewery', { 'requests.memory': '1000Mi' })
      // Nothing ran before, and nothing older is kept.
      await make(deploymentsIn('brewery'), deployment('tap', 3, '400Mi', { revisionHistoryLimit: 0 }))
      await pods('brewery', 2)
      const remedies = await blocked(
        kubeconfig,
        'brewery',
        'quota cellar: requests.memory 800Mi of 1000Mi used, 400Mi more requested',
      )
      const allowed = remedies.filter((one) => one.allowed === true)
      expect(allowed.map(({ type }) => type)).toEqual(['lower', 'lower'])
      expect(allowed.map(({ command = '' }) => command).join()).not.toContain('undo')
      // 1000Mi for three pods is 349525333 and a third of a byte.
      const whole = allowed.find(({ text }) => text.includes('maxSurge 0'))
      expect(whole?.text).toContain('memory requests of brewer at most 349525333;')
      if (whole === undefined || !hasNodes) return
      await patched('brewery', patchIn(whole))
      await eventually(
        () => runInProcess(kubeconfig, 'explain', 'deployment', 'tap', '-n', 'brewery'),
        ({ code }) => code === 0,
        { what: 'an end' },
      )
      await pods('brewery', 3)
    })

    test('an amount that another object approves is judged to the unit: it fits, and one byte more does not', async () => {
      const kubeconfig = await given('approved', { 'requests.memory': '900Mi' })
      await make('/api/v1/namespaces/approved/configmaps', {
        metadata: { name: 'agreed' },
        data: { 'tap.memory': '314572800' },
      })
      await make(deploymentsIn('approved'), deployment('tap', 3, '512Mi', { strategy: { type: 'Recreate' } }))
      const remedies = await blocked(
        kubeconfig,
        'approved',
        'quota cellar: requests.memory 512Mi of 900Mi used, 1Gi more requested',
      )
      // Explain reads no ConfigMap. Whoever knows what was approved compares it with what fits for all pods that are to run.
      expect(remedies.filter((one) => one.type === 'lower').map(({ text, allowed }) => [text, allowed])).toEqual([
        ['ask for less: memory requests of brewer at most 300Mi; then all 3 pods fit', true],
      ])
      if (!hasNodes) return
      await patched('approved', patchOf('314572801'))
      await blocked(
        kubeconfig,
        'approved',
        'quota cellar: requests.memory 629145602 of 900Mi used, 314572801 more requested',
      )
      await patched('approved', patchOf('314572800'))
      await pods('approved', 3)
      const { code } = await eventually(
        () => runInProcess(kubeconfig, 'explain', 'deployment', 'tap', '-n', 'approved'),
        ({ code: ended }) => ended === 0,
        { what: 'an end' },
      )
      expect(code).toBe(0)
    })

    test('a fix that needs room itself is offered with what makes it go on', async () => {
      const kubeconfig = await given('headroom', { 'requests.memory': '600Mi' })
      const strict = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
      await make(deploymentsIn('headroom'), deployment('tap', 2, '300Mi', strict))
      await pods('headroom', 2)
      if (hasNodes)
        await suite.server.until(`${deploymentsIn('headroom')}/tap`, ({ json }) => json.status?.readyReplicas === 2)
      // The quota is full, so that even a smaller pod has no room beside those that run.
      await patched('headroom', patchOf('200Mi'))
      const remedies = await blocked(
        kubeconfig,
        'headroom',
        'quota cellar: requests.memory 600Mi of 600Mi used, 200Mi more requested',
      )
      const [rollout] = remedies
      expect([rollout?.type, rollout?.allowed]).toEqual(['rollout', true])
      if (rollout === undefined || !hasNodes) return
      await patched('headroom', patchIn(rollout))
      await eventually(
        () => suite.server.send('GET', podsIn('headroom')),
        ({ json }) =>
          json.items.length === 2 &&
          json.items.every(
            ({ spec }: { readonly spec: { readonly containers: readonly { readonly resources: object }[] } }) =>
              JSON.stringify(spec.containers[0]?.resources) === '{"requests":{"memory":"200Mi"}}',
          ),
        { what: 'the new pods' },
      )
    })
  })
