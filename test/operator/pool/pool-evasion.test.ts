import { describe, expect, test } from 'vitest'
import { poolQuotaName } from '../../../src/systems/resource-pool/api/quota-name.ts'
import { eventually } from '../../eventually.ts'
import { TlsServer } from '../../kube/tls-server.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, condition, isTrue, MERGE, POOLS, quotasIn } from '../pool-objects.ts'

const CPU = 'requests.cpu'
const quotaOf = (namespace: string, pool: string): string => `${quotasIn(namespace)}/${poolQuotaName(pool)}`
const ONE = { hard: { [CPU]: '1' } }
const FINALIZER = 'example.com/stays'
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

interface ClaimEvent {
  readonly reason: string
  readonly regarding: { readonly name: string }
}

// Each test has a pool and namespaces of its own, on a server that other files share, so all are run at the same time.
for (const { name, available, share } of operatedServers)
  describe(
    `${name}: a quota in the way of a pool [security/pool-evasion]`,
    { concurrent: true, skip: !available },
    () => {
      const suite = forSuite(share)

      /** The objects that a tenant makes before the pool exists. */
      const squat = (namespace: string, pool: string, metadata: object, spec: object): Promise<unknown> =>
        suite.world.create(quotasIn(namespace), { metadata: { name: poolQuotaName(pool), ...metadata }, spec })

      /** Waits until the pool limits the namespace, and gives the spec of its quota there. */
      async function limits(namespace: string, pool: string): Promise<unknown> {
        const { metadata, spec } = await suite.world.until(
          quotaOf(namespace, pool),
          (quota) =>
            quota.spec.hard?.[CPU] === '1' && quota.status?.hard?.[CPU] === '1' && quota.spec.scopes === undefined,
        )
        expect(metadata.finalizers).toBeUndefined()
        expect(metadata.labels['projectcapsule.dev/pool']).toBe(pool)
        expect(metadata.ownerReferences).toMatchObject([{ kind: 'ResourcePool', name: pool, controller: true }])
        // A real server makes the account of a new namespace with a delay.
        await eventually(
          () => suite.server.send('POST', `/api/v1/namespaces/${namespace}/pods`, POD),
          ({ status, text }) => status === 403 && text.includes('exceeded quota'),
        )
        return spec
      }

      test.each([
        ['scopes', {}, { hard: { pods: '1k' }, scopes: ['BestEffort'] }],
        ['scopes-kept', { finalizers: [FINALIZER] }, { hard: { pods: '1k' }, scopes: ['BestEffort'] }],
        ['amounts', { finalizers: [FINALIZER] }, { hard: { [CPU]: '1k' } }],
        [
          'forged',
          {
            finalizers: [FINALIZER],
            labels: { 'projectcapsule.dev/managed-by': 'controller', 'projectcapsule.dev/pool': 'squat-forged' },
            annotations: { 'allot.dev/release-token': 'x' },
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', blockOwnerDeletion: false }],
          },
          { hard: { pods: '1k' }, scopes: ['BestEffort'] },
        ],
      ])('that a tenant made before is put right: %s', async (what, metadata, spec) => {
        const pool = `squat-${what}`
        await suite.world.namespace(pool)
        await squat(pool, pool, metadata, spec)
        await suite.world.pool(pool, { [CPU]: '2' })
        await suite.world.claim(pool, 'one', { [CPU]: '1' }, pool)
        await suite.world.until(`${claimsIn(pool)}/one`, (claim) => isTrue(claim, 'Allocated') === true)
        expect(await limits(pool, pool)).toEqual(ONE)
        await suite.world.until(`${POOLS}/${pool}`, (read) => isTrue(read, 'Ready') === true)
      })

      test('a restored quota with labels and owner of its pool is adopted as it is', async () => {
        const pool = 'restored'
        await suite.world.namespace('restored')
        const labels = { 'projectcapsule.dev/managed-by': 'controller', 'projectcapsule.dev/pool': pool }
        const apiVersion = 'capsule.clastix.io/v1beta2'
        const ownerReferences = [{ apiVersion, kind: 'ResourcePool', name: pool, uid: 'before', controller: true }]
        // A garbage collector would delete it before its owner is there, so it is made beside the pool.
        await suite.world.pool(pool, { [CPU]: '2' }, {}, 'not-yet')
        await squat('restored', pool, { labels, ownerReferences }, { hard: { [CPU]: '1' } })
        await suite.world.label('restored', 'not-yet')
        await suite.world.claim('restored', 'one', { [CPU]: '1' }, pool)
        await suite.world.until(`${claimsIn('restored')}/one`, (claim) => isTrue(claim, 'Allocated') === true)
        expect(await limits('restored', pool)).toEqual(ONE)
      })

      test('another quota with the labels of the pool does not count as a quota of the pool', async () => {
        await suite.world.namespace('decoy')
        await suite.world.pool('decoy', { [CPU]: '2' })
        await suite.world.until(quotaOf('decoy', 'decoy'), () => true)
        const { metadata } = await suite.world.read(quotaOf('decoy', 'decoy'))
        const { labels } = metadata
        await suite.world.create(quotasIn('decoy'), {
          metadata: { name: 'zzz', labels },
          spec: { hard: { pods: '1k' } },
        })
        await suite.world.claim('decoy', 'one', { [CPU]: '1' }, 'decoy')
        expect(await limits('decoy', 'decoy')).toEqual(ONE)
      })

      test('where it cannot be put right the namespace gets nothing and says why, and others notice nothing', async () => {
        for (const namespace of ['blocked', 'beside']) await suite.world.namespace(namespace, 'shared-pool')
        await suite.world.patch('/api/v1/namespaces/blocked', { metadata: { labels: { guarded: 'yes' } } })
        await squat(
          'blocked',
          'shared-pool',
          { finalizers: [FINALIZER] },
          { hard: { pods: '1k' }, scopes: ['BestEffort'] },
        )
        await using refusing = await TlsServer.start((_request, response, body) => {
          const { uid } = JSON.parse(body).request
          response.setHeader('content-type', 'application/json')
          const answer = { uid, allowed: false, status: { message: 'hands off' } }
          response.end(JSON.stringify({ ...REVIEW, response: answer }))
        })
        await suite.world.create(HOOKS, hookAt(refusing))
        await eventually(
          () => suite.server.send('DELETE', `${quotaOf('blocked', 'shared-pool')}?dryRun=All`),
          ({ status }) => status >= 400,
        )
        await suite.world.pool('shared-pool', { [CPU]: '2' })
        for (const namespace of ['blocked', 'beside'])
          await suite.world.claim(namespace, 'one', { [CPU]: '1' }, 'shared-pool')
        await suite.world.until(`${claimsIn('beside')}/one`, (claim) => isTrue(claim, 'Allocated') === true)
        expect(await limits('beside', 'shared-pool')).toEqual(ONE)
        const claim = await suite.world.until(
          `${claimsIn('blocked')}/one`,
          ({ status }) => status?.waiting?.reason === 'NoQuota',
        )
        expect(claim.status.waiting.message).toContain('hands off')
        expect(condition(claim, 'Ready')).toMatchObject({ status: 'False' })
        expect(condition(claim, 'Exhausted')).toBeUndefined()
        const pool = await suite.world.until(
          `${POOLS}/shared-pool`,
          ({ status }) => status?.blockedNamespaces?.length === 1,
        )
        expect(pool.status.blockedNamespaces).toMatchObject([
          { name: 'blocked', message: expect.stringContaining('hands off') },
        ])
        expect(condition(pool, 'Ready')).toMatchObject({ status: 'False', message: expect.stringContaining('blocked') })
        expect(pool.status.claims.blocked).toBeUndefined()
        expect(pool.status.allocation.available).toEqual({ [CPU]: '1' })
        const isIt = ({ reason, regarding }: ClaimEvent): boolean =>
          reason === 'NamespaceBlocked' && regarding.name === 'shared-pool'
        const { items } = await suite.world.until('/apis/events.k8s.io/v1/events', (events) => events.items.some(isIt))
        expect(items.find(isIt)).toMatchObject({
          type: 'Warning',
          regarding: { kind: 'ResourcePool' },
          note: expect.stringContaining('namespace blocked gets nothing'),
        })
        // The users of the namespace do not see the pool.
        await suite.world.until('/apis/events.k8s.io/v1/namespaces/blocked/events', (events) =>
          events.items.some(
            ({ reason, regarding }: ClaimEvent) => reason === 'NamespaceBlocked' && regarding.name === 'blocked',
          ),
        )
        await suite.world.delete(`${HOOKS}/hands-off`)
        await suite.world.until(`${claimsIn('blocked')}/one`, (one) => isTrue(one, 'Allocated') === true)
        expect(await limits('blocked', 'shared-pool')).toEqual(ONE)
        const healed = await suite.world.until(`${POOLS}/shared-pool`, (read) => isTrue(read, 'Ready') === true)
        expect(healed.status.blockedNamespaces).toBeUndefined()
      })

      test('finalizers, owners and annotations that got in are taken away', async () => {
        await suite.world.namespace('tidied')
        await suite.world.pool('tidied', { [CPU]: '2' })
        await suite.world.claim('tidied', 'one', { [CPU]: '1' }, 'tidied')
        expect(await limits('tidied', 'tidied')).toEqual(ONE)
        const path = quotaOf('tidied', 'tidied')
        const { metadata } = await suite.world.read(path)
        const config = await suite.world.create('/api/v1/namespaces/tidied/configmaps', { metadata: { name: 'owner' } })
        const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: config.metadata.uid }
        const body = {
          metadata: {
            finalizers: [FINALIZER],
            annotations: { 'allot.dev/other': 'x', own: 'yes' },
            ownerReferences: [...metadata.ownerReferences, foreign],
          },
        }
        // In the operator's own name, which it lets pass, as it lets everybody pass while it is away.
        const headers = name === 'allot up' ? { ...OPERATOR, ...MERGE } : MERGE
        expect((await suite.server.send('PATCH', path, body, headers)).status).toBe(200)
        const tidy = await suite.world.until(path, (quota) => quota.metadata.finalizers === undefined)
        expect(tidy.metadata.annotations).toEqual({ own: 'yes' })
        expect(tidy.metadata.ownerReferences).toEqual(metadata.ownerReferences)
      })
    },
  )

const OPERATOR = {
  'impersonate-user': 'system:serviceaccount:allot-system:allot',
  'impersonate-group': 'system:masters',
}

const POD = {
  metadata: { name: 'large' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1500m' } } }] },
}

/** Refuses every change of quotas of guarded namespaces. */
const hookAt = ({ url, authority }: TlsServer): object => ({
  metadata: { name: 'hands-off' },
  webhooks: [
    {
      name: 'hands-off.example.com',
      clientConfig: { url, caBundle: Buffer.from(authority.certificate).toString('base64') },
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['resourcequotas'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
        },
      ],
      namespaceSelector: { matchLabels: { guarded: 'yes' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
})
