import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { personaRoles } from '../../../src/install/rbac/persona-roles.ts'
import { eventually } from '../../eventually.ts'
import { kubeconfigOf } from '../../install/pod-process.ts'
import { runProgram } from '../../../src/cli/allot-program.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { created } from '../../operator/operator-account.ts'
import { untilCounted, untilRefused } from '../../operator/enforced-quota.ts'
import { forWorld, operatedServers } from '../../operator/operated.ts'
import { KarmadaWorld, deployed } from '../../operator/karmada-quota/karmada-world.ts'
import { QuotaWorld } from '../../operator/custom-quota/quota-world.ts'
import { claimsIn, podsIn, POOLS } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { explained, namespaceForPods } from './asked-explanation.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const EVERYTHING = { claims: true, increases: true, customQuotas: true }
const definitions = join(temporaryDirectory(), 'definitions.yaml')
const BASE = {
  name: 'berths',
  selector: { matchLabels: { berths: 'few' } },
  mode: 'cumulative',
  template: { spec: { hard: { pods: '1' } } },
}
writeFileSync(definitions, JSON.stringify({ quotas: [BASE] }))

const PODS = [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }]
const ARGS = ['--quota-definitions', definitions]

type Requests = Readonly<Record<string, string>>

const workload = (replicas: number, requests: Requests = {}, spec: object = {}) => ({
  metadata: { name: 'ferry' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'ferry' } },
    template: {
      metadata: { labels: { app: 'ferry' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'ferry', image: 'registry.example/ferry', resources: { requests } }],
      },
    },
    ...spec,
  },
})

const podOf = (requests: Requests): object => ({
  metadata: { name: 'tried' },
  spec: { containers: [{ name: 'ferry', image: 'registry.example/ferry', resources: { requests } }] },
})

/** A workload or a request that a tenant waits for. */
interface Wait {
  readonly title: string
  readonly labels?: Readonly<Record<string, string>>
  readonly given: (world: Worlds, namespace: string) => Promise<void>
  readonly asked: readonly [kind: string, name: string]
  readonly cause: RegExp
  /** What solves it. */
  readonly remedy?: string
}

interface Worlds {
  readonly custom: QuotaWorld
  readonly karmada: KarmadaWorld
}

const deploy = async (
  { custom }: Worlds,
  namespace: string,
  object: ReturnType<typeof workload>,
  pods: number,
): Promise<void> => {
  await custom.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, object)
  await custom.server.until(podsIn(namespace), ({ json }) => json.items.length === pods)
}

/** As `deploy`, for a quota that the API server enforces: it counts the pods that it has room for before any is refused. */
async function overfill(
  worlds: Worlds,
  namespace: string,
  { replicas, room }: { readonly replicas: number; readonly room: number },
): Promise<void> {
  const { custom } = worlds
  await deploy(worlds, namespace, workload(room), room)
  await untilCounted(custom.server, namespace, 'pods', `${room}`)
  await custom.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/ferry`, { spec: { replicas } })
}

const poolOf = (name: string, hard: Requests, config: object = {}) => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePool',
  metadata: { name },
  spec: { selectors: [{ matchLabels: { pool: name } }], quota: { hard }, config },
})

const WAITS: readonly Wait[] = [
  {
    title: 'a pool that is used up',
    given: async (worlds, namespace) => {
      await worlds.custom.create(POOLS, poolOf(namespace, { pods: '2' }))
      await worlds.custom.claim(namespace, 'one', { pods: '1' }, namespace)
      await worlds.custom.allocated(namespace, 'one')
      await overfill(worlds, namespace, { replicas: 2, room: 1 })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota \S+: pods 1 of 1 used, 1 more requested$/,
    remedy: 'claim',
  },
  {
    title: 'a custom quota',
    given: async (worlds, namespace) => {
      await worlds.custom.quota(namespace, 'crew', { limit: '3', sources: PODS })
      await deploy(worlds, namespace, workload(5), 3)
    },
    asked: ['deployment', 'ferry'],
    cause: /^CustomQuota crew: 3 of 3 used, 2 more requested$/,
    remedy: 'raise',
  },
  {
    title: 'a global quota that another namespace holds',
    labels: { fleet: 'north' },
    given: async (worlds, namespace) => {
      const spec = { limit: '2', sources: PODS, namespaceSelectors: [{ matchLabels: { fleet: 'north' } }] }
      await worlds.custom.create('/api/v1/namespaces', {
        metadata: { name: `${namespace}-other`, labels: { fleet: 'north' } },
      })
      await worlds.custom.quota(undefined, 'north', spec)
      await deploy(worlds, `${namespace}-other`, workload(2), 2)
      await deploy(worlds, namespace, workload(1), 0)
    },
    asked: ['deployment', 'ferry'],
    cause: /^the API server said: .*GlobalCustomQuota "north" \(requested=1, currentUsed=2, available=0, limit=2/,
  },
  {
    title: 'requests that a quota demands',
    given: async (worlds, namespace) => {
      await worlds.custom.create(`/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'strict' },
        spec: { hard: { 'requests.cpu': '2' } },
      })
      await untilRefused(worlds.custom.server, namespace, podOf({}))
      await deploy(worlds, namespace, workload(1), 0)
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota strict: each container must specify requests\.cpu \(missing in ferry\)$/,
  },
  {
    title: 'a rollout without room for one more',
    given: async (worlds, namespace) => {
      const rolling = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
      await worlds.custom.create(`/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'exact' },
        spec: { hard: { 'requests.cpu': '600m' } },
      })
      await untilRefused(worlds.custom.server, namespace, podOf({ cpu: '700m' }))
      await deploy(worlds, namespace, workload(2, { cpu: '300m' }, rolling), 2)
      await untilCounted(worlds.custom.server, namespace, 'requests.cpu', '600m')
      await worlds.custom.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/ferry`, {
        spec: { template: { metadata: { annotations: { built: 'again' } } } },
      })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota exact: requests\.cpu 600m of 600m used, 300m more requested$/,
    remedy: 'rollout',
  },
  {
    title: 'a claim behind another in an ordered queue',
    given: async ({ custom }, namespace) => {
      await custom.create(POOLS, poolOf(namespace, { pods: '4' }, { orderedQueue: true }))
      await custom.claim(namespace, 'first', { pods: '3' }, namespace)
      await custom.allocated(namespace, 'first')
      await custom.claim(namespace, 'second', { pods: '2' }, namespace)
      await custom.until(`${claimsIn(namespace)}/second`, ({ status }) => status?.waiting !== undefined)
      await custom.claim(namespace, 'third', { pods: '1' }, namespace)
    },
    asked: ['resourcepoolclaim', 'third'],
    cause: /; it has place 2 in the queue$/,
  },
  {
    title: 'a federated quota',
    given: async ({ karmada }, namespace) => {
      await karmada.quota(namespace, 'federation', { 'requests.cpu': '2' })
      const pods = { requests: { cpu: '500m' }, replicas: 6 }
      const refused = await karmada.bind(namespace, 'ferry-deployment', deployed(pods, 'ferry'))
      expect([refused.status, refused.json.reason]).toEqual([403, 'QuotaExceeded'])
      // Karmada marks what a policy propagates, and tries again.
      const { metadata, spec } = workload(6, { cpu: '500m' })
      const labels = { 'propagationpolicy.karmada.io/permanent-id': 'aa' }
      await karmada.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
        metadata: { ...metadata, labels },
        spec,
      })
    },
    asked: ['deployment', 'ferry'],
    cause: /^KarmadaQuota federation: requests\.cpu 0 of 2 used, 3 more requested$/,
    remedy: 'raise',
  },
  {
    title: 'an increase that nobody has requested',
    labels: { berths: 'few' },
    given: async (worlds, namespace) => {
      await untilCounted(worlds.custom.server, namespace, 'pods', '0')
      await overfill(worlds, namespace, { replicas: 3, room: 1 })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota \S+: pods 1 of 1 used, 2 more requested$/,
    remedy: 'increase',
  },
]

for (const { name, available, start } of operatedServers)
  describe.skipIf(!available)(`${name}: a tenant with the role admin in one namespace`, () => {
    const suite = forWorld(
      () => start({ workloads: true, args: ARGS }),
      async (server) => {
        const karmada = new KarmadaWorld(server)
        await karmada.define()
        for (const role of personaRoles(EVERYTHING))
          await server.send(
            'PATCH',
            `${RBAC}/clusterroles/${role.metadata.name}?fieldManager=t&force=true`,
            role,
            APPLY,
          )
        return { custom: new QuotaWorld(server), karmada }
      },
    )

    test.concurrent.each(WAITS.map((wait, index) => ({ ...wait, index })))(
      'understands with one command: $title [32/tenant]',
      async ({ index, labels = {}, given, asked, cause, remedy }) => {
        const { server, world } = suite
        const namespace = `tenant-${index}`
        await namespaceForPods(server, namespace, { pool: namespace, ...labels })
        await created(server, `${RBAC}/namespaces/${namespace}/rolebindings`, {
          metadata: { name: 'tenant' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
          subjects: [{ kind: 'ServiceAccount', namespace, name: 'default' }],
        })
        const kubeconfig = await kubeconfigOf(server, namespace, 'default')
        await given(world, namespace)
        const { code, said } = await eventually(
          () => explained(kubeconfig, ...asked),
          (one) => cause.test(one.said?.causes[0]?.text ?? ''),
          { what: `the cause ${cause.source}` },
        )
        expect([code, said?.causes.length]).toEqual([3, 1])
        if (remedy !== undefined) expect(said?.remedies.map(({ type }) => type)).toContain(remedy)
        // Nothing of another namespace is shown but what the refusal itself tells everybody.
        expect(JSON.stringify(said)).not.toContain(`${namespace}-other`)
      },
    )

    test('says how a custom quota on a field of a custom resource judges manifests, one after the other [32/custom-field]', async () => {
      const { world, server } = suite
      const namespace = 'fields'
      await world.custom.create('/api/v1/namespaces', { metadata: { name: namespace } })
      const source = { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', path: '.spec.replicas' }
      await world.custom.quota(namespace, 'berths', { limit: '10', sources: [source] })
      const file = join(temporaryDirectory(), 'bindings.yaml')
      const planned = ['first', 'second'].map((name) => ({
        apiVersion: source.apiVersion,
        kind: source.kind,
        metadata: { name },
        spec: deployed({ replicas: 7 }, name),
      }))
      writeFileSync(file, planned.map((one) => JSON.stringify(one)).join('\n---\n'))
      const of = [server.kubeconfig, '-n', namespace, '-f', file] as const
      const { code, said } = await explained<readonly Explanation[]>(...of)
      expect([code, said?.map(({ verdict }) => verdict)]).toEqual([3, ['clear', 'blocked']])
      expect(said?.[1]?.causes.map(({ text }) => text)).toEqual(['CustomQuota berths: 7 of 10 used, 7 more requested'])
      expect(said?.[1]?.wanted[0]?.costs).toEqual([
        { resource: 'CustomQuota berths', amount: '7', sources: [{ container: '', amount: '7', from: 'spec' }] },
      ])
    })

    test('reads on top what is used, nearest to the limit first, and the queue of a pool [32/top]', async () => {
      const { kubeconfig } = suite.server
      const quotas = await eventually(
        () => runInProcess(kubeconfig, 'top', '-A', '-o', 'json'),
        ({ stdout }) => /"crew"/.test(stdout) && /"north"/.test(stdout) && /"federation"/.test(stdout),
        { what: 'the quotas of all systems' },
      )
      const rows = JSON.parse(quotas.stdout) as readonly { readonly fill: string; readonly name: string }[]
      const ranks = rows.map(({ fill }) => ['over', 'full', 'room', 'unknown'].indexOf(fill))
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      expect(rows.find((row) => row.name === 'crew')).toMatchObject({ kind: 'CustomQuota', fill: 'full', percent: 100 })
      const pools = await runInProcess(kubeconfig, 'top', 'pools')
      expect(pools.stdout).toMatch(/pool tenant-5: claims with their amounts: 1, waiting: 2/)
      expect(pools.stdout).toMatch(/1 {6}tenant-5\/second +WaitingForRoom/)
      const claims = await runInProcess(kubeconfig, 'top', 'claims', '-n', 'tenant-5')
      expect(claims.stdout).toMatch(/tenant-5 +second +tenant-5 +waiting +no +pods 2 +1 /)
      const over = new AbortController()
      let printed = ''
      const watching = runProgram(['top', '-n', 'tenant-1', '--watch', '--interval', '20ms'], {
        out: (text) => void (printed += text),
        err: (text) => void (printed += text),
        environment: { KUBECONFIG: kubeconfig },
        stop: over.signal,
      })
      await eventually(
        () => printed,
        (text) => text.includes('3     3 '),
        { what: 'the first table' },
      )
      await suite.world.custom.patch('/apis/capsule.clastix.io/v1beta2/namespaces/tenant-1/customquotas/crew', {
        spec: { limit: '4000' },
      })
      await eventually(
        () => printed,
        (text) => /\n\nNAMESPACE[^]* 4k /.test(text),
        { what: 'a table with the new limit' },
      )
      over.abort()
      expect(await watching).toBe(0)
      const namespaces = await runInProcess(kubeconfig, 'top', 'namespaces')
      expect(namespaces.stdout).toMatch(/tenant-3 +1 +0 +ResourceQuota\/strict requests\.cpu +0 +2 +\[\.{20}\] 0 %/)
    })
  })
