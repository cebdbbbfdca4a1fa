// Covers src/insight/explain/shown-claims.ts, src/insight/top/shown-pool.ts and src/reading/list-rights.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Explanation } from '../../src/insight/explain/explanation.ts'
import { isExplanation } from './explain/asked-explanation.ts'
import { ViewerClient } from '../dashboard/viewer-client.ts'
import { eventually } from '../eventually.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { created } from '../operator/operator-account.ts'
import { GLOBAL_QUOTAS, mapsIn, QuotaWorld } from '../operator/custom-quota/quota-world.ts'
import { forWorld, operatedServers } from '../operator/operated.ts'
import { claimsIn, condition, podsIn, POOLS } from '../operator/pool-objects.ts'
import { temporaryDirectory } from '../start-allot.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const CAPSULE = 'capsule.clastix.io/v1beta2'
const TENANTS = ['a', 'b', 'c', 'd'] as const
/** The amount that each tenant holds. */
const HELD: Readonly<Record<string, number>> = { a: 1, b: 2, c: 4, d: 8 }
/** Who has an object that the quota cannot measure. */
const ODD = ['b', 'c']
const OF_CLUSTER = [
  { apiGroups: ['capsule.clastix.io'], resources: ['globalcustomquotas', 'resourcepools'], verbs: ['get', 'list'] },
]
const POD = { containers: [{ name: 'c', image: 'registry.example/c' }] }
const OF_TENANT = [
  { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs: ['get', 'list'] },
  {
    apiGroups: ['', 'capsule.clastix.io'],
    resources: ['configmaps', 'pods', 'resourcequotas', 'limitranges', 'resourcepoolclaims', 'customquotas'],
    verbs: ['get', 'list'],
  },
]
const LEDGERS = [{ apiGroups: ['capsule.clastix.io'], resources: ['quantityledgers'], verbs: ['list'] }]

interface Viewer {
  readonly name: string
  /** Whose namespaces the viewer may read; the first is the viewer's own. */
  readonly reads: readonly string[]
  readonly readsLedgers: boolean
}

/** Each tenant alone, some at random, and one who reads all but one. */
const VIEWERS: readonly Viewer[] = [
  ...fc.sample(
    fc.record({ reads: fc.shuffledSubarray([...TENANTS], { minLength: 1, maxLength: 3 }), readsLedgers: fc.boolean() }),
    {
      numRuns: 4,
      seed: 32,
    },
  ),
  { reads: ['b'], readsLedgers: true },
  { reads: ['a', 'c', 'd'], readsLedgers: false },
].map((one, index) => ({ ...one, name: `viewer-${index}` }))

for (const [place, { name, available, share }] of operatedServers.entries())
  describe.skipIf(!available)(`${name}: what objects of the cluster tell of other tenants`, () => {
    const suite = forWorld(share, (server) => new QuotaWorld(server))
    const client = new ViewerClient(() => suite.server.dashboardUrl)
    afterAll(() => client[Symbol.asyncDispose]())
    const namespaceOf = (tenant: string): string => `veil${place}${tenant}`

    test('no command names the namespaces and objects of others, whatever rights its caller has [security/names-of-others]', async () => {
      const { server, world } = suite
      const fleet = `fleet-${place}`
      for (const tenant of TENANTS) {
        const namespace = namespaceOf(tenant)
        await world.create('/api/v1/namespaces', { metadata: { name: namespace, labels: { fleet } } })
        const size = String(HELD[tenant])
        await world.create(mapsIn(namespace), { metadata: { name: `held-${namespace}` }, data: { size } })
        await eventually(
          () => server.send('POST', podsIn(namespace), { metadata: { name: `held-${namespace}` }, spec: POD }),
          // A new namespace has no service account yet.
          ({ status }) => status === 201,
          { what: 'a pod' },
        )
        if (ODD.includes(tenant))
          await world.create(mapsIn(namespace), { metadata: { name: `odd-${namespace}` }, data: { size: 'much' } })
      }
      await world.create(GLOBAL_QUOTAS, {
        apiVersion: CAPSULE,
        kind: 'GlobalCustomQuota',
        metadata: { name: fleet },
        spec: {
          limit: '15',
          sources: [
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              op: 'add',
              path: '.data.size',
              selectors: [
                {
                  matchExpressions: [{ key: 'kubernetes.io/x', operator: 'DoesNotExist' }],
                  fieldSelectors: ['.data.size'],
                },
              ],
            },
          ],
          namespaceSelectors: [{ matchLabels: { fleet } }],
        },
      })
      await world.quota(undefined, `${fleet}-pods`, {
        limit: String(TENANTS.length),
        sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }],
        namespaceSelectors: [{ matchLabels: { fleet } }],
      })
      await world.used(`${GLOBAL_QUOTAS}/${fleet}-pods`, String(TENANTS.length))
      await world.create(POOLS, {
        apiVersion: CAPSULE,
        kind: 'ResourcePool',
        metadata: { name: fleet },
        spec: { selectors: [{ matchLabels: { fleet } }], quota: { hard: { secrets: '30' } } },
      })
      for (const tenant of TENANTS) {
        const namespace = namespaceOf(tenant)
        await world.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
          metadata: { name: 'work' },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'work' } },
            template: { metadata: { labels: { app: 'work' } }, spec: POD },
          },
        })
        await world.claim(namespace, `mine-${namespace}`, { secrets: '12' }, fleet)
        await world.until(`${claimsIn(namespace)}/mine-${namespace}`, ({ status }) => status?.conditions !== undefined)
      }
      await world.until(`${GLOBAL_QUOTAS}/${fleet}`, (quota) => {
        const { message = '' } = condition(quota, 'Ready') ?? {}
        return (
          quota.status?.usage?.used === '15' && ODD.every((tenant) => message.includes(`odd-${namespaceOf(tenant)}`))
        )
      })
      await world.until(`${POOLS}/${fleet}`, ({ status }) => status?.waiting?.length === 2)

      const manifest = join(temporaryDirectory(), 'map.json')
      const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wanted' }, data: { size: '3' } }
      writeFileSync(manifest, JSON.stringify(wanted))
      const changed = join(temporaryDirectory(), 'changed.json')
      const quota = await world.read(`${GLOBAL_QUOTAS}/${fleet}`)
      const planned = {
        apiVersion: CAPSULE,
        kind: 'GlobalCustomQuota',
        metadata: { name: fleet },
        spec: { ...quota.spec, limit: '14' },
      }
      writeFileSync(changed, [wanted, planned].map((one) => JSON.stringify(one)).join('\n---\n'))

      const pooled = join(temporaryDirectory(), 'pooled.json')
      const pool = {
        apiVersion: CAPSULE,
        kind: 'ResourcePool',
        metadata: { name: fleet },
        spec: { selectors: [{ matchLabels: { fleet } }], quota: { hard: { secrets: '36' } } },
      }
      writeFileSync(pooled, [wanted, pool].map((one) => JSON.stringify(one)).join('\n---\n'))

      for (const { name: account, reads, readsLedgers } of VIEWERS) {
        const own = namespaceOf(reads[0] ?? '')
        const kubeconfig = await asViewer(account, reads, readsLedgers)
        const hidden = TENANTS.filter((tenant) => !reads.includes(tenant)).map(namespaceOf)
        const commands = [
          `explain -n ${own} -f ${manifest}`,
          `explain -n ${own} -f ${manifest} -o json`,
          `explain -n ${own} -f ${changed} -o json`,
          `simulate -n ${own} -f ${manifest} -o json`,
          `simulate -n ${own} -f ${changed}`,
          `explain -n ${own} -f ${pooled} -o json`,
          `simulate -n ${own} -f ${pooled} -o json`,
          `explain deployment work -n ${own}`,
          `explain deployment work -n ${own} -o json`,
          'top pools',
          'top pools -o json',
          'top quotas -A -o json',
          'top namespaces',
          'top claims -A',
          'doctor --settle 10ms',
          'doctor --settle 10ms -o json',
          `doctor --settle 10ms -n ${own}`,
          'doctor --settle 10ms --support-bundle -',
        ]
        await expectSums(kubeconfig, own, reads, manifest)
        await expectSameOfDashboard(kubeconfig, own, reads, hidden)
        for (const command of commands) {
          const { stdout, stderr } = await runInProcess(kubeconfig, ...command.split(' '))
          const said = `${stdout}${stderr}`
          expect
            .soft([account, command, hidden.filter((one) => said.includes(one)), said.length > 0])
            .toEqual([account, command, [], true])
        }
      }

      await world.delete(`${POOLS}/${fleet}`)
      for (const one of [fleet, `${fleet}-pods`]) await world.delete(`${GLOBAL_QUOTAS}/${one}`)

      /** The dashboard tells its viewer what the command tells. */
      async function expectSameOfDashboard(
        kubeconfig: string,
        own: string,
        reads: readonly string[],
        hidden: readonly string[],
      ): Promise<void> {
        const { users } = parse(readFileSync(kubeconfig, 'utf8')) as {
          readonly users: readonly { readonly user: { readonly token: string } }[]
        }
        const token = users[0]?.user.token ?? ''
        const asked = `/api/v1/explain?namespace=${own}&kind=deployment&name=work`
        for (const path of [asked, `/api/v1/namespaces/${own}`, '/api/v1/pools', '/api/v1/quotas']) {
          const { text } = await client.ask({ path, token })
          expect([path, hidden.filter((one) => text.includes(one)), text.length > 0]).toEqual([path, [], true])
        }
        const { json } = await client.ask({ path: asked, token })
        const { stdout } = await runInProcess(kubeconfig, 'explain', 'deployment', 'work', '-n', own, '-o', 'json')
        expect([isExplanation(JSON.parse(stdout)), isExplanation.errors]).toEqual([true, null])
        const { holders, unseenHolders } = JSON.parse(stdout) as Explanation
        expect([json.holders, json.unseenHolders]).toEqual([holders, unseenHolders])
        expect(holders.map(({ owner }) => owner.name).toSorted()).toEqual(
          reads.map((tenant) => `held-${namespaceOf(tenant)}`).toSorted(),
        )
        const amount = String(TENANTS.length - reads.length)
        expect(unseenHolders).toEqual([
          { budget: `${fleet}-pods`, budgetKind: 'GlobalCustomQuota', resource: 'limit', amount },
        ])
      }

      async function asViewer(account: string, reads: readonly string[], readsLedgers: boolean): Promise<string> {
        const home = namespaceOf(reads[0] ?? '')
        await created(server, `/api/v1/namespaces/${home}/serviceaccounts`, { metadata: { name: account } })
        const subjects = [{ kind: 'ServiceAccount', name: account, namespace: home }]
        const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' }
        const bind = async (id: string, rules: readonly object[], path: string, kind: string): Promise<void> => {
          await world.create(`${RBAC}/clusterroles`, { metadata: { name: id }, rules })
          await world.create(path, { metadata: { name: id }, roleRef: { ...role, name: id }, subjects, kind })
        }
        const id = `${fleet}-${account}`
        const rules = [...OF_CLUSTER, ...(readsLedgers ? LEDGERS : [])]
        await bind(id, rules, `${RBAC}/clusterrolebindings`, 'ClusterRoleBinding')
        for (const tenant of reads)
          await bind(
            `${id}-${tenant}`,
            OF_TENANT,
            `${RBAC}/namespaces/${namespaceOf(tenant)}/rolebindings`,
            'RoleBinding',
          )
        return await kubeconfigOf(server, home, account)
      }

      /** Those of readable namespaces are named, and the rest is a sum. Where an object of the own namespace cannot be measured, that is the cause. */
      async function expectSums(
        kubeconfig: string,
        own: string,
        reads: readonly string[],
        file: string,
      ): Promise<void> {
        const seen = await eventually(
          async () => {
            const { stdout } = await runInProcess(kubeconfig, 'explain', '-n', own, '-f', file, '-o', 'json')
            const [one] = JSON.parse(stdout) as readonly Explanation[]
            return one
          },
          // Bindings of roles take effect a moment later.
          (one) =>
            one?.verdict === 'blocked' && (one.causes[0]?.type === 'undecided' || one.holders.length === reads.length),
          { what: `the holders that a reader of ${reads.join()} may see` },
        )
        if (ODD.includes(reads[0] ?? '')) {
          expect(seen?.causes.map(({ text }) => text).join('\n')).toContain(`odd-${own}`)
          return
        }
        expect(seen?.holders.map(({ owner }) => owner.name).toSorted()).toEqual(
          reads.map((tenant) => `held-${namespaceOf(tenant)}`).toSorted(),
        )
        const rest = TENANTS.filter((tenant) => !reads.includes(tenant)).reduce(
          (sum, tenant) => sum + (HELD[tenant] ?? 0),
          0,
        )
        expect(seen?.unseenHolders).toEqual([
          { budget: fleet, budgetKind: 'GlobalCustomQuota', resource: 'limit', amount: String(rest) },
        ])
      }
    })
  })
