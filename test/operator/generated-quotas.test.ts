import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../src/systems/resource-pool/api/quota-name.ts'
import { eventually } from '../eventually.ts'
import type { Answer } from '../start-allot.ts'
import { type Operated, operatedServers } from './operated.ts'
import { PoolJudge } from './pool/pool-judge.ts'
import { claimsIn, GROUP, isTrue, MERGE, podsIn, POOLS, PoolWorld, quotasIn } from './pool-objects.ts'

const CPU = 'requests.cpu'
const STATUS_HOOK = '/resourcepools/quotas/status/validating'
const quotaOf = (namespace: string, pool = namespace): string => `${quotasIn(namespace)}/${poolQuotaName(pool)}`
const CONTROLLERS = 'system:serviceaccount:kube-system:'
const MASTERS = { 'impersonate-group': 'system:masters' }

// Each test has a pool and a namespace of its own, so all are run at the same time.
for (const { name, available, start } of operatedServers)
  describe(`${name}: quotas of pools`, { concurrent: true, skip: !available }, () => {
    let server: Operated
    let world: PoolWorld
    /** Does the API server know conditions of webhooks? 1.20 does not. */
    const knowsConditions = name === 'allot up'

    beforeAll(async () => {
      server = await start()
      world = new PoolWorld(server)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    /** A pool of 4 CPUs, of which a claim has one in a namespace; all have its name. */
    async function granted(one: string, more: object = {}): Promise<string> {
      await world.namespace(one)
      await world.pool(one, { [CPU]: '4', pods: '200' }, more)
      await world.claim(one, 'one', { [CPU]: '1', pods: '150' })
      await world.until(quotaOf(one), ({ status }) => status?.hard?.[CPU] === '1' && status.used?.[CPU] !== undefined)
      return quotaOf(one)
    }

    const patchAs = (who: string, path: string, body: object): Promise<Answer> =>
      server.send('PATCH', path, body, { ...MERGE, ...MASTERS, 'impersonate-user': who })

    test('only allot may change their limits, when they are made and when they change', async () => {
      const path = await granted('managed')
      const owners = async (): Promise<readonly string[]> =>
        (await world.read(path)).metadata.managedFields
          // Servers before 1.22 do not say through which subresource fields were written.
          .filter(({ fieldsV1 }: { fieldsV1: object }) => 'f:spec' in fieldsV1)
          .map(({ manager, operation }: Record<string, string>) => `${manager} ${operation}`)
      expect(await owners()).toEqual(['allot Update'])
      await world.claim('managed', 'two', { [CPU]: '1' })
      await world.until(path, ({ spec }) => spec.hard[CPU] === '2')
      expect(await owners()).toEqual(['allot Update'])
    })

    test('only controllers that count may write their status; other changes are put back', async () => {
      const path = await granted('counted')
      const raise = { status: { hard: { [CPU]: '100' } } }
      // Where the server knows no conditions the webhook would be asked at every charge, so there is none.
      const answer = await patchAs('somebody', `${path}/status`, raise)
      expect(answer.status).toBe(knowsConditions ? 403 : 200)
      if (knowsConditions) {
        expect(answer.json.message).toContain(
          'the status of the ResourceQuota is kept by the ResourcePool counted and cannot be changed',
        )
        const used = await patchAs('somebody', `${path}/status`, { status: { used: { pods: '7' } } })
        const labels = await patchAs('somebody', `${path}/status`, { metadata: { labels: null } })
        expect([used.status, labels.status]).toEqual([403, 403])
      }
      const counter = await patchAs(`${CONTROLLERS}resourcequota-controller`, `${path}/status`, raise)
      expect([counter.status, counter.json.status.hard[CPU]]).toEqual([200, '100'])
      await world.until(path, ({ status }) => status.hard[CPU] === '1')
    })

    test('no custom quota that counts them keeps them out, or from being lowered [security/counted-quotas]', async () => {
      const namespace = 'self-ruled'
      const source = (kind: string, more: object): object => ({ apiVersion: 'v1', kind, ...more })
      const limited = async (quota: string, ...sources: readonly object[]): Promise<void> => {
        const path = `${GROUP}/namespaces/${namespace}/customquotas`
        await world.create(path, {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'CustomQuota',
          metadata: { name: quota },
          spec: { limit: '1n', sources },
        })
        await world.until(`${path}/${quota}`, (object) => isTrue(object, 'Ready') === true)
      }
      await world.namespace(namespace, 'not-yet')
      await limited('no-quotas', source('ResourceQuota', { op: 'count' }))
      await limited('no-ranges', source('LimitRange', { op: 'count' }))
      const limitRange = { limits: [{ type: 'Container', default: { cpu: '1' } }] }
      await world.pool(namespace, { [CPU]: '4' }, { config: { defaultsZero: true }, limitRange })
      await world.label(namespace, namespace)
      await world.until(quotaOf(namespace), ({ spec }) => spec.hard?.[CPU] === '0')
      await world.until(`/api/v1/namespaces/${namespace}/limitranges`, ({ items }) => items.length === 1)
      // The tenant's own are refused.
      const own = { metadata: { name: 'own' }, spec: { hard: { pods: '1' } } }
      expect((await world.settled('POST', quotasIn(namespace), own)).status).toBe(403)

      await world.claim(namespace, 'one', { [CPU]: '3' })
      await world.until(quotaOf(namespace), ({ spec }) => spec.hard[CPU] === '3')
      await limited(
        'no-less',
        source('ServiceAccount', { op: 'count' }),
        source('ResourceQuota', { op: 'sub', path: `.spec.hard.${CPU.replaceAll('.', String.raw`\.`)}` }),
      )
      await world.delete(`${claimsIn(namespace)}/one`)
      await world.until(quotaOf(namespace), ({ spec }) => spec.hard?.[CPU] === '0')
      await world.claim(namespace, 'two', { [CPU]: '4' })
      await world.until(quotaOf(namespace), ({ spec }) => spec.hard[CPU] === '4')
    })

    test('nobody may fill them up with labels and annotations; what gets in is put back, and room comes back [security/filled-quotas]', async () => {
      const path = await granted('filled')
      const fill = { metadata: { annotations: { padding: 'x'.repeat(250_000) } } }
      const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`l${at}`.padEnd(63, 'x'), '']))
      const answers = [await patchAs('somebody', path, fill), await patchAs('somebody', path, { metadata: { labels } })]
      expect(answers.map(({ status }) => status)).toEqual([403, 403])
      for (const { json } of answers)
        expect(json.message).toMatch(
          /cannot have \d+ bytes of labels and annotations: 16384 are the most; shorten or remove some$/,
        )
      // Collectors may change metadata.
      const filled = await patchAs(`${CONTROLLERS}generic-garbage-collector`, path, fill)
      expect(filled.status).toBe(200)
      await world.delete(`${claimsIn('filled')}/one`)
      const { metadata } = await world.until(path, ({ spec }) => (spec.hard?.[CPU] ?? '0') === '0')
      expect(metadata.annotations?.padding).toBeUndefined()
      await world.until(`${POOLS}/filled`, ({ status }) => status.releasing === undefined)
    })

    test('nobody may fill them up with managers; what gets in is put back, and the limit can still go down [security/filled-quotas]', async () => {
      const path = await granted('managers')
      const entry = (at: number, operation: string, fields: object): object => ({
        manager: `m${at}`.padEnd(120, 'x'),
        operation,
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': fields } },
      })
      const managers = { metadata: { managedFields: many(1500, (at) => entry(at, 'Apply', { 'f:own': {} })) } }
      // A server keeps ten of those that update, so a few own much.
      const fields = Object.fromEntries(many(3000, (at) => [`f:${`l${at}`.padEnd(60, 'x')}`, {}]))
      const owners = { metadata: { managedFields: many(5, (at) => entry(at, 'Update', fields)) } }
      const answers = [await patchAs('somebody', path, managers), await patchAs('somebody', path, owners)]
      expect(answers.map(({ status }) => status)).toEqual([403, 403])
      for (const { json } of answers)
        expect(json.message).toMatch(/cannot have \d+ bytes of managed fields: \d+ are the most/)
      // One manager after another: each apply adds one.
      const applied: number[] = []
      for (let at = 0; at < 200 && !applied.includes(403); at++) {
        const body = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { labels: { [`l${at}`]: 'x' } } }
        const as = { 'content-type': 'application/apply-patch+yaml', ...MASTERS, 'impersonate-user': 'somebody' }
        const manager = `${at}`.padEnd(120, 'x')
        applied.push((await server.send('PATCH', `${path}?fieldManager=${manager}`, body, as)).status)
      }
      expect(new Set(applied)).toEqual(new Set([200, 403]))
      // Collectors may change metadata.
      const filled = await patchAs(`${CONTROLLERS}generic-garbage-collector`, path, managers)
      expect(filled.status).toBe(200)
      await world.until(path, ({ metadata: { managedFields = [] } }) => managedFields.length < 10)
      await world.delete(`${claimsIn('managers')}/one`)
      await world.until(path, ({ spec }) => (spec.hard?.[CPU] ?? '0') === '0')
    })

    // Others would be reviewed meanwhile.
    test('pods are charged without a review', { concurrent: false }, async () => {
      await granted('charged')
      const reviews = async (): Promise<number> => {
        const { body } = await request(`http://127.0.0.1:${server.metricsPort}/metrics`, {
          headers: { authorization: `Bearer ${server.token}` },
        })
        const lines = (await body.text())
          .split('\n')
          .filter((line) => line.startsWith('allot_admission_reviews_total{'))
        expect(lines.some((line) => line.includes('/resourcepools/quotas/validating'))).toBe(true)
        return lines
          .filter((line) => line.includes(STATUS_HOOK))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      }
      const before = await reviews()
      for (let at = 0; at < 100; at++) await world.pod('charged', `p${at}`, { cpu: '1m' })
      await world.until(quotaOf('charged'), ({ status }) => status.used.pods === '100')
      // As API servers elsewhere do it, by a request to themselves.
      const path = `${quotaOf('charged')}/status`
      expect((await patchAs('system:apiserver', path, { status: { used: { pods: '101' } } })).status).toBe(200)
      expect((await reviews()) - before).toBe(0)
      await patchAs('somebody', path, { status: { used: { pods: '1' } } })
      const expected = knowsConditions ? 1 : 0
      expect(await eventually(reviews, (count) => count - before === expected)).toBe(before + expected)
      const { webhooks } = await world.read(`${CONFIGURATIONS}/allot`)
      const paths = webhooks.map(({ clientConfig }: { clientConfig: { url: string } }) =>
        new URL(clientConfig.url).pathname.replace(/\/[^/]*$/, ''),
      )
      expect(paths.includes(STATUS_HOOK)).toBe(knowsConditions)
    })

    test('controllers of the cluster may collect them, and change nothing that they allow', async () => {
      const path = await granted('collected')
      const spec = { spec: { hard: { [CPU]: '100' } } }
      for (const who of [
        'system:apiserver',
        'system:kube-controller-manager',
        `${CONTROLLERS}resourcequota-controller`,
        `${CONTROLLERS}generic-garbage-collector`,
        `${CONTROLLERS}deployment-controller`,
      ])
        expect((await patchAs(who, path, spec)).status, who).toBe(403)
      const { metadata } = await world.read(path)
      const owners = { metadata: { ownerReferences: [{ ...metadata.ownerReferences[0], blockOwnerDeletion: false }] } }
      expect((await patchAs(`${CONTROLLERS}deployment-controller`, path, owners)).status).toBe(403)
      expect((await patchAs(`${CONTROLLERS}generic-garbage-collector`, path, owners)).status).toBe(200)
      const remove = (who: string): Promise<Answer> =>
        server.send('DELETE', path, undefined, { ...MASTERS, 'impersonate-user': who })
      expect((await remove(`${CONTROLLERS}deployment-controller`)).status).toBe(403)
      expect((await remove(`${CONTROLLERS}namespace-controller`)).status).toBe(200)
      await world.until(path, ({ metadata: { uid }, spec: { hard } }) => uid !== metadata.uid && hard?.[CPU] === '1')
    })

    test('they follow the scopes of the pool, and stay as they are while no quota can have those', async () => {
      const judge = new PoolJudge(server)
      const path = await granted('scoped')
      const rescope = (quota: object): Promise<unknown> => world.patch(`${POOLS}/scoped`, { spec: { quota } })
      const { metadata } = await world.read(path)
      // Pods without requests cannot be limited by CPU.
      await rescope({ scopes: ['BestEffort'] })
      expect(await world.notReady(`${POOLS}/scoped`, 'unsupported scope applied to resource')).toBe('Failed')
      expect((await world.read(path)).metadata.uid).toBe(metadata.uid)
      await rescope({ scopes: ['NotTerminating'] })
      const scoped = await world.until(
        path,
        ({ spec, status }) => spec.scopes?.length === 1 && status?.hard?.[CPU] === '1',
      )
      expect(scoped.spec.scopes).toEqual(['NotTerminating'])
      expect(scoped.metadata.ownerReferences).toEqual(metadata.ownerReferences)
      const scopeSelector = {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      }
      await rescope({ scopes: null, scopeSelector })
      await world.until(
        path,
        ({ spec, status }) =>
          spec.scopes === undefined && spec.scopeSelector !== undefined && status?.hard?.[CPU] === '1',
      )
      await world.until(`${POOLS}/scoped`, (pool) => isTrue(pool, 'Ready') === true)
      expect((await judge.verdict()).filter((wrong) => wrong.startsWith('scoped '))).toEqual([])
    })

    test('amounts below 0 are refused, and the field that has one is named', async () => {
      await granted('positive')
      const problemsOf = async (method: string, path: string, body: object): Promise<readonly unknown[]> => {
        const { status, json } = await server.send(method, path, body, method === 'PATCH' ? MERGE : {})
        return [status, json.message, json.details?.causes]
      }
      const wrong = (hook: string, what: string, field: string, value: string) => [
        422,
        `admission webhook "${hook}.validating.projectcapsule.dev" denied the request: ${what} is invalid: ${field}: Invalid value: "${value}": must be greater than or equal to 0`,
        [
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: "${value}": must be greater than or equal to 0`,
            field,
          },
        ],
      ]
      const pool = { kind: 'ResourcePool', apiVersion: 'capsule.clastix.io/v1beta2', metadata: { name: 'below' } }
      const aPool = 'ResourcePool.capsule.clastix.io "below"'
      expect(await problemsOf('POST', POOLS, { ...pool, spec: { quota: { hard: { [CPU]: '-1000m' } } } })).toEqual(
        wrong('resourcepools', aPool, `spec.quota.hard[${CPU}]`, '-1'),
      )
      expect(await problemsOf('POST', POOLS, { ...pool, spec: { quota: {}, defaults: { pods: -2 } } })).toEqual(
        wrong('resourcepools', aPool, 'spec.defaults[pods]', '-2'),
      )
      const claim = { kind: 'ResourcePoolClaim', apiVersion: pool.apiVersion, metadata: { name: 'below' } }
      const aClaim = (one: string): string => `ResourcePoolClaim.capsule.clastix.io "${one}"`
      const spec = { pool: 'positive', claim: { [CPU]: '-1' } }
      expect(await problemsOf('POST', claimsIn('positive'), { ...claim, spec })).toEqual(
        wrong('resourcepoolclaims', aClaim('below'), `spec.claim[${CPU}]`, '-1'),
      )
      expect(await problemsOf('PATCH', `${claimsIn('positive')}/one`, { spec })).toEqual(
        wrong('resourcepoolclaims', aClaim('one'), `spec.claim[${CPU}]`, '-1'),
      )
      expect(await problemsOf('PATCH', `${POOLS}/positive`, { spec: { quota: { hard: { pods: '-1' } } } })).toEqual(
        wrong('resourcepools', 'ResourcePool.capsule.clastix.io "positive"', 'spec.quota.hard[pods]', '-1'),
      )
      expect((await server.send('GET', podsIn('positive'))).status).toBe(200)
    })
  })

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const many = <T>(count: number, of: (at: number) => T): readonly T[] => Array.from({ length: count }, (_, at) => of(at))
