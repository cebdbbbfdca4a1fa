import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  creating,
  ScriptedServer,
  ScriptedStore,
  ScriptedView,
  updating,
} from '../../../test/charges/ledger/scripted-ledger.ts'
import { ApiError } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { admitAll } from './admit-all.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { LedgerRefused, LedgerUnavailable } from './ledger-errors.ts'
import type { KindView, LedgerViews } from './kind-view.ts'
import { ledgerStatus, readLedger } from './ledger-status.ts'
import type { ChargeRequest } from './reserve.ts'

const LATER = 1_000_000
const PATIENCE = 70_000
const READERS = { quotaKey: 'n/q', now: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T00:01:10Z' }

interface SetUp {
  readonly server?: ScriptedServer
  readonly views?: ScriptedView
  readonly share?: number
  readonly name?: string
  readonly namespace?: string
  readonly limit?: () => number
}

function setUp(most = 3, options: SetUp = {}) {
  const {
    server = new ScriptedServer(),
    name = 'q',
    namespace = 'n',
    limit = () => most,
    views = new ScriptedView(server),
    ...rest
  } = options
  const store = new ScriptedStore(server)
  const time = { now: 0 }
  const ledger = new LedgerAdmission({
    ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace, name },
    store,
    views,
    limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(limit()) }),
    clock: () => time.now,
    statusOf: (state, old) => ledgerStatus(state, old, READERS),
    patience: PATIENCE,
    ...rest,
  })
  return { server, views, store, ledger, time }
}

const outcome = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise
    return 'allowed'
  } catch (error) {
    if (error instanceof LedgerRefused)
      return `refused ${error.refusals.map(({ used, requested, limit }) => `${used.toString()}+${requested.toString()}>${limit.toString()}`).join(' ')}`
    if (error instanceof ApiError) return String(error.status.code)
    if (error instanceof LedgerUnavailable) return error.problem
    throw error
  }
}

/** Two replicas of one server that know the limit as of their generation, of which the first is counted already. */
async function twoReplicas(limits: readonly number[]) {
  const server = new ScriptedServer()
  const replicas = [0, 1].map(() => {
    const views = new ScriptedView(server)
    const limit = () => limits[views.generation - 1] ?? 0
    return { ...setUp(0, { server, views, limit }), limit }
  })
  const [first, second] = replicas
  if (first === undefined || second === undefined) throw new Error('there are two')
  await first.ledger.open('')
  await second.store.readLive()
  return { server, first, second }
}

const lowered = (generation: number, limit: number) => ({
  generation,
  limits: { [LEDGER_AMOUNT]: Quantity.of(limit) },
})

test('a refusal says how much is reserved, by earlier requests of its batch too, and which part of it is of others', async () => {
  const { ledger, server, views } = setUp(4)
  await ledger.open('')
  server.put('a', 'u0', 1)
  views.see()
  await ledger.reserve([updating(server, 'a', 2)], LATER)
  const requests = [creating('b', 'u1', 2), creating('c', 'u2', 1), updating(server, 'a', 3)]
  const outcomes = await Promise.allSettled(requests.map((one) => ledger.reserve([one], LATER)))
  const refusals = outcomes.flatMap((one) =>
    one.status === 'rejected' && one.reason instanceof LedgerRefused ? one.reason.refusals : [],
  )
  expect(
    refusals.map((one) =>
      [one.used, one.usedByOthers, one.reserved, one.reservedByOthers].map((amount) => amount.toString()),
    ),
  ).toEqual([
    ['4', '4', '3', '3'],
    ['4', '2', '3', '2'],
  ])
})

describe('a limit that is lowered', () => {
  test('holds for replicas that do not know of it, from the moment that the update of the quota is allowed', async () => {
    const { first, second } = await twoReplicas([5, 1])
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
    await first.ledger.lower(lowered(2, 1), LATER)
    for (const replica of [first, second])
      expect(await outcome(replica.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('429')
    // Once a replica sees it stored, refusals are final.
    first.views.generation = second.views.generation = 2
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('refused 1+1>1')
    expect(await outcome(first.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('refused 1+1>1')
  })

  test('ends with the generation that it was for, also where that one has another limit', async () => {
    const { first, second, server } = await twoReplicas([5, 4])
    await first.ledger.lower(lowered(2, 1), LATER)
    second.views.generation = 2
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('allowed')
    // A replica of the earlier generation does not decide by its limit any more.
    expect(await outcome(first.ledger.reserve([creating('b', 'u2', 2)], LATER))).toBe('not counted')
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { lowering: undefined } })
  })

  test('stays while the ledger holds a count by the earlier generation', async () => {
    const { first, second, server } = await twoReplicas([5, 1])
    server.put('a', 'u0', 1)
    second.views.see()
    await second.ledger.tidy()
    await first.ledger.lower(lowered(2, 1), LATER)
    first.views.generation = 2
    await first.ledger.tidy()
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).not.toBe('allowed')
  })

  test('ends when the update cannot be stored any more, and not before', async () => {
    const { first, server } = await twoReplicas([5])
    await first.ledger.lower(lowered(2, 1), LATER)
    first.time.now = PATIENCE - 1
    expect(await first.ledger.tidy()).toBe(1)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('429')
    first.time.now = PATIENCE
    expect(await first.ledger.tidy()).toBe(undefined)
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { lowering: undefined } })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('allowed')
  })

  test('is the lowest of several, until the last of them is over', async () => {
    const { first, second } = await twoReplicas([5])
    await Promise.all([first.ledger.lower(lowered(2, 1), LATER), second.ledger.lower(lowered(3, 3), LATER)])
    first.views.generation = 2
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 2)], LATER))).not.toBe('allowed')
  })

  test('needs no ledger: a quota without one allows nothing', async () => {
    const { ledger, server } = setUp()
    await ledger.lower(lowered(2, 1), LATER)
    expect(server.writes).toBe(0)
  })

  test('is answered with 429 where the ledger is written too often to note it in time', async () => {
    const { ledger, time, server } = setUp()
    await ledger.open('')
    time.now = LATER
    expect(await outcome(ledger.lower(lowered(2, 1), LATER))).toBe('429')
    expect(server.writes).toBe(1)
  })
})

describe('a spec that counts more than before', () => {
  const widens = ({ views }: { readonly views: ScriptedView }, generation: number): void => {
    views.generation = views.widenedAt = generation
  }

  test('closes the ledger until no request of before can be stored any more, also for replicas that do not know it yet', async () => {
    const { first, second, server } = await twoReplicas([5, 5])
    widens(first, 2)
    // Only the leader closes it, once the API server asks about all that the spec counts.
    await first.ledger.tidy()
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('not counted')
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('allowed')
    expect(await first.store.readLive().then(() => first.ledger.tidy(true))).toBe(PATIENCE)
    expect(first.ledger.closure).toEqual({ isForWidening: true, leftMs: PATIENCE })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    expect(await outcome(second.ledger.reserve([creating('c', 'u3', 1)], LATER))).not.toBe('allowed')
    first.time.now = PATIENCE - 1
    expect(await first.ledger.tidy(true)).toBe(1)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    // A request of before that nobody knew of is stored in the last moment.
    server.put('d', 'u4', 4)
    first.time.now = PATIENCE
    await first.ledger.tidy(true)
    expect(first.ledger.closure).toBeUndefined()
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 2)], LATER))).toBe('refused 4+2>5')
  })

  test('needs time for itself where it comes while the ledger is closed for another', async () => {
    const { first, server } = await twoReplicas([5, 5, 5])
    widens(first, 2)
    await first.ledger.tidy(true)
    first.time.now = PATIENCE - 1
    widens(first, 3)
    expect(await first.ledger.tidy(true)).toBe(PATIENCE)
    first.time.now = PATIENCE
    await first.ledger.tidy(true)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { settling: 'widened-3' } })
    first.time.now = 2 * PATIENCE
    await first.ledger.tidy(true)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
  })

  test('never closes the ledger where only the limit or less than before is counted', async () => {
    const { first, server } = await twoReplicas([5, 5])
    first.views.generation = 2
    await first.ledger.tidy(true)
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { settling: '' } })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
  })
})

describe('a ledger', () => {
  test('is opened once, by the first that comes', async () => {
    const { ledger, server } = setUp()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('missing')
    expect(await ledger.open('')).toBe(true)
    expect(await ledger.open('')).toBe(true)
    expect(server.writes).toBe(1)
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
  })

  test('writes many requests at once, and allows no more than the limit', async () => {
    const { ledger, server } = setUp(10)
    await ledger.open('')
    const requests = Array.from({ length: 30 }, (_, index) => creating(`a${index}`, `u${index}`, 1))
    const outcomes = await Promise.all(requests.map((request) => outcome(ledger.reserve([request], LATER))))
    expect(outcomes.filter((one) => one === 'allowed')).toHaveLength(10)
    expect(new Set(outcomes)).toEqual(new Set(['allowed', 'refused 10+1>10']))
    expect(server.writes).toBeLessThan(4)
  })

  test('counts a name once, at the largest that was allowed', async () => {
    const { ledger, server, views } = setUp(5)
    await ledger.open('')
    server.put('a', 'u1', 1)
    views.see()
    for (const cost of [4, 2, 4, 5]) await ledger.reserve([updating(server, 'a', cost)], LATER)
    expect(server.ledger?.status).toMatchObject({ allocated: '5', reserved: '4' })
    expect(await outcome(ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('refused 5+1>5')
  })

  test('allows what lowers or leaves a cost without a write, also over the limit', async () => {
    const { ledger, server } = setUp(1)
    await ledger.open('')
    server.put('a', 'u1', 5)
    const { writes } = server
    await ledger.reserve([updating(server, 'a', 5)], LATER)
    await ledger.reserve([updating(server, 'a', 4)], LATER)
    expect(server.writes).toBe(writes)
    expect(await outcome(ledger.reserve([updating(server, 'a', 6)], LATER))).toBe('refused 5+6>1')
  })

  test('gives room back that a deletion made, before it refuses', async () => {
    const { ledger, server } = setUp(1)
    await ledger.open('')
    await ledger.reserve([creating('a', 'u1', 1)], LATER)
    server.put('a', 'u1', 1)
    server.remove('a')
    expect(await outcome(ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('allowed')
  })

  test('refuses a create for the quota whose name another object has, where there is no room beside that one', async () => {
    const { ledger, server, views } = setUp(1)
    await ledger.open('')
    server.put('a', 'u1', 1)
    views.see()
    expect(await outcome(ledger.reserve([creating('a', 'u2', 1)], LATER))).toBe('refused 1+1>1')
    server.remove('a')
    expect(await outcome(ledger.reserve([creating('a', 'u3', 1)], LATER))).toBe('allowed')
  })

  test('is shared by replicas: what one reserves the other counts', async () => {
    const one = setUp(2)
    const other = setUp(2, { server: one.server })
    await one.ledger.open('')
    const requests = Array.from({ length: 8 }, (_, index) => creating(`a${index}`, `u${index}`, 1))
    const outcomes = await Promise.all(
      requests.map((request, index) => outcome((index % 2 === 0 ? one : other).ledger.reserve([request], LATER))),
    )
    expect(outcomes.filter((text) => text === 'allowed')).toHaveLength(2)
    expect(outcomes.filter((text) => text === 'refused 2+1>2')).toHaveLength(6)
  })

  test('decides a dry run and writes nothing', async () => {
    const { ledger, server } = setUp(1)
    await ledger.open('')
    const { writes } = server
    expect(await outcome(ledger.consult([creating('a', 'u1', 1)], LATER))).toBe('allowed')
    expect(await outcome(ledger.consult([creating('a', 'u1', 2)], LATER))).toBe('refused 0+2>1')
    expect(server.writes).toBe(writes)
  })

  test('forgets a reservation when its object was seen, when it is released and when its time is over', async () => {
    const { ledger, server, views, time } = setUp(3)
    await ledger.open('')
    const requests = [creating('a', 'u1', 1), creating('b', 'u2', 1), creating('c', 'u3', 1)] as const
    for (const request of requests) await ledger.reserve([request], LATER)
    server.put('a', 'u1', 1)
    views.see()
    ledger.release(requests[1].claim)
    expect(await ledger.tidy()).toBe(PATIENCE)
    expect(server.ledger?.status).toMatchObject({ allocated: '2', reserved: '1' })
    expect(server.ledger?.status?.reservations).toMatchObject([{ objectRef: { name: 'c' } }])
    time.now = PATIENCE - 1
    expect(await ledger.tidy()).toBe(1)
    time.now = PATIENCE
    expect(await ledger.tidy()).toBeUndefined()
    expect(server.ledger?.status).toMatchObject({ allocated: '1', reserved: '0', reservations: [] })
  })

  test('gives a namespace a share of reservations, and less of it after lapses', async () => {
    const { ledger, server, time, views } = setUp(1000, { share: 4 })
    await ledger.open('')
    const create = (name: string) => outcome(ledger.reserve([creating(name, `u-${name}`, 1)], LATER))
    for (const name of ['a', 'b', 'c', 'd']) expect(await create(name)).toBe('allowed')
    expect(await create('e')).toBe('429')
    const elsewhere = { ...creating('e', 'u-e', 1), namespace: 'm' }
    expect(await outcome(ledger.reserve([elsewhere], LATER))).toBe('allowed')
    server.put('a', 'u-a', 1)
    views.see()
    time.now = PATIENCE
    await ledger.tidy()
    expect(await create('f')).toBe('allowed')
    expect(await create('g')).toBe('429')
  })

  test('has room for others after a few rounds of lapses of one namespace, also where the limit is small', async () => {
    const { ledger, time, store } = setUp(10)
    await ledger.open('')
    const create = (name: string, namespace: string) =>
      outcome(ledger.reserve([{ ...creating(name, `u-${name}`, 1), namespace }], LATER * 100))
    let rounds = 0
    for (let isFull = true; isFull; rounds++) {
      for (let index = 0; index < 10; index++) await create(`busy-${rounds}-${index}`, 'busy')
      isFull = (await create(`other-${rounds}`, 'other')) !== 'allowed'
      time.now += PATIENCE
      await ledger.tidy()
      expect(store.read()?.status?.allocated).toBe('0')
    }
    expect(rounds).toBeLessThan(5)
  })

  describe('of several namespaces', () => {
    const AMOUNT = 100
    /** Two replicas of a ledger, of which either may be asked. `create` says what becomes of a request. */
    async function several() {
      const server = new ScriptedServer()
      const replicas = [0, 1].map(() => setUp(AMOUNT, { server, namespace: '' }))
      const [first, second] = replicas
      if (first === undefined || second === undefined) throw new Error('there are two')
      await first.ledger.open('')
      await second.store.readLive()
      let names = 0
      const create = (namespace: string, cost: number, by = first) => {
        const request = creating(`x${++names}`, `u${names}`, cost)
        return outcome(by.ledger.reserve([{ ...request, namespace }], Infinity))
      }
      const store = async (cost: number) => {
        const done = await create('busy', cost)
        if (done !== 'allowed') return done
        server.put(`x${names}`, `u${names}`, cost)
        first.views.see()
        await first.ledger.tidy()
        server.remove(`x${names}`)
        first.views.see()
        return done
      }
      /** Lets the time of a reservation pass, as one replica measures it. */
      const round = async (by = first) => {
        await by.store.readLive()
        await by.ledger.tidy()
        by.time.now += PATIENCE
        await by.ledger.tidy()
      }
      return { server, first, second, create, store, round }
    }

    test('has room for the others, however large the requests of one are that lapse again and again', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: AMOUNT }),
          fc.integer({ min: 1, max: AMOUNT }),
          fc.boolean(),
          async (greed, need, isStoring) => {
            const { create, round, store } = await several()
            let most = 0
            for (let rounds = 0, waiting = 0; rounds < 64; rounds++) {
              // Whatever is free, in the largest pieces that it gets.
              for (let size = greed; size >= 1; size = Math.floor(size / 2))
                while ((await create('busy', size)) === 'allowed') continue
              const other = await create('other', isStoring ? Math.ceil(need / 2) : need)
              waiting = other === 'allowed' ? 0 : waiting + 1
              most = Math.max(most, waiting)
              if (other === 'allowed') break
              await round()
              if (isStoring) await store(1)
            }
            expect(most).toBeLessThan(20)
          },
        ),
        { numRuns: 30 },
      )
    })

    test('lets a namespace have all of the room again after each wait, for ever', async () => {
      const { create, round } = await several()
      const waits: number[] = []
      for (let times = 0; times < 6; times++) {
        let waited = 0
        while ((await create('busy', AMOUNT)) !== 'allowed') {
          await round()
          waited++
        }
        waits.push(waited)
        await round()
      }
      expect(waits).toEqual([0, 2, 4, 8, 16, 16])
    })

    test('answers the one that waits with 429, refuses what does not fit anyway, and restores it when its requests are stored', async () => {
      const { create, store, round } = await several()
      expect(await create('busy', AMOUNT)).toBe('allowed')
      await round()
      expect(await create('busy', AMOUNT / 2 + 1)).toBe('429')
      expect(await create('busy', AMOUNT + 1)).toBe(`refused 0+${AMOUNT + 1}>${AMOUNT}`)
      expect(await create('other', AMOUNT / 2)).toBe('allowed')
      expect(await create('busy', AMOUNT / 4 + 1)).toBe('429')
      expect(await create('busy', AMOUNT / 4)).toBe('allowed')
      expect(await create('busy', 1)).toBe('429')
      await round()
      await round()
      expect(await store(1)).toBe('allowed')
      expect(await create('busy', AMOUNT)).toBe('allowed')
    })

    test('does not have its room held by requests that repeat one name', async () => {
      const { first, create } = await several()
      let isHeld = true
      for (let times = 0; isHeld && times < 40; times++) {
        const again = { ...creating('same', 'u-same', AMOUNT), namespace: 'busy' }
        await outcome(first.ledger.reserve([again], Infinity))
        first.time.now += PATIENCE / 4
        await first.ledger.tidy()
        isHeld = (await create('other', 1)) !== 'allowed'
      }
      expect(isHeld).toBe(false)
    })

    test('keeps the wait when another replica goes on with it', async () => {
      const { create, round, first, second } = await several()
      expect(await create('busy', AMOUNT)).toBe('allowed')
      await round()
      await round(first)
      await second.store.readLive()
      expect(await create('busy', AMOUNT, second)).toBe('429')
      await round(second)
      expect(await create('busy', AMOUNT, second)).toBe('allowed')
    })

    test('has nobody to let ahead where it is of one namespace', async () => {
      const { ledger, time, store } = setUp(AMOUNT)
      await ledger.open('')
      for (let times = 0; times < 5; times++) {
        expect(await outcome(ledger.reserve([creating(`a${times}`, `u${times}`, AMOUNT)], Infinity))).toBe('allowed')
        time.now += PATIENCE
        await ledger.tidy()
        expect(store.read()?.status?.allocated).toBe('0')
        expect(await ledger.tidy()).toBeUndefined()
      }
    })
  })

  test('sends away what it cannot decide in time', async () => {
    const { ledger, time } = setUp()
    await ledger.open('')
    time.now = 10
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], 10))).toBe('429')
  })

  test('that replaces a lost one opens when the time of all requests is over', async () => {
    const { ledger, server, time } = setUp(1)
    await ledger.open('lost-1')
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    server.put('z', 'u9', 1)
    time.now = PATIENCE
    await ledger.tidy()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('refused 1+1>1')
  })

  test('of a later version is neither decided on nor written', async () => {
    const { ledger, server, store } = setUp()
    server.ledger = { version: '11', status: { outstanding: '2%x' } }
    await store.readLive()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('unreadable')
    await expect(ledger.tidy()).rejects.toThrow('this version of allot reads 1')
    expect(server.writes).toBe(0)
  })
})

describe('several ledgers', () => {
  const wide = () => setUp(5, { name: 'a' })
  const narrow = () => setUp(1, { name: 'b' })

  test('are charged all or none', async () => {
    const [a, b] = [wide(), narrow()]
    for (const { ledger } of [a, b]) await ledger.open('')
    const admit = (name: string) =>
      outcome(
        admitAll(
          [b, a].map(({ ledger }) => ({ ledger, charges: [creating(name, `u-${name}`, 1)] })),
          LATER,
          false,
        ),
      )
    expect(await Promise.all([admit('x'), admit('y')])).toEqual(['allowed', 'refused 1+1>1'])
    for (const { ledger } of [a, b]) await ledger.tidy()
    expect([a, b].map(({ server }) => server.ledger?.status?.allocated)).toEqual(['1', '1'])
  })

  test('all decide before one of them is written', async () => {
    const [a, b] = [wide(), narrow()]
    for (const { ledger } of [a, b]) await ledger.open('')
    const { writes } = a.server
    const charges = [a, b].map(({ ledger }) => ({ ledger, charges: [creating('x', 'u1', 7)] }))
    expect(await outcome(admitAll(charges, LATER, false))).toBe('refused 0+7>5 0+7>1')
    expect(a.server.writes).toBe(writes)
  })
})

describe('a ledger of several amounts', () => {
  const CPU = 'core/v1/Pod cpu'
  const PODS = 'core/v1/Pod pods'
  const charge = (name: string, cpu: number, pods: number, oldCpu = 0): readonly ChargeRequest[] => [
    { ...creating(name, `u-${name}`, cpu), kind: CPU, oldCost: Quantity.of(oldCpu), claim: `claim-${name}` },
    { ...creating(name, `u-${name}`, pods), kind: PODS, claim: `claim-${name}` },
  ]
  const nothing: KindView = {
    revision: '1',
    newest: '1',
    total: Quantity.zero,
    get: () => undefined,
    lastSight: () => undefined,
  }

  function open(cpu: number, pods: number) {
    const server = new ScriptedServer()
    const store = new ScriptedStore(server)
    const views: LedgerViews = {
      generation: 1,
      selection: '',
      kinds: new Map([CPU, PODS].map((kind) => [kind, nothing])),
    }
    const ledger = new LedgerAdmission({
      ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
      store,
      views: { current: () => views, catchUp: () => Promise.resolve() },
      limits: () => ({ cpu: Quantity.of(cpu), pods: Quantity.of(pods) }),
      amountOf: (kind) => kind.split(' ')[1] ?? '',
      clock: () => 0,
      statusOf: (state, old) => ledgerStatus(state, old, READERS),
      patience: PATIENCE,
    })
    return { server, ledger }
  }

  test('reserves all amounts of a request in one write, or none', async () => {
    const { ledger, server } = open(4, 2)
    await ledger.open('')
    const { writes } = server
    expect(await outcome(ledger.reserve(charge('a', 2, 1), LATER))).toBe('allowed')
    expect(server.writes).toBe(writes + 1)
    expect(await outcome(ledger.reserve(charge('b', 3, 1), LATER))).toBe('refused 2+3>4')
    expect(await outcome(ledger.reserve(charge('b', 2, 1), LATER))).toBe('allowed')
    expect(await outcome(ledger.reserve(charge('c', 1, 1), LATER))).toBe('refused 4+1>4')
  })

  test('names every amount that would exceed its limit, and compares only those that rise', async () => {
    const { ledger } = open(1, 1)
    await ledger.open('')
    const refused = await ledger.reserve(charge('a', 2, 2), LATER).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(LedgerRefused)
    const [refusal] = (refused as LedgerRefused).refusals
    expect(refusal.excesses.map(({ resource }) => resource).toSorted()).toEqual(['cpu', 'pods'])
    expect(await outcome(ledger.reserve(charge('a', 5, 1, 5), LATER))).toBe('allowed')
  })

  test('releases all amounts of a claim', async () => {
    const { ledger } = open(4, 2)
    await ledger.open('')
    await ledger.reserve(charge('a', 4, 2), LATER)
    ledger.release('claim-a')
    expect(await outcome(ledger.reserve(charge('b', 4, 2), LATER))).toBe('allowed')
  })
})
