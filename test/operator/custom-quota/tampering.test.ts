import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEDGER_KEY_SECRET } from '../../../src/install/installed-names.ts'
import type { Answer } from '../../start-allot.ts'
import { eventually } from '../../eventually.ts'
import { sealBy } from '../ledger-seals.ts'
import { bareServers, operatedServers, startOperator } from '../operated.ts'
import { condition, MERGE } from '../pool-objects.ts'
import { Holder } from '../holding-webhook.ts'
import { COUNTED_MAPS, forQuotas, ledgersIn, map, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const HOLDER = 'tampering.allot.test'
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const spec = { limit: '1', sources: [COUNTED_MAPS], scopeSelectors }

interface Status {
  readonly outstanding: string
}

/** The changes that somebody may make to the status of a ledger that has a reservation; `earlier` is its status before that. */
const CHANGES: readonly { readonly what: string; readonly status: (now: Status, earlier: Status) => object }[] = [
  {
    what: 'a reservation is taken out',
    status: ({ outstanding }) => ({
      outstanding: outstanding
        .split('%')
        .filter((record) => !/^[no]\//.test(record))
        .join('%'),
    }),
  },
  { what: 'an earlier text is put back', status: (_, { outstanding }) => ({ outstanding }) },
  { what: 'the text is emptied', status: () => ({ outstanding: '', reserved: '0', reservations: [] }) },
  { what: 'the text is taken away', status: () => ({ outstanding: null, reserved: null, reservations: null }) },
  { what: 'the text is replaced by nonsense', status: () => ({ outstanding: 'nonsense' }) },
  { what: 'the text is that of another program', status: () => ({ outstanding: '2%later' }) },
]

/** A quota of one object, for which a create is in flight that allot has allowed. */
async function reserve(world: QuotaWorld, namespace: string) {
  const ledger = `${ledgersIn(namespace)}/one`
  await world.namespace(namespace)
  await world.quota(namespace, 'one', spec)
  const earlier = await world.until(ledger, ({ status }) => (status?.outstanding ?? '') !== '')
  const inFlight = world.send('POST', mapsIn(namespace), map('a', 1, { held: HOLDER }))
  const now = await world.until(ledger, ({ status }) => status?.reserved === '1')
  return { ledger, earlier, now, inFlight }
}

const countIn = async (world: QuotaWorld, namespace: string): Promise<number> =>
  (await world.read(`${mapsIn(namespace)}?labelSelector=counted%3Dyes`)).items.length

for (const { name, available, share } of operatedServers)
  describe(
    `${name}: a ledger that somebody changes in spite of the webhook`,
    {
      concurrent: true,
      skip: !available,
    },
    () => {
      const suite = forQuotas(share)
      let holder: Holder
      beforeAll(async () => {
        holder = await Holder.start(suite.world, HOLDER)
      })
      afterAll(() => holder?.[Symbol.asyncDispose]())

      // The webhook lets the operator write, so what it sends gets in as everything does while there is no webhook.
      const operator =
        name === 'allot up'
          ? { 'impersonate-user': 'system:serviceaccount:allot-system:allot', 'impersonate-group': 'system:masters' }
          : {}
      const tamper = async (path: string, body: object): Promise<void> => {
        const { status, text } = await suite.server.send('PATCH', path, body, { ...MERGE, ...operator })
        expect(status, text).toBe(200)
      }
      const create = (namespace: string, of: string): Promise<Answer> =>
        suite.world.send('POST', mapsIn(namespace), map(of))
      const stored = (namespace: string): Promise<number> => countIn(suite.world, namespace)

      /** Deletes the quota, and leaves its ledger. */
      async function orphan(namespace: string): Promise<void> {
        const { world, server } = suite
        const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' }
        const path = `${quotasIn(namespace)}/one`
        const { status, text } = await server.send('DELETE', path, options)
        expect(status, text).toBe(200)
        await world.untilGone(path)
      }

      for (const [index, { what, status }] of CHANGES.entries())
        test(`gives no room away, and is made again closed: ${what} [security/ledger-seals]`, async () => {
          const { world } = suite
          const namespace = `cq-forged-${index}`
          const { ledger, earlier, now, inFlight } = await reserve(world, namespace)
          await tamper(`${ledger}/status`, { status: status(now.status, earlier.status) })
          for (let n = 0; n < 3; n++) expect([403, 429]).toContain((await create(namespace, `b${n}`)).status)
          await world.until(ledger, (read) => read.status?.outstanding?.includes('%s/') === true)
          expect(await world.notReady(`${quotasIn(namespace)}/one`, 'the ledger was lost')).toBe('LedgerLost')
          await world.until(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`, ({ items }) =>
            items.some(
              ({ reason, note, regarding }: Readonly<Record<string, string>> & { regarding: { name: string } }) =>
                reason === 'LedgerLost' && regarding.name === 'one' && /until about \d{4}-\d\d-\d\dT/.test(note ?? ''),
            ),
          )
          // A second time nothing but the first shows what was allowed.
          await tamper(`${ledger}/status`, { status: { outstanding: null } })
          await world.until(ledger, (read) => read.status?.outstanding?.includes('%s/') === true)
          expect((await create(namespace, 'c')).status).toBe(429)
          holder.letGo(namespace)
          expect((await inFlight).status).toBe(201)
          expect([403, 429]).toContain((await create(namespace, 'd')).status)
          expect(await stored(namespace)).toBe(1)
        })

      test('says again which quota it belongs to, and keeps what it holds', async () => {
        const { world } = suite
        const namespace = 'cq-forged-target'
        const { ledger, now, inFlight } = await reserve(world, namespace)
        const isRestored = ({ metadata, spec: { targetRef } }: typeof now): boolean =>
          targetRef.name === 'one' && metadata.ownerReferences?.[0]?.uid === targetRef.uid
        for (const body of [
          { spec: { targetRef: { name: 'other' } } },
          { spec: { targetRef: { uid: 'other', kind: 'GlobalCustomQuota', namespace: null } } },
          { metadata: { ownerReferences: null, labels: null } },
        ]) {
          await tamper(ledger, body)
          expect([403, 429]).toContain((await create(namespace, 'b')).status)
          const { metadata, spec: restored } = await world.until(ledger, isRestored)
          expect([metadata.uid, metadata.labels, metadata.ownerReferences, restored]).toEqual([
            now.metadata.uid,
            now.metadata.labels,
            now.metadata.ownerReferences,
            now.spec,
          ])
        }
        // It was never lost, so it still decides.
        const refused = await eventually(
          () => create(namespace, 'b'),
          ({ status }) => status !== 429,
        )
        expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('inflightReserved=1')])
        holder.letGo(namespace)
        expect((await inFlight).status).toBe(201)
        await world.used(`${quotasIn(namespace)}/one`, '1')
        expect(await stored(namespace)).toBe(1)
      })

      test('is closed and belongs to its quota again where everything in it is changed', async () => {
        const { world } = suite
        const namespace = 'cq-forged-all'
        const { ledger, now, inFlight } = await reserve(world, namespace)
        await tamper(`${ledger}/status`, { status: { outstanding: '1' } })
        await tamper(ledger, {
          spec: { targetRef: { name: 'other', uid: 'other' } },
          metadata: { ownerReferences: null },
        })
        const { metadata } = await world.until(
          ledger,
          ({ spec: { targetRef }, status }) =>
            targetRef.name === 'one' && status?.outstanding?.includes('%s/') === true,
        )
        expect(metadata.ownerReferences).toEqual(now.metadata.ownerReferences)
        expect((await create(namespace, 'b')).status).toBe(429)
        holder.letGo(namespace)
        expect((await inFlight).status).toBe(201)
        expect([403, 429]).toContain((await create(namespace, 'c')).status)
        expect(await stored(namespace)).toBe(1)
      })

      test('shows people its amounts again', async () => {
        const { world } = suite
        const { ledger, inFlight } = await reserve(world, 'cq-forged-shown')
        await tamper(`${ledger}/status`, { status: { reserved: '0', allocated: '0' } })
        const { status } = await world.until(ledger, (read) => read.status.reserved === '1')
        expect(status.allocated).toBe('1')
        expect((await create('cq-forged-shown', 'b')).status).toBe(403)
        holder.letGo('cq-forged-shown')
        expect((await inFlight).status).toBe(201)
      })

      test('keeps the fields of other programs', async () => {
        const { world } = suite
        const ledger = `${ledgersIn('cq-shared-ledger')}/many`
        await world.namespace('cq-shared-ledger')
        await world.quota('cq-shared-ledger', 'many', { ...spec, limit: '9' })
        const resourceQuota = { initialized: true, used: { pods: '1' }, ofALaterVersion: { deep: [1] } }
        const conditions = [
          { type: 'Other', status: 'True', reason: 'Other', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ]
        await tamper(`${ledger}/status`, { status: { resourceQuota, conditions } })
        expect((await create('cq-shared-ledger', 'a')).status).toBe(201)
        const { status } = await world.until(
          ledger,
          (read) => read.status.allocated === '1' && read.status.reserved === '0',
        )
        expect(status).toMatchObject({ resourceQuota, conditions })
        expect((await create('cq-shared-ledger', 'b')).status).toBe(201)
      })

      test('is not misread where a later version of allot wrote it: requests get 429, and Ready says what to do', async () => {
        const { world } = suite
        const namespace = 'cq-later-form'
        const ledger = `${ledgersIn(namespace)}/one`
        await world.namespace(namespace)
        await world.quota(namespace, 'one', { ...spec, limit: '9' })
        const { data } = await world.read(`/api/v1/namespaces/allot-system/secrets/${LEDGER_KEY_SECRET}`)
        const seal = sealBy(Buffer.from(data.key, 'base64'))
        for (const text of ['2%later', '1%z/a record that must be understood']) {
          const later = await eventually(
            async () => {
              const {
                metadata,
                spec: { targetRef },
              } = await world.read(ledger)
              const owner = `${metadata.uid}/CustomQuota/${namespace}/one/${targetRef.uid}`
              const outstanding = seal.seal(owner, { text, base: metadata.resourceVersion })
              const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: { outstanding } }
              const answer = await suite.server.send('PATCH', `${ledger}/status`, body, { ...MERGE, ...operator })
              return { outstanding, status: answer.status }
            },
            ({ status }) => status === 200,
          )
          const answer = await create(namespace, 'a')
          expect(answer.status, answer.text).toBe(429)
          const quota = await world.until(
            `${quotasIn(namespace)}/one`,
            (read) => condition(read, 'Ready')?.message.includes('this version of allot') === true,
          )
          expect(condition(quota, 'Ready')).toMatchObject({ status: 'False' })
          expect((await create(namespace, 'b')).status).toBe(429)
          expect((await world.read(ledger)).status.outstanding).toBe(later.outstanding)
        }
        expect(await stored(namespace)).toBe(0)
      })

      test('gives way where it was left behind by an earlier quota of the name', async () => {
        const { world } = suite
        const namespace = 'cq-left-behind'
        const ledger = `${ledgersIn(namespace)}/one`
        await world.namespace(namespace)
        await world.quota(namespace, 'one', spec)
        const { metadata } = await world.read(ledger)
        await orphan(namespace)
        await world.quota(namespace, 'one', spec)
        expect((await world.read(ledger)).metadata.uid).not.toBe(metadata.uid)
        expect((await create(namespace, 'a')).status).toBe(201)
        expect((await create(namespace, 'b')).status).toBe(403)
      })

      test('may be deleted by its owner when there is no such quota any more, and not before', async () => {
        const { world, server } = suite
        const namespace = 'cq-abandoned'
        const ledger = `${ledgersIn(namespace)}/one`
        await world.namespace(namespace)
        await world.quota(namespace, 'one', spec)
        const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
        await world.create(`${roles}/rolebindings`, {
          metadata: { name: 'all' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'owner' }],
        })
        const remove = () => server.send('DELETE', ledger, undefined, { 'impersonate-user': 'owner' })
        const refused = await eventually(remove, ({ text }) => text.includes('is kept by allot'))
        expect(refused.status).toBe(403)
        await orphan(namespace)
        // A replica may not have seen yet that the quota went.
        await eventually(remove, ({ status }) => status === 200)
        await world.untilGone(ledger)
      })
    },
  )

for (const { name, available, start } of bareServers)
  describe(
    `${name}: ledgers that are changed while there is neither an operator nor its webhook`,
    {
      skip: !available,
    },
    () => {
      test('give no room away to the requests that the next operator decides on', async () => {
        await using server = await start()
        const world = new QuotaWorld(server)
        const operator = await startOperator(server.kubeconfig)
        await using holder = await Holder.start(world, HOLDER)
        const changes = [
          // An earlier text looks like the newest to a replica that has only just started, unless another one is there.
          ...CHANGES.filter(({ what }) => what !== 'an earlier text is put back').map(
            ({ status }) =>
              (ledger: string, now: { status: Status }) =>
                world.patch(`${ledger}/status`, { status: status(now.status, now.status) }),
          ),
          (ledger: string) => world.patch(ledger, { spec: { targetRef: { name: 'other' } } }),
          (ledger: string) => world.patch(ledger, { spec: { targetRef: { uid: null } }, metadata: { labels: null } }),
          (ledger: string) => world.patch(ledger, { metadata: { ownerReferences: null } }),
          (ledger: string) => world.delete(ledger),
        ]
        const places = await Promise.all(
          changes.map(async (change, index) => {
            const namespace = `cq-away-${index}`
            return { namespace, change, ...(await reserve(world, namespace)) }
          }),
        )
        // Its answers are out then.
        await operator[Symbol.asyncDispose]()
        for (const kind of ['validating', 'mutating'])
          await world.delete(`/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/allot`)
        for (const { ledger, now, change } of places)
          await eventually(
            () =>
              change(ledger, now).then(
                () => true,
                // An API server asks a webhook for a moment that was deleted.
                () => false,
              ),
            (isDone) => isDone,
          )

        await using _ = await startOperator(server.kubeconfig)
        for (const { namespace, ledger, now } of places) {
          // Until the webhook is back nothing is refused.
          await eventually(
            () => world.send('POST', `${mapsIn(namespace)}?dryRun=All`, map('b')),
            ({ status }) => status !== 201,
          )
          expect([403, 429]).toContain((await world.send('POST', mapsIn(namespace), map('b'))).status)
          const isMarked = ({ metadata, spec: { targetRef } }: typeof now): boolean =>
            targetRef.uid === now.spec.targetRef.uid && metadata.ownerReferences?.[0]?.uid === targetRef.uid
          await world.until(ledger, (read) => read.spec.targetRef.name === 'one' && isMarked(read))
        }
        holder.letGo()
        for (const { namespace, inFlight } of places) {
          expect((await inFlight).status).toBe(201)
          expect([403, 429]).toContain((await world.send('POST', mapsIn(namespace), map('c'))).status)
          expect(await countIn(world, namespace)).toBe(1)
        }
      })
    },
  )
