import { describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../../src/systems/resource-pool/api/quota-name.ts'
import { eventually } from '../../eventually.ts'
import { TlsServer } from '../../kube/tls-server.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, condition, isTrue, podsIn, POOLS, type PoolWorld, quotasIn } from '../pool-objects.ts'

const CPU = 'requests.cpu'
const MEMORY = 'requests.memory'
/** As whom `allot up` runs its operator; elsewhere it is the administrator of the tests. */
const OPERATOR = {
  'impersonate-user': 'system:serviceaccount:allot-system:allot',
  'impersonate-group': 'system:masters',
}
const RELEASE = 'projectcapsule.dev/release'
const quotaOf = (namespace: string, pool: string): string => `${quotasIn(namespace)}/${poolQuotaName(pool)}`
/** How often nothing may have changed before it counts as settled. */
const QUIET_READS = 20

// Each test has a pool and namespaces of its own, on a server that other files share, so all are run at the same time.
for (const { name, available, share } of operatedServers)
  describe(`${name}: pools do better`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    test('a pool says what the server refuses, and heals by itself', async () => {
      await suite.world.namespace('healing')
      await using refusing = await TlsServer.start((_request, response, body) => {
        const { uid } = JSON.parse(body).request
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({ ...REVIEW, response: { uid, allowed: false, status: { message: 'no quotas today' } } }),
        )
      })
      await suite.world.create(HOOKS, hookAt(refusing, 'healing'))
      await eventually(
        () => suite.server.send('POST', `${quotasIn('healing')}?dryRun=All`, quota('probe')),
        ({ status }) => status !== 201,
      )
      await suite.world.pool('healing', { [CPU]: '2' })
      expect(await suite.world.notReady(`${POOLS}/healing`, 'no quotas today')).toBe('Failed')
      await suite.world.delete(`${HOOKS}/refusing`)
      await suite.world.until(`${POOLS}/healing`, (pool) => isTrue(pool, 'Ready') === true)
      await suite.world.read(quotaOf('healing', 'healing'))
    })

    test('a settled pool is not written again, also while claims wait for many resources', async () => {
      const resources = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `count/${letter}.example.com`)
      const each = (amount: string): Record<string, string> => Object.fromEntries(resources.map((one) => [one, amount]))
      await suite.world.namespace('settled')
      await suite.world.pool('settled', each('4'), { config: { orderedQueue: true } })
      await suite.world.claim('settled', 'one', each('3'))
      await suite.world.until(`${claimsIn('settled')}/one`, (object) => isTrue(object, 'Bound') === false)
      for (const claim of ['two', 'three']) {
        await suite.world.claim('settled', claim, each('2'))
        await suite.world.until(`${claimsIn('settled')}/${claim}`, (object) => isTrue(object, 'Exhausted') === true)
      }
      const paths = [`${POOLS}/settled`, ...['one', 'two', 'three'].map((claim) => `${claimsIn('settled')}/${claim}`)]
      const versions = async (): Promise<string> =>
        (await Promise.all(paths.map((path) => suite.world.read(path))))
          .map(({ metadata }) => metadata.resourceVersion)
          .join()
      const before = await quiet(versions)
      // Something else of the namespace makes the operator look at all of them again.
      await suite.world.patch('/api/v1/namespaces/settled', { metadata: { labels: { other: 'yes' } } })
      expect(await quiet(versions)).toBe(before)
    })

    test('a claim rejected for a missing resource is taken when the pool has it', async () => {
      await suite.world.namespace('missing')
      await suite.world.pool('missing', { [CPU]: '2' })
      await suite.world.claim('missing', 'one', { [MEMORY]: '1Gi' }, 'missing')
      expect(
        await suite.world.notReady(`${claimsIn('missing')}/one`, `resource ${MEMORY} is not available in pool missing`),
      ).toBe('Failed')
      await suite.world.patch(`${POOLS}/missing`, { spec: { quota: { hard: { [MEMORY]: '1Gi' } } } })
      expect(isTrue(await suite.world.allocated('missing', 'one'), 'Ready')).toBe(true)
    })

    test.each([
      ['dots', 'berth.harbour.example.com'],
      ['253 characters', `${'harbour.'.repeat(31)}north`],
    ])('names with %s are names as others', async (what, pool) => {
      const namespace = `named-${what.replaceAll(' ', '-')}`
      const claim = pool.slice(0, 253)
      await suite.world.namespace(namespace)
      await suite.world.pool(pool, { [CPU]: '2' }, {}, namespace)
      await suite.world.claim(namespace, claim, { [CPU]: '1' })
      expect((await suite.world.allocated(namespace, claim)).status.pool.name).toBe(pool)
      const { metadata, spec } = await suite.world.until(
        quotaOf(namespace, pool),
        ({ spec: { hard } }) => hard?.[CPU] === '1',
      )
      expect(spec.hard).toEqual({ [CPU]: '1' })
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'ResourcePool', name: pool }])
      await suite.world.delete(`${POOLS}/${pool}`)
      await suite.world.untilGone(quotaOf(namespace, pool))
      await suite.world.untilGone(`${POOLS}/${pool}`)
    })

    test('a claim that gets the room it waited for has an event', async () => {
      await suite.world.namespace('freed')
      await suite.world.pool('freed', { [CPU]: '2' })
      await suite.world.claim('freed', 'first', { [CPU]: '2' })
      await suite.world.allocated('freed', 'first')
      await suite.world.claim('freed', 'next', { [CPU]: '1' })
      await suite.world.until(`${claimsIn('freed')}/next`, (claim) => isTrue(claim, 'Exhausted') === true)
      await suite.world.delete(`${claimsIn('freed')}/first`)
      await suite.world.allocated('freed', 'next')
      const { items } = await suite.world.until('/apis/events.k8s.io/v1/namespaces/freed/events', ({ items: events }) =>
        events.some(({ reason }: { readonly reason: string }) => reason === 'Allocated'),
      )
      expect(items.find(({ reason }: { readonly reason: string }) => reason === 'Allocated')).toMatchObject({
        type: 'Normal',
        regarding: { kind: 'ResourcePoolClaim', namespace: 'freed', name: 'next' },
        related: { kind: 'ResourcePool', name: 'freed' },
        note: `claim got the room in resourcepool freed that it waited for: ${CPU}`,
      })
    })

    test('a claim whose pods run is neither deleted, nor shrunk, nor released', async () => {
      const claim = `${claimsIn('used')}/one`
      await suite.world.namespace('used')
      await suite.world.pool('used', { [CPU]: '2' })
      await suite.world.claim('used', 'one', { [CPU]: '1' })
      await enforced(suite.world, 'used', 'used', '1')
      await suite.world.pod('used', 'user', { cpu: '800m' })
      // At once, though the claim may not say yet that it is used.
      expect(await suite.world.refused('DELETE', claim)).toContain(
        'cannot delete the pool while claim is used in resourcepool used',
      )
      const changed = 'cannot change the requested resources while claim is allocated to a resourcepool used'
      expect(await suite.world.refused('PATCH', claim, { spec: { claim: { [CPU]: '500m' } } })).toContain(changed)
      expect(await suite.world.refused('PATCH', claim, { spec: { pool: 'other' } })).toContain(changed)
      expect(await suite.world.refused('PATCH', claim, { metadata: { annotations: { [RELEASE]: 'true' } } })).toContain(
        'cannot release the claim while it is used in resourcepool used',
      )
      await suite.world.until(claim, (object) => isTrue(object, 'Bound') === true)
      expect(await suite.world.refused('DELETE', claim)).toContain('cannot delete')
      await suite.world.delete(`${podsIn('used')}/user?gracePeriodSeconds=0`)
      await suite.world.until(claim, (object) => isTrue(object, 'Bound') === false)
      await suite.world.delete(claim)
      await suite.world.untilGone(claim)
    })

    test('an unused claim gives back what it has when asked, and queues again', async () => {
      const path = (claim: string): string => `${claimsIn('released')}/${claim}`
      await suite.world.namespace('released')
      await suite.world.pool('released', { [CPU]: '2' })
      await suite.world.claim('released', 'first', { [CPU]: '2' })
      await suite.world.allocated('released', 'first')
      await suite.world.claim('released', 'second', { [CPU]: '2' })
      await suite.world.until(path('second'), (claim) => isTrue(claim, 'Exhausted') === true)
      await suite.world.patch(path('first'), { metadata: { annotations: { [RELEASE]: 'true' } } })
      const again = await suite.world.until(
        path('first'),
        ({ metadata }) => metadata.annotations?.[RELEASE] === undefined,
      )
      expect(again.status.pool.name).toBe('released')
      // The room is on its way back until the server no longer allows it, and then one of them has it.
      const settled = await suite.world.until(
        `${POOLS}/released`,
        ({ status }) => status.releasing === undefined && Object.values(status.claims ?? {}).flat().length > 0,
      )
      expect(Object.values(settled.status.claims).flat()).toHaveLength(1)
      expect(settled.status.allocation.available).toEqual({ [CPU]: '0' })
    })

    test('claims without a pool go to one that appears, the oldest first, and to one that gets what they ask for', async () => {
      await suite.world.namespace('waiting')
      await suite.world.claim('waiting', 'older', { [CPU]: '2' })
      // Times of creation are whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1100))
      await suite.world.claim('waiting', 'newer', { [CPU]: '2' })
      await suite.world.claim('waiting', 'other', { [MEMORY]: '1Gi' })
      expect(await suite.world.notReady(`${claimsIn('waiting')}/older`, 'no pool reference was defined')).toBe('Failed')
      await suite.world.pool('waiting', { [CPU]: '2' })
      await suite.world.allocated('waiting', 'older')
      await suite.world.until(`${claimsIn('waiting')}/older`, (claim) => claim.spec.pool === 'waiting')
      await suite.world.until(`${claimsIn('waiting')}/newer`, (claim) => isTrue(claim, 'Exhausted') === true)
      await suite.world.patch(`${POOLS}/waiting`, { spec: { quota: { hard: { [CPU]: '4', [MEMORY]: '1Gi' } } } })
      await suite.world.allocated('waiting', 'newer')
      await suite.world.allocated('waiting', 'other')
      await suite.world.until(`${claimsIn('waiting')}/other`, (claim) => claim.spec.pool === 'waiting')
    })

    test('a claim that is there before the pool it names is taken when the pool comes', async () => {
      await suite.world.namespace('early')
      await suite.world.claim('early', 'one', { [CPU]: '1' }, 'early')
      expect(
        await suite.world.notReady(`${claimsIn('early')}/one`, 'ResourcePool.capsule.clastix.io "early" not found'),
      ).toBe('Failed')
      await suite.world.pool('early', { [CPU]: '2' })
      await suite.world.allocated('early', 'one')
    })

    test('a namespace takes its claims out of a pool, and back in, with its label', async () => {
      await suite.world.namespace('moving')
      await suite.world.pool('moving', { [CPU]: '2' })
      await suite.world.claim('moving', 'one', { [CPU]: '1' })
      await enforced(suite.world, 'moving', 'moving', '1')
      await suite.world.label('moving', 'elsewhere')
      await suite.world.untilGone(quotaOf('moving', 'moving'))
      // The amounts that the namespace could use are given to others only when the quota is known to be gone.
      const { status } = await suite.world.until(
        `${POOLS}/moving`,
        (pool) => pool.status.allocation.available[CPU] === '2',
      )
      expect([status.claimCount, status.namespaceCount]).toEqual([0, 0])
      const out = await suite.world.until(`${claimsIn('moving')}/one`, (claim) => claim.status.pool === undefined)
      expect(condition(out, 'Ready')).toMatchObject({ status: 'False', message: 'resourcepool not available' })
      await suite.world.label('moving', 'moving')
      await suite.world.allocated('moving', 'one')
      await enforced(suite.world, 'moving', 'moving', '1')
    })

    test('the quota of a pool that is edited, stripped of its labels or deleted by hand is put back', async () => {
      const path = quotaOf('edited', 'edited')
      await suite.world.namespace('edited')
      await suite.world.pool('edited', { [CPU]: '2' })
      await suite.world.claim('edited', 'one', { [CPU]: '1' })
      await enforced(suite.world, 'edited', 'edited', '1')
      const { metadata } = await suite.world.read(path)
      const change = async (method: string, body?: object): Promise<void> => {
        // In the operator's own name, which it lets pass, as it lets everybody pass while it is away.
        const headers = { ...(name === 'allot up' ? OPERATOR : {}), 'content-type': 'application/merge-patch+json' }
        const { status, text } = await suite.server.send(method, path, body, headers)
        expect(status, text).toBe(200)
      }
      await change('PATCH', { spec: { hard: { [CPU]: '100' } } })
      await suite.world.until(path, ({ spec }) => spec.hard[CPU] === '1')
      const stripped = Object.fromEntries(Object.keys(metadata.labels).map((label) => [label, null]))
      await change('PATCH', { metadata: { labels: stripped } })
      const labelled = await suite.world.until(path, (quota) => quota.metadata.labels !== undefined)
      expect(labelled.metadata.labels).toEqual(metadata.labels)
      await change('DELETE')
      const back = await suite.world.until(
        path,
        (quota) => quota.metadata.uid !== metadata.uid && quota.spec.hard?.[CPU] === '1',
      )
      expect(back.metadata.labels).toEqual(metadata.labels)
    })

    test('tenants may neither change nor delete the quota of a pool', async () => {
      const path = quotaOf('guarded', 'guarded')
      await suite.world.namespace('guarded')
      await suite.world.pool('guarded', { [CPU]: '2' })
      await suite.world.claim('guarded', 'one', { [CPU]: '1' })
      await enforced(suite.world, 'guarded', 'guarded', '1')
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
      await suite.world.create('/apis/rbac.authorization.k8s.io/v1/namespaces/guarded/rolebindings', {
        metadata: { name: 'tenant' },
        roleRef,
        subjects: [{ apiGroup: roleRef.apiGroup, kind: 'User', name: 'tenant' }],
      })
      const tenant = { 'impersonate-user': 'tenant' }
      await suite.world.untilAllowed(path, tenant)
      const deleted = await suite.server.send('DELETE', path, undefined, tenant)
      expect([deleted.status, deleted.json.message]).toEqual([403, expect.stringContaining('cannot be deleted')])
      const merge = { ...tenant, 'content-type': 'application/merge-patch+json' }
      const changed = await suite.server.send('PATCH', path, { spec: { hard: { [CPU]: '9' } } }, merge)
      expect([changed.status, changed.json.message]).toEqual([403, expect.stringContaining('cannot be changed')])
      expect((await suite.server.send('PATCH', path, { metadata: { labels: { own: 'yes' } } }, merge)).status).toBe(200)
    })

    test('two pools on one namespace both limit it, each for its claims', async () => {
      await suite.world.namespace('shared')
      await suite.world.pool('shared-cpu', { [CPU]: '2' }, {}, 'shared')
      await suite.world.pool('shared-memory', { [MEMORY]: '2Gi' }, {}, 'shared')
      expect((await suite.world.claim('shared', 'cpu', { [CPU]: '1' })).spec.pool).toBe('shared-cpu')
      expect((await suite.world.claim('shared', 'memory', { [MEMORY]: '1Gi' })).spec.pool).toBe('shared-memory')
      await enforced(suite.world, 'shared', 'shared-cpu', '1')
      await suite.world.until(quotaOf('shared', 'shared-memory'), ({ status }) => status?.hard?.[MEMORY] === '1Gi')
      await eventually(
        () => suite.server.send('POST', podsIn('shared'), pod('1', '2Gi')),
        ({ status, json }) =>
          status === 403 && json.message.includes(`exceeded quota: ${poolQuotaName('shared-memory')}`),
      )
      const { json } = await suite.server.send('POST', podsIn('shared'), pod('2', '1Gi'))
      expect(json.message).toContain(`exceeded quota: ${poolQuotaName('shared-cpu')}`)
      expect((await suite.server.send('POST', podsIn('shared'), pod('1', '1Gi'))).status).toBe(201)
    })

    // That one takes them along where it says so, the scenarios show.
    test('a deleted pool leaves its claims, which belong to nobody then', async () => {
      await suite.world.namespace('orphaned')
      await suite.world.pool('orphaned', { [CPU]: '2' })
      await suite.world.claim('orphaned', 'one', { [CPU]: '1' })
      await enforced(suite.world, 'orphaned', 'orphaned', '1')
      await suite.world.delete(`${POOLS}/orphaned`)
      await suite.world.untilGone(`${POOLS}/orphaned`)
      await suite.world.untilGone(quotaOf('orphaned', 'orphaned'))
      const left = await suite.world.until(`${claimsIn('orphaned')}/one`, ({ status }) => status.pool === undefined)
      expect(left.metadata.ownerReferences ?? []).toEqual([])
    })
  })

/** Waits until admission goes by the amount of CPU that the namespace has of the pool. */
async function enforced(world: PoolWorld, namespace: string, pool: string, amount: string): Promise<void> {
  await world.until(
    quotaOf(namespace, pool),
    ({ status }) => status?.hard?.[CPU] === amount && status.used !== undefined,
  )
}

/** The result of `look` once it has stayed the same for some time. */
async function quiet(look: () => Promise<string>): Promise<string> {
  let last = await look()
  for (let same = 0; same < QUIET_READS;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const now = await look()
    same = now === last ? same + 1 : 0
    last = now
  }
  return last
}

const quota = (name: string): object => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: {} })

const pod = (cpu: string, memory: string): object => ({
  metadata: { generateName: 'p-' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }] },
})

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

/** A webhook for the ResourceQuotas of one namespace. */
const hookAt = ({ url, authority }: TlsServer, namespace: string): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'refusing' },
  webhooks: [
    {
      name: 'refusing.allot.test',
      clientConfig: { url, caBundle: Buffer.from(authority.certificate).toString('base64') },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['*'], resources: ['resourcequotas'] }],
      namespaceSelector: { matchLabels: { pool: namespace } },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
})
