import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, ScriptedServer } from '../../../../test/systems/counted/scripted-ledger.ts'

describe('a ledger', () => {
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
    await ledger.reconcile()
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
      await ledger.reconcile()
      expect(store.read()?.status?.allocated).toBe('0')
    }
    expect(rounds).toBeLessThan(5)
  })
})

describe('a ledger of several namespaces', () => {
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
      await first.ledger.reconcile()
      server.remove(`x${names}`)
      first.views.see()
      return done
    }
    /** Lets the time of a reservation pass, as one replica measures it. */
    const round = async (by = first) => {
      await by.store.readLive()
      await by.ledger.reconcile()
      by.time.now += PATIENCE
      await by.ledger.reconcile()
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
      await first.ledger.reconcile()
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
      await ledger.reconcile()
      expect(store.read()?.status?.allocated).toBe('0')
      expect(await ledger.reconcile()).toBeUndefined()
    }
  })
})
