import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { operatedServers } from '../operated.ts'
import { quotasIn as customQuotasIn } from '../custom-quota/quota-world.ts'
import { condition, MERGE, quotasIn } from '../pool-objects.ts'
import { bindingsIn, deployed, forKarmada, kquotasIn } from './karmada-world.ts'

const REFUSED = 'admission webhook "quota.karmada.io" denied the request: '
const CPU = { cpu: '1' }
const KIND = { apiVersion: 'quota.karmada.io/v1alpha1', kind: 'KarmadaQuota' }

for (const { name, available, share } of operatedServers)
  describe(`${name}: KarmadaQuotas`, { concurrent: true, skip: !available }, () => {
    const suite = forKarmada(share)

    test('a binding that exceeds a limit over all clusters is refused as Karmada expects it, until room is given back', async () => {
      const { world } = suite
      await world.namespace('kq-cpu')
      await world.quota('kq-cpu', 'q', { cpu: '10', 'requests.memory': '20Gi', pods: '30' })
      const of = (replicas: number) =>
        deployed({ requests: { ...CPU, memory: '512Mi' }, clusters: { a: replicas, b: 1 } })
      expect((await world.bind('kq-cpu', 'one', of(5))).status).toBe(201)
      // The usage moves with the admission.
      expect((await world.read(`${kquotasIn('kq-cpu')}/q`)).status).toMatchObject({
        hard: { cpu: '10', 'requests.memory': '20Gi', pods: '30' },
        used: { cpu: '6', 'requests.memory': '3Gi', pods: '6' },
      })
      const refused = await world.bind('kq-cpu', 'two', of(4))
      expect(refused.json).toMatchObject({
        code: 403,
        reason: 'QuotaExceeded',
        message: `${REFUSED}exceeded quota: q, requested: cpu=5, used: cpu=6, limited: cpu=10`,
      })
      expect((await world.bind('kq-cpu', 'two', of(4), '?dryRun=All')).status).toBe(403)
      expect((await world.bind('kq-cpu', 'two', of(3), '?dryRun=All')).status).toBe(201)
      await world.delete(`${bindingsIn('kq-cpu')}/one`)
      await world.used('kq-cpu', 'q', { cpu: '0', pods: '0' })
      expect((await world.bind('kq-cpu', 'two', of(4))).status).toBe(201)
      await world.used('kq-cpu', 'q', { cpu: '5', pods: '5' })
    })

    test('a binding that a ResourceQuota refuses raises no usage, and the refusal names the quotas of both kinds', async () => {
      const { world } = suite
      await world.namespace('kq-native')
      const COUNT = 'count/resourcebindings.work.karmada.io'
      const native = { metadata: { name: 'native' }, spec: { hard: { [COUNT]: '1' } } }
      await world.create(quotasIn('kq-native'), native)
      // The controller of Kubernetes 1.20 counts kinds that are defined later after a minute.
      const status = { hard: { [COUNT]: '1' }, used: { [COUNT]: '0' } }
      await world.patch(`${quotasIn('kq-native')}/native/status`, { status })
      await world.quota('kq-native', 'q', { cpu: '4' })
      const of = (replicas: number) => deployed({ requests: CPU, clusters: { a: replicas } })
      expect((await world.bind('kq-native', 'one', of(1))).status).toBe(201)
      const exceeded = `exceeded quota: native, requested: ${COUNT}=1, used: ${COUNT}=1, limited: ${COUNT}=1`
      const refused = await world.bind('kq-native', 'two', of(3))
      expect(refused.json).toMatchObject({
        reason: 'Forbidden',
        message: `${REFUSED}resourcebindings.work.karmada.io "two" is forbidden: ${exceeded}`,
      })
      expect((await world.read(`${kquotasIn('kq-native')}/q`)).status.used).toEqual({ cpu: '1' })
      const both = await world.bind('kq-native', 'two', of(4))
      expect(both.json).toMatchObject({
        reason: 'QuotaExceeded',
        message: `${REFUSED}exceeded quota: q, requested: cpu=4, used: cpu=1, limited: cpu=4; ${exceeded}`,
      })
    })

    test('a binding that brings a limit near its end is warned of it', async () => {
      const { world } = suite
      await world.namespace('kq-warned')
      await world.quota('kq-warned', 'q', { cpu: '10', memory: '10Gi' })
      const first = await world.bind('kq-warned', 'one', deployed({ requests: CPU, replicas: 7 }))
      expect([first.status, first.headers['warning']]).toEqual([201, undefined])
      await world.used('kq-warned', 'q', { cpu: '7' })
      const second = await world.bind('kq-warned', 'two', deployed({ requests: CPU, replicas: 2 }))
      const text = 'KarmadaQuota kq-warned/q has reached 90 % of its limit of cpu: used 9 of 10'
      expect([second.status, second.headers['warning']]).toEqual([201, expect.stringContaining(text)])
    })

    test('a binding that a custom quota refuses raises no usage, one that a KarmadaQuota refuses holds no room of custom quotas, and refusals name both', async () => {
      const { world } = suite
      const sources = [{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', op: 'count' }]
      const custom = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'CustomQuota', metadata: { name: 'count' } }
      const one = deployed({ requests: CPU, replicas: 1 })
      const burst = async (namespace: string, prefix: string, count: number) => {
        const all = Array.from({ length: count }, (_, at) => world.bind(namespace, `${prefix}${at}`, one))
        return (await Promise.all(all)).map(({ status }) => status).toSorted((a, b) => a - b)
      }
      for (const [namespace, cpu, limit] of [
        ['kq-custom', '10', '3'],
        ['kq-karmada', '3', '10'],
      ] as const) {
        await world.namespace(namespace)
        await world.quota(namespace, 'q', { cpu })
        await world.create(customQuotasIn(namespace), { ...custom, spec: { limit, sources } })
        await world.until(`${customQuotasIn(namespace)}/count`, (quota) => condition(quota, 'Ready')?.status === 'True')
        const codes = await burst(namespace, 'first', 20)
        expect(codes).toEqual([201, 201, 201, ...Array.from({ length: 17 }, () => 403)])
        // Whatever was held in vain would be in the way now, for more than a minute.
        const refusing = cpu === '3' ? `${kquotasIn(namespace)}/q` : `${customQuotasIn(namespace)}/count`
        const more = cpu === '3' ? { spec: { hard: { cpu: '10' } } } : { spec: { limit: '10' } }
        await world.patch(refusing, more)
        await world.until(refusing, ({ status }) => status?.usage?.available === '7' || status?.hard?.cpu === '10')
        expect(await burst(namespace, 'second', 7)).toEqual(Array.from({ length: 7 }, () => 201))
        const refused = await world.bind(namespace, 'too-many', one)
        expect(refused.json.reason).toBe('QuotaExceeded')
        expect(refused.json.message).toContain(
          'limit for CustomQuota "count" (requested=1, currentUsed=10, available=0, ',
        )
        expect(refused.json.message).toContain(
          'also refused by KarmadaQuotas: exceeded quota: q, requested: cpu=1, used: cpu=10, limited: cpu=10',
        )
      }
    })

    test('the declared replicas of a binding are charged until it is scheduled, and its replicas in all clusters after that', async () => {
      const { world } = suite
      await world.namespace('kq-scheduled')
      await world.quota('kq-scheduled', 'q', { cpu: '6' })
      const path = `${bindingsIn('kq-scheduled')}/web`
      expect((await world.bind('kq-scheduled', 'web', deployed({ requests: CPU, replicas: 3 }))).status).toBe(201)
      expect((await world.read(`${kquotasIn('kq-scheduled')}/q`)).status.used).toEqual({ cpu: '3' })
      const onto = (...clusters: string[]) => ({
        spec: { clusters: clusters.map((one) => ({ name: one, replicas: 3 })) },
      })
      const refused = await world.server.send('PATCH', path, onto('a', 'b', 'c'), MERGE)
      expect(refused.json).toMatchObject({
        reason: 'QuotaExceeded',
        message: `${REFUSED}exceeded quota: q, requested: cpu=6, used: cpu=3, limited: cpu=6`,
      })
      await world.patch(path, onto('a', 'b'))
      expect((await world.read(`${kquotasIn('kq-scheduled')}/q`)).status.used).toEqual({ cpu: '6' })
      // A lower cost is always allowed, also over a limit that was lowered.
      await world.patch(`${kquotasIn('kq-scheduled')}/q`, { spec: { hard: { cpu: '1' } } })
      await world.patch(path, onto('a'))
      await world.used('kq-scheduled', 'q', { cpu: '3' })
      await world.until(`${kquotasIn('kq-scheduled')}/q`, ({ status }) => status.hard.cpu === '1')
    })

    test('replicas that a placement duplicates are charged for each cluster, and given back where the scheduler cannot place them', async () => {
      const { world } = suite
      await world.namespace('kq-duplicated')
      await world.quota('kq-duplicated', 'q', { cpu: '30' })
      const path = `${bindingsIn('kq-duplicated')}/web`
      const onto = (...names: string[]) => ({
        placement: {
          clusterAffinity: { clusterNames: names },
          replicaScheduling: { replicaSchedulingType: 'Duplicated' },
        },
      })
      const placed = (replicas: number, ...names: string[]) => ({
        spec: { clusters: names.map((one) => ({ name: one, replicas })) },
      })
      const exceeded = (requested: number, used: number) =>
        `${REFUSED}exceeded quota: q, requested: cpu=${requested}, used: cpu=${used}, limited: cpu=30`
      const web = { ...deployed({ requests: { cpu: '5' }, replicas: 2 }), ...onto('a', 'b') }
      expect((await world.bind('kq-duplicated', 'web', web)).status).toBe(201)
      expect((await world.read(`${kquotasIn('kq-duplicated')}/q`)).status.used).toEqual({ cpu: '20' })
      await world.patch(path, placed(2, 'a', 'b'))
      // As Karmada's detector scales a workload: refused at once, not when the scheduler follows.
      const scaled = await world.server.send('PATCH', path, { spec: { replicas: 6 } }, MERGE)
      expect(scaled.json).toMatchObject({ reason: 'QuotaExceeded', message: exceeded(40, 20) })
      await world.patch(path, { spec: { replicas: 3 } })
      await world.used('kq-duplicated', 'q', { cpu: '30' })
      // The scheduler finds another cluster, and says that it was refused.
      const refused = await world.server.send('PATCH', path, placed(3, 'a', 'b', 'c'), MERGE)
      expect(refused.json).toMatchObject({ reason: 'QuotaExceeded', message: exceeded(15, 30) })
      const said = (status: string, reason: string) => ({
        status: { conditions: [{ type: 'Scheduled', status, reason, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      })
      await world.patch(`${path}/status`, said('False', 'QuotaExceeded'))
      await world.used('kq-duplicated', 'q', { cpu: '20' })
      // Somebody else takes what is free, so that the next try is refused too, whatever the status says meanwhile.
      const other = deployed({ requests: { cpu: '10' }, clusters: { a: 1 } })
      expect((await world.bind('kq-duplicated', 'other', other)).status).toBe(201)
      await world.patch(`${path}/status`, said('True', 'Success'))
      await world.used('kq-duplicated', 'q', { cpu: '40' })
      const late = await world.server.send('PATCH', path, placed(3, 'a', 'b'), MERGE)
      expect(late.json).toMatchObject({ reason: 'QuotaExceeded', message: exceeded(10, 40) })
      await world.patch(`${path}/status`, said('False', 'QuotaExceeded'))
      await world.used('kq-duplicated', 'q', { cpu: '30' })
      await world.delete(`${bindingsIn('kq-duplicated')}/other`)
      await world.used('kq-duplicated', 'q', { cpu: '20' })
      await world.patch(path, placed(3, 'a', 'b'))
      await world.patch(`${path}/status`, said('True', 'Success'))
      await world.used('kq-duplicated', 'q', { cpu: '30' })
    })

    test('a change of the PriorityClass moves usage from one quota to the other, or is refused', async () => {
      const { world } = suite
      await world.namespace('kq-class')
      const only = (operator: string, ...values: string[]) => ({
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
      })
      await world.quota('kq-class', 'high', { cpu: '1' }, only('In', 'high'))
      await world.quota('kq-class', 'low', { cpu: '5' }, only('NotIn', 'high'))
      await world.quota('kq-class', 'some', { pods: '9' }, { scopes: ['PriorityClass'] })
      const path = `${bindingsIn('kq-class')}/web`
      const of = (priorityClassName: string, replicas: number) =>
        deployed({ requests: CPU, priorityClassName, clusters: { a: replicas } })
      expect((await world.bind('kq-class', 'web', of('low', 2))).status).toBe(201)
      await world.used('kq-class', 'low', { cpu: '2' })
      await world.used('kq-class', 'some', { pods: '2' })
      const refused = await world.server.send('PATCH', path, { spec: of('high', 2) }, MERGE)
      expect(refused.json.message).toBe(`${REFUSED}exceeded quota: high, requested: cpu=2, used: cpu=0, limited: cpu=1`)
      await world.patch(path, { spec: of('high', 1) })
      await world.used('kq-class', 'high', { cpu: '1' })
      await world.used('kq-class', 'low', { cpu: '0' })
      await world.used('kq-class', 'some', { pods: '1' })
    })

    test('the components of a binding are charged in each of its clusters, by qualified names and by each operator of a scope', async () => {
      const { world } = suite
      await world.namespace('kq-components')
      const classes = (operator: string) => ({
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator }] },
      })
      const hard = { cpu: '12', 'example.com/gpu': '6', 'requests.example.com/gpu': '9', pods: '10' }
      await world.quota('kq-components', 'all', hard)
      await world.quota('kq-components', 'classed', { cpu: '8' }, classes('Exists'))
      await world.quota('kq-components', 'classless', { pods: '2' }, classes('DoesNotExist'))
      const flink = (tasks: number) => ({
        resource: { apiVersion: 'flink.apache.org/v1beta1', kind: 'FlinkDeployment', name: 'flink' },
        components: [
          { name: 'job', replicas: 1, replicaRequirements: { resourceRequest: CPU } },
          {
            name: 'task',
            replicas: tasks,
            replicaRequirements: { resourceRequest: { cpu: '2', 'example.com/gpu': '1' }, priorityClassName: 'high' },
          },
        ],
        clusters: [{ name: 'a' }, { name: 'b' }],
      })
      expect((await world.bind('kq-components', 'flink', flink(2))).status).toBe(201)
      await world.used('kq-components', 'all', {
        cpu: '10',
        'example.com/gpu': '4',
        'requests.example.com/gpu': '4',
        pods: '6',
      })
      await world.used('kq-components', 'classed', { cpu: '8' })
      await world.used('kq-components', 'classless', { pods: '2' })
      const more = await world.server.send(
        'PATCH',
        `${bindingsIn('kq-components')}/flink`,
        { spec: { components: flink(3).components } },
        MERGE,
      )
      expect(more.json.message).toBe(
        `${REFUSED}exceeded quota: all, requested: cpu=4, used: cpu=10, limited: cpu=12; exceeded quota: classed, requested: cpu=4, used: cpu=8, limited: cpu=8`,
      )
      const on = (requests: Readonly<Record<string, string>>, priorityClassName?: string) =>
        deployed({ requests, clusters: { a: 1 }, ...(priorityClassName && { priorityClassName }) })
      const refusals = {
        'all, requested: example.com/gpu=3, used: example.com/gpu=4, limited: example.com/gpu=6': on(
          { 'example.com/gpu': '3' },
          'high',
        ),
        'classed, requested: cpu=1, used: cpu=8, limited: cpu=8': on(CPU, 'low'),
        'classless, requested: pods=1, used: pods=2, limited: pods=2': on(CPU),
      }
      for (const [text, spec] of Object.entries(refusals)) {
        const { json } = await world.bind('kq-components', 'other', spec)
        expect(json.message).toBe(`${REFUSED}exceeded quota: ${text}`)
      }
      expect((await world.bind('kq-components', 'other', on({ 'example.com/gpu': '2' }, 'high'))).status).toBe(201)
    })

    test('fields that a binding leaves out make no pods free: the larger of what it says is charged', async () => {
      const { world } = suite
      await world.namespace('kq-larger')
      await world.quota('kq-larger', 'q', { cpu: '6', pods: '6' })
      const path = `${bindingsIn('kq-larger')}/web`
      const nowhere = [{ name: 'a' }, { name: 'b' }]
      const exceeded = (count: number, used: number) =>
        `${REFUSED}exceeded quota: q, requested: cpu=${count},pods=${count}, used: cpu=${used},pods=${used}, limited: cpu=6,pods=6`
      const web = (replicas: number, more: object) => ({ ...deployed({ requests: CPU, replicas }), ...more })
      const copies = await world.bind('kq-larger', 'web', web(4, { clusters: nowhere }))
      expect(copies.json).toMatchObject({ reason: 'QuotaExceeded', message: exceeded(8, 0) })
      const empty = { components: [{ name: 'task', replicas: 0 }], clusters: [] }
      expect((await world.bind('kq-larger', 'web', web(7, empty))).json.message).toBe(exceeded(7, 0))
      const cluster = { name: 'a', components: [{ name: 'task', replicas: 7 }] }
      const components = [{ name: 'task', replicas: 1, replicaRequirements: { resourceRequest: CPU } }]
      const parts = { ...deployed({}), components, clusters: [cluster] }
      expect((await world.bind('kq-larger', 'web', parts)).json.message).toBe(exceeded(7, 0))
      expect((await world.bind('kq-larger', 'web', web(3, { clusters: nowhere }))).status).toBe(201)
      await world.used('kq-larger', 'q', { cpu: '6', pods: '6' })
      const raised = await world.server.send('PATCH', path, { spec: { replicas: 4 } }, MERGE)
      expect(raised.json.message).toBe(exceeded(2, 6))
      await world.patch(path, { spec: { clusters: [{ name: 'a', replicas: 1 }] } })
      await world.used('kq-larger', 'q', { cpu: '3', pods: '3' })
    })

    test('of creates of one name at the same time one is stored, and none of the others holds room', async () => {
      const { world } = suite
      await world.namespace('kq-race')
      await world.quota('kq-race', 'q', { cpu: '20' })
      const creates = [1, 2, 3, 4, 5].map((cpu) =>
        world.bind('kq-race', 'web', deployed({ requests: { cpu: String(cpu) }, clusters: { a: 1 } })),
      )
      const statuses = (await Promise.all(creates)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => ![201, 409, 429].includes(status))).toEqual([])
      await world.delete(`${bindingsIn('kq-race')}/web`)
      await world.used('kq-race', 'q', { cpu: '0' })
    })

    test('objects are counted once, however many clusters they are propagated to', async () => {
      const { world } = suite
      await world.namespace('kq-objects')
      await world.quota('kq-objects', 'q', {
        services: '1',
        secrets: '1',
        'count/configmaps': '1',
        'count/deployments.apps': '1',
      })
      const of = (apiVersion: string, kind: string) => ({
        resource: { apiVersion, kind, name: 'one' },
        clusters: [{ name: 'a' }, { name: 'b' }],
      })
      expect((await world.bind('kq-objects', 'service', of('v1', 'Service'))).status).toBe(201)
      expect((await world.bind('kq-objects', 'map', of('v1', 'ConfigMap'))).status).toBe(201)
      expect((await world.bind('kq-objects', 'web', of('apps/v1', 'Deployment'))).status).toBe(201)
      expect((await world.bind('kq-objects', 'secret', of('v1', 'Secret'))).status).toBe(201)
      for (const [kind, limit] of [
        ['Service', 'services'],
        ['Secret', 'secrets'],
      ] as const) {
        const refused = await world.bind('kq-objects', 'more', of('v1', kind))
        expect(refused.json.message).toBe(
          `${REFUSED}exceeded quota: q, requested: ${limit}=1, used: ${limit}=1, limited: ${limit}=1`,
        )
      }
    })

    test('limits that bindings give no account of are refused when the quota is written', async () => {
      const { world } = suite
      await world.namespace('kq-invalid')
      const write = (spec: object) =>
        world.server.send('POST', kquotasIn('kq-invalid'), { ...KIND, metadata: { name: 'q' }, spec })
      for (const spec of [
        { hard: { 'limits.cpu': '1' } },
        { hard: { configmaps: '1' } },
        { hard: { pods: '1' }, scopes: ['BestEffort'] },
        { hard: { services: '1' }, scopes: ['PriorityClass'] },
        { hard: { pods: '-1' } },
      ])
        expect((await write(spec)).status).toBe(422)
    })

    test('nobody but the operator writes the status, and bindings that were there before a quota are counted', async () => {
      const { world } = suite
      await world.namespace('kq-status')
      expect((await world.bind('kq-status', 'web', deployed({ requests: CPU, clusters: { a: 4 } }))).status).toBe(201)
      await world.quota('kq-status', 'q', { cpu: '5' })
      await world.used('kq-status', 'q', { cpu: '4' })
      const path = `${kquotasIn('kq-status')}/q`
      await world.server.send('PATCH', `${path}/status`, { status: { used: { cpu: '0' } } }, MERGE)
      await world.used('kq-status', 'q', { cpu: '4' })
      expect((await world.bind('kq-status', 'more', deployed({ requests: CPU, clusters: { a: 2 } }))).status).toBe(403)
    })
  })

// Older API servers know no conditions of webhooks, which the operator's own writes are left out by.
for (const { name, share } of operatedServers.filter((one) => one.name === 'allot up'))
  describe(`${name}: KarmadaQuotas`, () => {
    const suite = forKarmada(share)

    test('a write of the status by somebody else is refused, also of the ledger in it', async () => {
      const { world, server } = suite
      await world.namespace('kq-guard')
      await world.quota('kq-guard', 'q', CPU)
      const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/kq-guard'
      await world.create(`${rbac}/roles`, {
        metadata: { name: 'status' },
        rules: [{ apiGroups: ['quota.karmada.io'], resources: ['karmadaquotas/status'], verbs: ['patch'] }],
      })
      await world.create(`${rbac}/rolebindings`, {
        metadata: { name: 'status' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'status' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }],
      })
      const write = (status: object) =>
        server.send(
          'PATCH',
          `${kquotasIn('kq-guard')}/q/status`,
          { status },
          { ...MERGE, 'impersonate-user': 'tenant' },
        )
      for (const status of [{ used: { cpu: '-5' } }, { hard: { cpu: '9' } }, { outstanding: '' }]) {
        // The operator learns its own name with its first webhook.
        const { json } = await eventually(
          () => write(status),
          (answer) => answer.status !== 200,
        )
        expect([json.code, json.message]).toEqual([
          403,
          'admission webhook "karmadaquotas-status.validating.allot.dev" denied the request: the status of the KarmadaQuota "q" is its ledger, which only allot may write',
        ])
      }
    })
  })
