import { describe, expect, test } from 'vitest'
import type { Condition } from '../../../src/api/condition.ts'
import { eventually } from '../../eventually.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { claimsIn, condition, isTrue, MERGE, POOLS, quotasIn } from '../pool-objects.ts'

const CPU = 'requests.cpu'
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

interface ClaimEvent {
  readonly type: string
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly name: string }
}

interface Waits {
  readonly status?: { readonly waiting?: { readonly reason: string } }
}

// Each test has a pool and a namespace of its own, on a server that other files share, so all are run at the same time.
for (const { name, available, share } of operatedServers)
  describe(`${name}: claims that wait`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(share)

    const claimAt = (namespace: string, claim: string): string => `${claimsIn(namespace)}/${claim}`
    const waitsFor = (namespace: string, claim: string, reason: string) =>
      suite.world.until(claimAt(namespace, claim), ({ status }) => status?.waiting?.reason === reason)
    /** The events of a claim, by their reason. */
    const eventsOf = async (namespace: string, claim: string, reason: string): Promise<ClaimEvent> => {
      const isIt = (one: ClaimEvent): boolean => one.regarding.name === claim && one.reason === reason
      const { items } = await suite.world.until(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`, (list) =>
        list.items.some(isIt),
      )
      return items.find(isIt)
    }

    test('a claim on a pool whose name cannot be one can be changed and deleted', async () => {
      await suite.world.namespace('unnameable')
      const names = ['../x', 'a/b', '.', '..', 'a%2fb', '%', 'A', 'a b', 'a\u0000b', 'é', 'x'.repeat(300)]
      await Promise.all(
        names.map(async (pool, at) => {
          const path = claimAt('unnameable', `one-${at}`)
          await suite.world.claim('unnameable', `one-${at}`, { [CPU]: '1' }, pool)
          await suite.world.patch(path, { spec: { claim: { [CPU]: '2' } } })
          await suite.world.until(path, ({ status }) => status?.waiting?.reason === 'NoSuchPool')
          if (at % 2 === 0) await suite.world.delete(path)
        }),
      )
      await suite.world.delete(claimsIn('unnameable'))
      const { items } = await suite.world.until(claimsIn('unnameable'), (list) => list.items.length === 0)
      expect(items).toEqual([])
    })

    test('a namespace with too many claims waits alone, and gets more when some are gone', async () => {
      for (const namespace of ['ledger-many', 'ledger-few']) await suite.world.namespace(namespace, 'ledger')
      // Almost all of what a pool may be large is its selectors, so that few claims suffice.
      const values = Array.from({ length: 22_200 }, (_, at) => `${at}-`.padEnd(63, 'x'))
      const selectors = [
        { matchLabels: { pool: 'ledger' } },
        { matchExpressions: [{ key: 'k', operator: 'In', values }] },
      ]
      await suite.world.pool('ledger', { [CPU]: '2' }, { selectors })
      const long = (at: number): string => `${at}-`.padEnd(253, 'x')
      const all = Array.from({ length: 80 }, (_, at) => at)
      await Promise.all(all.map((at) => suite.world.claim('ledger-many', long(at), { [CPU]: '0' }, 'ledger')))
      const full = await suite.world.until(`${POOLS}/ledger`, (pool) => condition(pool, 'Ready')?.status === 'False')
      expect(condition(full, 'Ready')?.message).toContain('ledger-many')
      await suite.world.claim('ledger-few', 'one', { [CPU]: '1' }, 'ledger')
      await suite.world.until(claimAt('ledger-few', 'one'), (claim) => isTrue(claim, 'Allocated') === true)
      const { items } = await suite.world.until(claimsIn('ledger-many'), (list) =>
        list.items.some((claim: Waits) => claim.status?.waiting?.reason === 'LedgerFull'),
      )
      // Servers differ in the namespace that has the events of what has none.
      await suite.world.until('/apis/events.k8s.io/v1/events', ({ items: events }) =>
        events.some((one: ClaimEvent) => one.regarding.name === 'ledger' && one.reason === 'LedgerFull'),
      )
      const waits = items.find((claim: Waits) => claim.status?.waiting?.reason === 'LedgerFull').metadata.name
      const has = all.map(long).filter((claim) => claim !== waits)
      await Promise.all(has.map((claim) => suite.world.delete(claimAt('ledger-many', claim))))
      await suite.world.until(claimAt('ledger-many', waits), (claim) => isTrue(claim, 'Allocated') === true)
      await suite.world.until(`${POOLS}/ledger`, (pool) => isTrue(pool, 'Ready') === true)
    })

    test('a claim that has its amounts differs from one that waits: in its status, a condition, a column, and the status of its pool', async () => {
      await suite.world.namespace('shown')
      await suite.world.pool('shown', { [CPU]: '2' }, { config: { orderedQueue: true } })
      await suite.world.claim('shown', 'has', { [CPU]: '1500m' }, 'shown')
      await suite.world.until(claimAt('shown', 'has'), (claim) => isTrue(claim, 'Allocated') === true)
      await suite.world.claim('shown', 'waits', { [CPU]: '1' }, 'shown')
      const waits = await waitsFor('shown', 'waits', 'WaitingForRoom')
      expect(waits.status.waiting).toMatchObject({ position: 1, for: 'requests.cpu: 1 of 500m free; 1st in the queue' })
      expect(condition(waits, 'Allocated')).toMatchObject({ status: 'False', reason: 'WaitingForRoom' })
      expect(condition(waits, 'Ready')).toMatchObject({ status: 'True', message: 'reconciled' })
      await suite.world.claim('shown', 'x-behind', { [CPU]: '100m' }, 'shown')
      await waitsFor('shown', 'x-behind', 'WaitingInQueue')
      const table = await suite.server.send('GET', claimsIn('shown'), undefined, TABLE)
      const columns: readonly { readonly name: string }[] = table.json.columnDefinitions
      expect(columns.at(-1)?.name).toBe('Waiting For')
      const cells = table.json.rows.map((row: { readonly cells: readonly unknown[] }) => row.cells)
      expect(cells.map((row: readonly unknown[]) => [row[0], row.at(-1) ?? ''])).toEqual([
        ['has', ''],
        ['waits', 'requests.cpu: 1 of 500m free; 1st in the queue'],
        ['x-behind', 'requests.cpu: 100m behind older claims of 1; 2nd in the queue'],
      ])
      const { status } = await suite.world.until(`${POOLS}/shown`, (pool) => pool.status.waitingCount === 2)
      expect(status.waiting).toMatchObject([
        { position: 1, namespace: 'shown', name: 'waits', for: 'requests.cpu: 1 of 500m free; 1st in the queue' },
        { position: 2, namespace: 'shown', name: 'x-behind' },
      ])
      await suite.world.delete(claimAt('shown', 'has'))
      const now = await suite.world.until(claimAt('shown', 'x-behind'), (claim) => isTrue(claim, 'Allocated') === true)
      expect(now.status.waiting).toBeUndefined()
      await suite.world.until(`${POOLS}/shown`, (pool) => pool.status.waitingCount === undefined)
      expect(await eventsOf('shown', 'waits', 'PoolExhausted')).toMatchObject({ type: 'Warning' })
      expect(await eventsOf('shown', 'waits', 'NoExhaustions')).toMatchObject({ type: 'Normal' })
      expect(await eventsOf('shown', 'waits', 'Allocated')).toMatchObject({ type: 'Normal' })
    })

    test('one that is larger than its pool says so, and blocks the queue unless it is to stand aside', async () => {
      await suite.world.namespace('large')
      await suite.world.pool('large', { [CPU]: '2' }, { config: { orderedQueue: true } })
      await suite.world.claim('large', 'large', { [CPU]: '3' }, 'large')
      await waitsFor('large', 'large', 'NeverFits')
      expect(await eventsOf('large', 'large', 'NeverFits')).toMatchObject({
        type: 'Warning',
        note: expect.stringContaining('requests.cpu: 3 of 2 in the pool'),
      })
      await suite.world.claim('large', 'small', { [CPU]: '1' }, 'large')
      await waitsFor('large', 'small', 'WaitingInQueue')
      const { status } = await suite.world.until(`${POOLS}/large`, (pool) => pool.status.blockedBy !== undefined)
      expect(status.blockedBy).toMatchObject({ namespace: 'large', name: 'large', reason: 'NeverFits' })
      await suite.world.patch(`${POOLS}/large`, { spec: { config: { oversizedClaims: 'StandAside' } } })
      await suite.world.until(claimAt('large', 'small'), (claim) => isTrue(claim, 'Allocated') === true)
      await waitsFor('large', 'large', 'NeverFits')
      await suite.world.patch(`${POOLS}/large`, { spec: { quota: { hard: { [CPU]: '4' } } } })
      await suite.world.until(claimAt('large', 'large'), (claim) => isTrue(claim, 'Allocated') === true)
      const unknown = { spec: { config: { oversizedClaims: 'Skip' } } }
      expect((await suite.server.send('PATCH', `${POOLS}/large`, unknown, MERGE)).status).toBe(422)
    })

    test('one whose pool is taken away is assigned anew, however it is written; one that has its room stays', async () => {
      await suite.world.namespace('anew')
      await suite.world.pool('anew', { [CPU]: '1' })
      await suite.world.claim('anew', 'has', { [CPU]: '500m' }, 'anew')
      await suite.world.allocated('anew', 'has')
      const spec = { claim: { [CPU]: '2' } }
      const kind = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePoolClaim' }
      const APPLY = { 'content-type': 'application/apply-patch+yaml' }
      const PATCH = { 'content-type': 'application/json-patch+json' }
      const applied = (name: string, pool: object) => ({ ...kind, metadata: { name }, spec: { ...spec, ...pool } })
      const apply = (name: string): string => `${claimAt('anew', name)}?fieldManager=owner`
      const ways: Readonly<Record<string, (name: string) => Promise<{ readonly status: number }>>> = {
        put: async (name) => {
          const read = await suite.world.read(claimAt('anew', name))
          const body = { ...read, spec: { ...read.spec, pool: '' } }
          return await suite.world.settled('PUT', claimAt('anew', name), body)
        },
        empty: (name) => suite.world.settled('PATCH', claimAt('anew', name), { spec: { pool: '' } }, MERGE),
        null: (name) => suite.world.settled('PATCH', claimAt('anew', name), { spec: { pool: null } }, MERGE),
        remove: (name) =>
          suite.world.settled('PATCH', claimAt('anew', name), [{ op: 'remove', path: '/spec/pool' }], PATCH),
        apply: (name) => suite.world.settled('PATCH', apply(name), applied(name, {}), APPLY),
        'apply-empty': (name) => suite.world.settled('PATCH', apply(name), applied(name, { pool: '' }), APPLY),
      }
      for (const way of Object.keys(ways)) {
        await suite.world.settled('PATCH', apply(way), applied(way, { pool: 'anew' }), APPLY)
        await waitsFor('anew', way, 'NeverFits')
      }
      await suite.world.pool('anew-large', { [CPU]: '20' }, {}, 'anew')
      for (const [way, write] of Object.entries(ways)) {
        // A conflict is an update of its status that came first.
        await eventually(
          () => write(way),
          ({ status }) => status === 200,
          { what: way },
        )
        const read = await suite.world.until(claimAt('anew', way), (claim) => isTrue(claim, 'Allocated') === true)
        expect([way, read.spec.pool, read.status.pool.name]).toEqual([way, 'anew-large', 'anew-large'])
      }
      const stays = await suite.world.patch(claimAt('anew', 'has'), { spec: { pool: '' } })
      expect(stays.spec.pool).toBe('anew')
    })

    test('one that no pool can take says what is missing, and has no condition of a claim in a pool', async () => {
      await suite.world.namespace('stray')
      const one = async (claim: string, pool: string, reason: string): Promise<void> => {
        await suite.world.claim('stray', claim, { [CPU]: '1' }, pool)
        const read = await waitsFor('stray', claim, reason)
        expect(read.status.conditions.map(({ type }: Condition) => type)).toEqual(['Ready', 'Reconciling'])
      }
      await one('lost', 'no-such-pool', 'NoSuchPool')
      await one('any', '', 'NoPool')
      await suite.world.pool('stray', { pods: '1' }, {}, 'elsewhere')
      await one('outside', 'stray', 'PoolDoesNotSelectNamespace')
      await suite.world.label('stray', 'elsewhere')
      const read = await waitsFor('stray', 'outside', 'NeverFits')
      expect(read.status.waiting.for).toBe('requests.cpu: 1 of none in the pool')
      expect(await eventsOf('stray', 'outside', 'NeverFits')).toMatchObject({
        type: 'Warning',
        note: expect.stringContaining('requests.cpu: 1 of none in the pool'),
      })
    })

    test('a pool whose selector has an operator that does not exist is refused, with the field', async () => {
      const selectors = [{ matchExpressions: [{ key: 'team', operator: 'Equals', values: ['a'] }] }]
      const body = { metadata: { name: 'selecting' }, spec: { selectors, quota: { hard: { [CPU]: '1' } } } }
      const kind = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePool' }
      const { status, json } = await suite.server.send('POST', POOLS, { ...kind, ...body })
      expect([status, json.details?.causes?.[0]?.field]).toEqual([
        422,
        'spec.selectors[0].matchExpressions[0].operator',
      ])
    })

    test('a pool whose scopes do not go with its resources gives nothing that its quota cannot hold', async () => {
      await suite.world.namespace('unscoped')
      await suite.world.pool('unscoped', {}, { quota: { hard: { [CPU]: '1' }, scopes: ['BestEffort'] } })
      await suite.world.claim('unscoped', 'one', { [CPU]: '1' }, 'unscoped')
      const claim = await suite.world.until(claimAt('unscoped', 'one'), ({ status }) => status?.waiting !== undefined)
      expect(claim.status.waiting.reason).toBe('NoQuota')
      expect(JSON.stringify(claim.status)).not.toContain('claimable')
      expect(await suite.world.notReady(`${POOLS}/unscoped`, 'unsupported scope applied to resource')).toBe('Failed')
      await suite.world.patch(`${POOLS}/unscoped`, { spec: { quota: { scopes: ['NotTerminating'] } } })
      await suite.world.until(claimAt('unscoped', 'one'), (one) => isTrue(one, 'Allocated') === true)
      await suite.world.until(
        `${quotasIn('unscoped')}/capsule-pool-unscoped`,
        ({ spec }) => spec.scopes?.[0] === 'NotTerminating' && spec.hard?.[CPU] === '1',
      )
    })
  })
