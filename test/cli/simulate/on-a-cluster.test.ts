import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { Simulation } from '../../../src/insight/simulate/simulation.ts'
import { eventually } from '../../eventually.ts'
import { kubeconfigOf } from '../../install/pod-process.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { forSuite, operatedServers } from '../../operator/operated.ts'
import { created } from '../../operator/operator-account.ts'
import { claimsIn, POOLS, quotasIn } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'

const SCHEMA = readFileSync(new URL('../../../schemas/simulate.schema.json', import.meta.url), 'utf8')
const isSimulation = new Ajv2020().compile(JSON.parse(SCHEMA) as object)

const CHANGES = `
apiVersion: capsule.clastix.io/v1beta2
kind: ResourcePoolClaim
metadata: {name: second}
spec: {pool: planned, claim: {requests.cpu: "2"}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: counted}
spec: {hard: {pods: "1"}}
---
apiVersion: v1
kind: Pod
metadata: {name: unmeasured}
spec: {containers: [{name: app, image: app}]}
---
apiVersion: v1
kind: Pod
metadata: {name: nobodys}
spec: {serviceAccountName: nobody, containers: [{name: app, image: app}]}
`

/**
 * Writes a first test, and expects it to be whole but for the quotas that count in all namespaces: tests of other files have such on the same
 * server. Gives the lines about these.
 */
async function leftOut(kubeconfig: string, folder: string, namespace: string): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(kubeconfig, 'test', '--init', folder, '-n', namespace)
  const [wrote, ...lines] = stdout.trim().split('\n')
  expect([wrote, stderr]).toEqual([expect.stringContaining('wrote '), ''])
  expect(lines.filter((line) => !line.startsWith('left out: GlobalCustomQuota '))).toEqual([])
  expect(code).toBe(lines.length === 0 ? 0 : 3)
  return lines.join('\n')
}

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot simulate`, () => {
    const suite = forSuite(share)

    test('tells of a cluster what would come of changes, and writes nothing; a first test of it passes', async () => {
      const { world, server } = suite
      await world.namespace('planning', 'planned')
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: 'planned' },
        spec: { selectors: [{ matchLabels: { pool: 'planned' } }], quota: { hard: { 'requests.cpu': '3' } } },
      })
      await world.claim('planning', 'first', { 'requests.cpu': '2' }, 'planned')
      await world.until(`${claimsIn('planning')}/first`, ({ status }) => status?.pool?.name === 'planned')
      await world.until(
        `${quotasIn('planning')}/capsule-pool-planned`,
        ({ status }) => status?.hard?.['requests.cpu'] === '2',
      )
      const folder = temporaryDirectory()
      const file = join(folder, 'changes.yaml')
      writeFileSync(file, CHANGES)
      const { code, stdout, stderr } = await runInProcess(
        server.kubeconfig,
        'simulate',
        '-n',
        'planning',
        '-f',
        file,
        '-o',
        'json',
      )
      if (stdout === '') throw new Error(stderr)
      const said = JSON.parse(stdout) as Simulation
      expect([isSimulation(said), isSimulation.errors]).toEqual([true, null])
      expect([code, said.verdict, said.changes.map(({ result }) => result)]).toEqual([
        3,
        'refused',
        ['created', 'created', 'refused', 'refused'],
      ])
      const account = 'error looking up service account planning/nobody: serviceaccount "nobody" not found'
      expect(said.changes[3]?.message).toBe(`pods "nobodys" is forbidden: ${account}`)
      expect(said.changes[2]?.message).toContain(
        'failed quota: capsule-pool-planned: must specify requests.cpu for: app',
      )
      expect(said.claims).toMatchObject([{ name: 'second', after: { state: 'waiting', pool: 'planned', position: 1 } }])
      expect(said.quotas.map((one) => [one.name, one.change])).toContainEqual(['counted', 'created'])
      const { items } = (await world.read(quotasIn('planning'))) as { readonly items: readonly unknown[] }
      expect(items).toHaveLength(1)

      const tests = join(folder, 'planning')
      // It does not count in this namespace.
      await created(server, '/apis/capsule.clastix.io/v1beta2/globalcustomquotas', {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'GlobalCustomQuota',
        metadata: { name: 'planned-elsewhere' },
        spec: {
          limit: '1',
          sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }],
          namespaceSelectors: [{ matchLabels: { planned: 'elsewhere' } }],
        },
      })
      expect(await leftOut(server.kubeconfig, tests, 'planning')).not.toContain('planned-elsewhere')
      expect(await runInProcess('/nowhere', 'test', tests)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('1 passed, 0 failed'),
      })
      expect(readFileSync(join(tests, 'quota-test.yaml'), 'utf8')).toContain('state: allocated')
      await world.delete(`${POOLS}/planned`)
    })

    test('a finished Job makes no pods, and its pods count as objects, in a first test that passes, and is unchanged as the server shows it', async () => {
      const { world, server } = suite
      await world.namespace('jobs', 'jobs')
      await created(server, '/api/v1/namespaces/jobs/resourcequotas', {
        metadata: { name: 'counted' },
        spec: { hard: { pods: '5', 'count/jobs.batch': '5', 'count/pods': '5' } },
      })
      const path = '/apis/batch/v1/namespaces/jobs/jobs'
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app' }] } }
      // Kubernetes 1.20 knows no `suspend`, and a controller may run there.
      for (const name of ['done', 'idle'])
        await created(server, path, { metadata: { name }, spec: { suspend: true, parallelism: 0, template } })
      const status = {
        conditions: [{ type: 'Complete', status: 'True' }],
        startTime: '2026-01-01T00:00:00Z',
        completionTime: '2026-01-01T00:00:01Z',
        succeeded: 1,
      }
      const isDone = { spec: { suspend: false, parallelism: 1 } }
      const merge = { 'content-type': 'application/merge-patch+json' }
      for (const [at, patch] of [
        [`${path}/done/status`, { status }],
        [`${path}/done`, isDone],
      ] as const)
        expect(await server.send('PATCH', at, patch, merge)).toMatchObject({ status: 200 })
      const { json: job } = await server.send('GET', `${path}/done`)
      const { uid } = (job as KubeObject).metadata
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'done', uid, controller: true }]
      const pods = '/api/v1/namespaces/jobs/pods'
      await created(server, pods, { metadata: { name: 'done-a', ownerReferences }, spec: template.spec })
      expect(
        await server.send('PATCH', `${pods}/done-a/status`, { status: { phase: 'Succeeded' } }, merge),
      ).toMatchObject({
        status: 200,
      })
      await world.until(
        `${quotasIn('jobs')}/counted`,
        ({ status: one }) =>
          one?.used?.['count/jobs.batch'] === '2' && one.used['count/pods'] === '1' && one.used.pods === '0',
      )
      const shown = join(temporaryDirectory(), 'shown.json')
      writeFileSync(shown, JSON.stringify((await server.send('GET', `${path}/done`)).json))
      const again = await runInProcess(server.kubeconfig, 'simulate', '-n', 'jobs', '-f', shown, '-o', 'json')
      if (again.stdout === '') throw new Error(again.stderr)
      const { changes } = JSON.parse(again.stdout) as Simulation
      expect(changes.map(({ result, message }) => [result, message])).toEqual([['unchanged', undefined]])
      const folder = join(temporaryDirectory(), 'jobs')
      await leftOut(server.kubeconfig, folder, 'jobs')
      expect(readFileSync(join(folder, 'given.yaml'), 'utf8')).not.toContain('controller-uid')
      const ran = await runInProcess('/nowhere', 'test', folder)
      expect(ran, ran.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed, 0 failed') })
    })

    test('--init writes no test of what the caller may not read, and names what is not in one', async () => {
      const { world, server } = suite
      await world.namespace('unread', 'unread')
      await created(server, '/api/v1/namespaces/unread/resourcequotas', {
        metadata: { name: 'counted' },
        spec: { hard: { configmaps: '5' } },
      })
      const kubeconfig = await kubeconfigOf(server, 'unread', 'default')
      const folder = join(temporaryDirectory(), 'unread')
      const blind = await runInProcess(kubeconfig, 'test', '--init', folder, '-n', 'unread')
      expect(blind).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not seen: resourcequotas: you may not list them'),
      })
      expect(existsSync(folder)).toBe(false)
      await created(server, '/apis/rbac.authorization.k8s.io/v1/namespaces/unread/roles', {
        metadata: { name: 'quotas' },
        rules: [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['list'] }],
      })
      await created(server, '/apis/rbac.authorization.k8s.io/v1/namespaces/unread/rolebindings', {
        metadata: { name: 'quotas' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'quotas' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'unread', name: 'default' }],
      })
      for (const name of ['first', 'second'])
        await created(server, '/api/v1/namespaces/unread/configmaps', { metadata: { name } })
      await world.until(`${quotasIn('unread')}/counted`, ({ status }) => Number(status?.used?.['configmaps']) >= 2)
      // Nobody but the caller can say that the right has come.
      const some = await eventually(
        () => runInProcess(kubeconfig, 'test', '--init', folder, '-n', 'unread'),
        ({ code }) => code !== 1,
        { what: 'the right to read' },
      )
      expect(some.code).toBe(3)
      expect(some.stdout).toContain('differs from the cluster: quota counted: used configmaps is "1", expected ')
      expect(some.stdout).toContain('not seen: pods: you may not list them')
      expect(readFileSync(join(folder, 'quota-test.yaml'), 'utf8')).toContain('counted')
    })
  })
