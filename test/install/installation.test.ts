import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UNINSTALL_HOOK } from '../../src/install/objects/uninstaller.ts'
import { defaultValues } from '../../src/install/read-values.ts'
import { fillTemplates } from '../../src/install/template/fill.ts'
import { objectsOf, textsOf, valueAt } from '../../src/machinery/read.ts'
import { allObjects } from '../all-objects.ts'
import type { BareServer } from '../bare-server.ts'
import { assets, borrowRealServer } from '../differential/real-server.ts'
import { eventually } from '../eventually.ts'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { over } from '../operator/operated.ts'
import { created } from '../operator/operator-account.ts'
import { GROUP, isTrue, MERGE, PoolWorld, podsIn, POOLS, quotasIn } from '../operator/pool-objects.ts'
import { TcpBalancer } from '../operator/tcp-balancer.ts'
import { mapsIn } from '../operator/custom-quota/quota-world.ts'
import { ROOT, shell } from '../readme/document-shell.ts'
import { shows, steps } from '../readme/transcript.ts'
import { runAllot, startAllot, temporaryDirectory } from '../start-allot.ts'
import { kubeconfigOf, PodProcess } from './pod-process.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const INSTALL = 'node bin/allot.js install'
const APPLY = 'kubectl apply --server-side -f -'
const WAIT = 'kubectl -n allot wait deploy/allot --for=condition=Available --timeout=50s'
const UNINSTALL = 'node bin/allot.js uninstall'
const PAGE = 'docs/tasks/break-glass.md'
const QUOTA = `${quotasIn('team')}/capsule-pool-team`

async function startWithWorkloads(): Promise<BareServer> {
  const allot = await startAllot({ workloads: true })
  return over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
}

const servers = [
  { name: 'allot up', available: true, start: startWithWorkloads },
  {
    name: 'a real API server',
    available: assets !== undefined,
    start: async () => over(await borrowRealServer({ isBare: true })),
  },
]

/** Says that the pods are ready, as a kubelet does: on a real server nothing runs them. */
async function readyPods(server: BareServer): Promise<void> {
  const { items } = (await server.send('GET', podsIn('allot'))).json
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }]
  for (const { metadata } of items)
    await server.send(
      'PATCH',
      `${podsIn('allot')}/${metadata.name}/status`,
      { status: { phase: 'Running', conditions } },
      MERGE,
    )
}

/** Kubernetes 1.20 makes a Secret for each ServiceAccount. */
const hasTokenOf =
  (isOld: boolean) =>
  (secrets: readonly unknown[] | undefined): boolean =>
    !isOld || (secrets ?? []).length > 0

/** Has a quota count all ConfigMaps, which the operator may do because of a role that says so. */
async function countConfigMaps(world: PoolWorld): Promise<void> {
  const labels = { 'allot.dev/aggregate-to-operator': 'true' }
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  await world.create(ROLES, { metadata: { name: 'counts', labels }, rules })
  const quotas = `${GROUP}/globalcustomquotas`
  const sources = [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }]
  await world.create(quotas, {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'GlobalCustomQuota',
    metadata: { name: 'maps' },
    spec: { limit: '1000', sources },
  })
  await world.until(`${quotas}/maps`, (quota) => isTrue(quota, 'Ready') === true)
  await world.delete(`${ROLES}/counts`)
}

/** Does what Helm does before it deletes a release: runs the Job of the chart, as the account that the chart makes for it. */
async function runHook(server: BareServer): Promise<string> {
  const filling = { values: defaultValues(), namespace: 'allot', version: '0.1.0', serves: () => true }
  const [account, role, binding, job] = fillTemplates(UNINSTALL_HOOK, filling)
  const roles = '/apis/rbac.authorization.k8s.io/v1'
  const made: string[] = []
  for (const [path, object] of [
    ['/api/v1/namespaces/allot/serviceaccounts', account],
    [`${roles}/clusterroles`, role],
    [`${roles}/clusterrolebindings`, binding],
  ] as const) {
    await created(server, path, object ?? {})
    made.push(`${path}/allot-uninstall`)
  }
  const [container] = objectsOf(valueAt(job, 'spec', 'template', 'spec', 'containers'))
  const args = textsOf(container?.['args'])
  const kubeconfig = await kubeconfigOf(server, 'allot', 'allot-uninstall')
  const { code, stdout, stderr } = await runAllot(...args, '--kubeconfig', kubeconfig)
  expect([code, stderr]).toEqual([0, ''])
  for (const path of made) await server.send('DELETE', path)
  return stdout
}

for (const { name, available, start } of servers)
  describe(`${name}: an installation`, { concurrent: true, skip: !hasKubectl || !available }, () => {
    test('takes two lines to the first pod that is refused, and goes without leaving anything, object by object', async ({
      expect,
    }) => {
      await using server = await start()
      await using balancer = await TcpBalancer.start()
      const world = new PoolWorld(server)
      const hasToken = hasTokenOf(name !== 'allot up')
      const home = temporaryDirectory()
      const run = async (command: string): Promise<string> => {
        const { code, text } = await shell(`set -o pipefail; ${command}`, { kubeconfig: server.kubeconfig, home })
        if (code !== 0) throw new Error(`${command} ended with ${code}:\n${text}`)
        return text
      }
      const objects = (): Promise<readonly string[]> => allObjects((path) => server.send('GET', path))
      await world.namespace('team')
      // What each namespace gets a moment later.
      await world.until('/api/v1/namespaces/team/configmaps/kube-root-ca.crt', () => true)
      await world.until('/api/v1/namespaces/team/serviceaccounts/default', ({ secrets }) => hasToken(secrets))
      const before = await objects()

      const began = performance.now()
      // The balancer stands for the network of Services, which leads to pods at any port.
      const values = join(home, 'values.yaml')
      writeFileSync(values, `webhooks: {service: {port: ${balancer.port}}}\n`)
      await run(`${INSTALL} --values ${values} | ${APPLY}`)
      await using pod = await PodProcess.start(server, 'allot', 'allot', balancer)
      const kubelet = eventually(
        () => readyPods(server).then(() => server.send('GET', '/apis/apps/v1/namespaces/allot/deployments/allot')),
        ({ json }) => json.status?.availableReplicas === 2,
        { what: 'the replicas are available' },
      )
      await run(WAIT)
      await kubelet
      await pod.operator.ready()
      const pool = (of: string, selected = of): object => ({
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: of },
        spec: {
          selectors: [{ matchLabels: { pool: selected } }],
          config: { defaultsZero: true },
          quota: { hard: { pods: '1' } },
          limitRange: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m' } }] },
        },
      })
      await world.create(POOLS, pool('team'))
      await world.until(QUOTA, ({ status }) => status?.hard?.pods === '0')
      const refused = await server.send('POST', podsIn('team'), {
        metadata: { name: 'one' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      })
      expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining('exceeded quota')])
      console.log(`${name}: from nothing to a refused pod in ${((performance.now() - began) / 1000).toFixed(1)} s`)

      await countConfigMaps(world)
      await world.create(POOLS, pool('stuck', 'team'))
      await world.until(`${POOLS}/stuck`, ({ metadata }) => (metadata.finalizers ?? []).length > 0)

      // Nothing is done while an allot runs whose own objects are elsewhere.
      await expect(run(`${UNINSTALL} --system-namespace elsewhere --crds`)).rejects.toThrow(
        /ended with 1:\nan allot runs \(.*\) that keeps the Lease allot\/allot; name its namespace with --system-namespace=allot, /,
      )

      // The operator is gone, and its Lease looks held: the webhooks refuse what they name, and nothing in its namespace.
      await pod.operator.kill9()
      expect((await server.send('DELETE', `${POOLS}/team`)).status).toBe(200)
      expect((await server.send('POST', POOLS, pool('late'))).status).toBe(500)
      const late = { metadata: { name: 'late' } }
      for (const [namespace, status] of [
        ['team', 500],
        ['allot', 201],
        ['kube-system', 201],
      ] as const)
        expect((await server.send('POST', mapsIn(namespace), late)).status).toBe(status)
      for (const namespace of ['allot', 'kube-system']) await server.send('DELETE', `${mapsIn(namespace)}/late`)

      for (const { command, output, line } of steps(readFileSync(join(ROOT, PAGE), 'utf8'))) {
        const { text } = await shell(command, { kubeconfig: server.kubeconfig, home })
        expect(shows(output, text), `${PAGE}:${line}: ${command}\n${text}`).toBe(true)
      }
      await world.untilGone(`${POOLS}/stuck`)
      await server.send('DELETE', `${mapsIn('team')}/late`)

      expect(await runHook(server)).toContain('resourcequotas/capsule-pool-team in team kept, without its owner\n')
      expect((await server.send('GET', '/apis/apps/v1/namespaces/allot/deployments/allot')).json.spec.replicas).toBe(0)
      // The pool could go, its quota stays, and the CRDs stay.
      await world.untilGone(`${POOLS}/team`)
      for (const kept of [QUOTA, QUOTA.replace('resourcequotas', 'limitranges')])
        expect((await world.read(kept)).metadata.ownerReferences).toBeUndefined()
      expect(await run(`${UNINSTALL} --generated-quotas remove --crds`)).toMatch(/^namespaces\/allot deleted$/m)
      expect(await run(`${UNINSTALL} --generated-quotas remove --crds`)).toBe('')
      const changes = async (): Promise<readonly string[]> => {
        const after = await objects()
        return [
          ...after.filter((one) => !before.includes(one)).map((one) => `+ ${one}`),
          ...before.filter((one) => !after.includes(one)).map((one) => `- ${one}`),
        ]
      }
      await expect.poll(changes, { interval: 250 }).toEqual([])
    })
  })
