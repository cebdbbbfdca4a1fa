import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, setUp, twoReplicas } from '../../../../test/systems/counted/admission-set-up.ts'
import {
  creating,
  ScriptedServer,
  ScriptedStore,
  ScriptedView,
  updating,
} from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { refusalText } from '../../../charges/refusal-text.ts'
import type { UsageStep } from './admit-all.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { LedgerRefused } from './ledger-errors.ts'

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

/** A store that counts how often it is asked for the ledger. */
class CountingStore extends ScriptedStore {
  reads = 0

  override read() {
    this.reads++
    return super.read()
  }
}

test.each([
  ['waits for a write', {}],
  ['is allowed ahead', { ahead: { owner: 'replica', sleep: () => Promise.resolve() } }],
])('a request that %s looks its ledger up once', async (what, options) => {
  const server = new ScriptedServer()
  const store = new CountingStore(server)
  const { ledger } = setUp(1000, { server, store, ...options })
  await ledger.open('')
  const looks: number[] = []
  for (let index = 0; index < 20; index++) {
    store.reads = 0
    const before = ledger.balance
    const charges = [creating(`pod-${index}`, `u${index}`, 1)]
    const usages: UsageStep[] = []
    const note = (usage: UsageStep): void => void usages.push(usage)
    const isAhead = ledger.reserveAhead(charges, note)
    if (!isAhead) await ledger.reserve(charges, LATER, note)
    expect(usages.map((one) => one.after.sub(one.before).toString())).toEqual(['1'])
    expect(ledger.balance?.sub(before ?? Quantity.zero).toString()).toBe('1')
    // The first requests, from which an advance is measured, and those that do not fit it, wait for a write.
    if (isAhead === (what === 'is allowed ahead')) looks.push(store.reads)
    await ledger.reconcile()
  }
  expect(looks.length).toBeGreaterThan(5)
  expect(new Set(looks)).toEqual(new Set([1]))
})

test('a request that does not fit a usable advance looks its ledger up once', async () => {
  const server = new ScriptedServer()
  const store = new CountingStore(server)
  const { ledger } = setUp(1000, { server, store, ahead: { owner: 'replica', sleep: () => Promise.resolve() } })
  await ledger.open('')
  for (let index = 0; index < 20; index++) await ledger.reserve([creating(`pod-${index}`, `u${index}`, 1)], LATER)
  const large = [creating('large', 'u-large', 500)]
  store.reads = 0
  expect(ledger.reserveAhead(large)).toBe(false)
  const reads = store.reads
  // The advance is usable: a small request fits.
  expect(ledger.reserveAhead([creating('small', 'u-small', 1)])).toBe(true)
  store.reads = reads
  await ledger.reserve(large, LATER)
  expect(store.reads).toBe(1)
})

test('a request is told of the usage that it was decided on, with what another replica wrote since this one last wrote', async () => {
  const { first, second } = await twoReplicas([100])
  await first.ledger.open('')
  await first.ledger.reserve([creating('a', 'u1', 10)], LATER)
  await second.store.readLive()
  await second.ledger.reserve([creating('b', 'u2', 80)], LATER)
  await first.store.readLive()
  const usages: string[] = []
  const note = ({ before, after }: UsageStep): void => void usages.push(`${before.toString()} to ${after.toString()}`)
  await first.ledger.consult([creating('c', 'u3', 1)], LATER, note)
  const charged = ['d', 'e'].map((name, index) => first.ledger.reserve([creating(name, `v${index}`, 1)], LATER, note))
  await Promise.all([...charged, first.ledger.reserve([creating('f', 'v2', 50)], LATER, note).catch(() => undefined)])
  expect(usages).toEqual(['90 to 90', '90 to 92', '90 to 92'])
})

test('a refusal of a ledger names its budget and its excess as the refusal of any budget does', async () => {
  const { ledger } = setUp(2)
  await ledger.open('')
  const refused = await ledger.reserve([creating('a', 'u1', 3)], LATER).catch((error: unknown) => error)
  if (!(refused instanceof LedgerRefused)) throw new Error('it was allowed')
  const { refusals } = refused
  const [{ reason, code, budget, excesses }] = refusals
  expect([reason, code, budget]).toEqual([
    'exceeded',
    403,
    { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
  ])
  expect(excesses.map(({ resource }) => resource)).toEqual([LEDGER_AMOUNT])
  expect(refusalText({ verdict: 'denied', refusals }, 'all')).toBe(
    `exceeded quota: CustomQuota n/q, requested: ${LEDGER_AMOUNT}=3, used: ${LEDGER_AMOUNT}=0, limited: ${LEDGER_AMOUNT}=2`,
  )
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

  test('counts an update from a state that it does not contain yet as all that it raises', async () => {
    const { first, second, server } = await twoReplicas([4])
    server.put('a', 'u1', 1)
    for (const { views } of [first, second]) views.see(1)
    await first.ledger.reserve([creating('c', 'u2', 1)], LATER)
    server.put('c', 'u2', 1)
    first.views.see()
    await first.ledger.reserve([updating(server, 'a', 2)], LATER)
    server.put('a', 'u1', 2)
    // The second has not seen c, which the ledger contains, and neither has seen that a costs more.
    await second.store.readLive()
    expect(await outcome(second.ledger.reserve([updating(server, 'a', 3)], LATER))).toBe('allowed')
    expect(server.ledger?.status).toMatchObject({ allocated: '4' })
    expect(await outcome(second.ledger.reserve([creating('b', 'u3', 1)], LATER))).toBe('refused 4+1>4')
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
    ledger.release(requests[1].id)
    expect(await ledger.reconcile()).toBe(PATIENCE)
    expect(server.ledger?.status).toMatchObject({ allocated: '2', reserved: '1' })
    expect(server.ledger?.status?.reservations).toMatchObject([{ objectRef: { name: 'c' } }])
    time.now = PATIENCE - 1
    expect(await ledger.reconcile()).toBe(1)
    time.now = PATIENCE
    expect(await ledger.reconcile()).toBeUndefined()
    expect(server.ledger?.status).toMatchObject({ allocated: '1', reserved: '0', reservations: [] })
  })

  test('sends away what it cannot decide in time', async () => {
    const { ledger, time } = setUp()
    await ledger.open('')
    time.now = 10
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], 10))).toBe('429')
  })

  test.each([
    [9, 'allowed', 'refused 1+1>1'],
    [10, '429', 'allowed'],
    [11, '429', 'allowed'],
  ])(
    'gives room back at once that was written too late for the API server, which stores nothing then: after %i of 10 ms it is %s, and the next %s',
    async (took, answer, next) => {
      const time = { now: 0 }
      class SlowServer extends ScriptedServer {
        override write(...args: Parameters<ScriptedServer['write']>): ReturnType<ScriptedServer['write']> {
          time.now += took
          return super.write(...args)
        }
      }
      const released: number[] = []
      const { ledger } = setUp(1, { server: new SlowServer(), time, onRelease: () => released.push(time.now) })
      await ledger.open('')
      time.now = 0
      expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], 10))).toBe(answer)
      expect(released).toEqual(answer === 'allowed' ? [] : [took])
      expect(await outcome(ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe(next)
    },
  )

  test('refuses nothing that fits at every moment, also where others go on writing, so that it and the objects are seen at different ones', async () => {
    const server = new ScriptedServer()
    const others = setUp(10, { server })
    let rounds = 0
    /** Another object takes the place of one that goes: 9 are used, before and after. */
    const replace = async (): Promise<void> => {
      const round = ++rounds
      server.remove(`x${round}`)
      others.views.see()
      await others.ledger.reserve([creating(`y${round}`, `uy${round}`, 1)], LATER)
    }
    const arrive = (): void => {
      if (rounds > 0) server.put(`y${rounds}`, `uy${rounds}`, 1)
    }
    let isBusy = true
    class LateStore extends ScriptedStore {
      override async readLive(): ReturnType<ScriptedStore['readLive']> {
        if (isBusy) {
          await Promise.resolve()
          await replace()
        }
        return await super.readLive()
      }
    }
    class EarlyView extends ScriptedView {
      override catchUp(): Promise<void> {
        arrive()
        this.see()
        return Promise.resolve()
      }
    }
    const store = new LateStore(server)
    const { ledger } = setUp(10, { server, store, views: new EarlyView(server) })
    for (let index = 1; index <= 9; index++) server.put(`x${index}`, `ux${index}`, 1)
    await others.ledger.open('')
    await others.ledger.reconcile()
    expect(await outcome(ledger.reserve([creating('b', 'ub', 1)], LATER))).toBe('429')
    expect(server.ledger?.status?.allocated).toBe('9')
    isBusy = false
    expect(await outcome(ledger.reserve([creating('b', 'ub', 1)], LATER))).toBe('allowed')
  })

  test('that replaces a lost one opens when the time of all requests is over', async () => {
    const { ledger, server, time } = setUp(1)
    await ledger.open('lost-1')
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    server.put('z', 'u9', 1)
    time.now = PATIENCE
    await ledger.reconcile()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('refused 1+1>1')
  })

  test('of a later version is neither decided on nor written', async () => {
    const { ledger, server, store } = setUp()
    server.ledger = { version: '11', status: { outstanding: '2%x' } }
    await store.readLive()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('unreadable')
    await expect(ledger.reconcile()).rejects.toThrow('this version of allot reads 1')
    expect(server.writes).toBe(0)
  })
})
