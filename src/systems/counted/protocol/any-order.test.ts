// Covers ledger-admission.ts and ledger-status.ts, whatever the order of requests.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PATIENCE, READERS } from '../../../../test/systems/counted/admission-set-up.ts'
import {
  creating,
  ScriptedServer,
  ScriptedStore,
  ScriptedView,
  updating,
} from '../../../../test/systems/counted/scripted-ledger.ts'
import { ApiError } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { LedgerRefused, LedgerUnavailable } from './ledger-errors.ts'
import { type LedgerStatus, ledgerStatus } from './ledger-status.ts'
import type { LedgerStore, StoredLedger } from './ledger-store.ts'
import type { ChargeRequest } from './reserve.ts'

const REPLICAS = 2
/** How long the API server goes on with a request. */
const REQUEST_TIMEOUT = 60_000

interface Step {
  readonly type: 'create' | 'update' | 'remove' | 'limit' | 'watch' | 'reconcile' | 'time'
  readonly name: string
  readonly cost: number
  readonly replica: number
  /** Refused by somebody behind the ledger. */
  readonly fails: boolean
}

const steps = fc.array(
  fc.record<Step>({
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constant('create' as const) },
      { weight: 4, arbitrary: fc.constant('update' as const) },
      { weight: 2, arbitrary: fc.constant('remove' as const) },
      { weight: 4, arbitrary: fc.constant('limit' as const) },
      { weight: 4, arbitrary: fc.constant('watch' as const) },
      { weight: 2, arbitrary: fc.constant('reconcile' as const) },
      { weight: 1, arbitrary: fc.constant('time' as const) },
    ),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    cost: fc.integer({ min: 1, max: 4 }),
    replica: fc.integer({ min: 0, max: REPLICAS - 1 }),
    fails: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
  }),
  { minLength: 6, maxLength: 24 },
)

/** In which writes of a ledger the answer is lost: every so many. */
const losses = fc.integer({ min: 2, max: 9 })

/** Everything that takes time has its turn when the scheduler says: what is asked, and what is answered. */
class ScheduledStore implements LedgerStore {
  readonly #store: ScriptedStore
  readonly #turn: (what: string) => Promise<void>
  readonly #isLost: () => boolean

  constructor(store: ScriptedStore, turn: (what: string) => Promise<void>, isLost: () => boolean) {
    this.#store = store
    this.#turn = turn
    this.#isLost = isLost
  }

  read(): StoredLedger | undefined {
    return this.#store.read()
  }

  async readLive(): Promise<StoredLedger | undefined> {
    await this.#turn('the ledger is read')
    const read = await this.#store.readLive()
    await this.#turn('the ledger was read')
    return read
  }

  async write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'> {
    await this.#turn('the ledger is written')
    if (this.#isLost()) {
      // Written by somebody who never hears of it.
      await new ScriptedStore(this.#store.server).write(version, status)
      throw new Error('the answer was lost')
    }
    const written = await this.#store.write(version, status)
    await this.#turn('the ledger was written')
    return written
  }
}

test.each([
  { title: 'with a write before each answer', isAhead: false, first: 6 },
  { title: 'with room reserved ahead of requests', isAhead: true, first: 12 },
])(
  'whatever order things happen in $title, no more is stored than the limit, nothing more is promised, and everything settles',
  async ({ isAhead, first: most }) => {
    let ahead = 0
    let stored = 0
    let refused = 0
    let changed = 0
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), steps, losses, async (scheduler, actions, lossEach) => {
        const server = new ScriptedServer()
        const time = { now: 0 }
        const turn = (what: string): Promise<void> => scheduler.schedule(Promise.resolve(), what)
        let writes = 0
        let isCalm = false
        /** The limits of the quota by its generations, from the first on. */
        const limits = [most]
        const isLost = (): boolean => !isCalm && ++writes % lossEach === 0
        const sleep = async (ms: number): Promise<void> => {
          await turn('somebody waits')
          time.now += ms
        }
        const replicas = Array.from({ length: REPLICAS }, (_, index) => {
          const views = new ScriptedView(server)
          const catchUp = views.catchUp.bind(views)
          views.catchUp = async () => {
            await turn('the objects are listed')
            await catchUp()
            views.generation = limits.length
          }
          const known = new ScriptedStore(server)
          const ledger = new LedgerAdmission({
            ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
            store: new ScheduledStore(known, turn, isLost),
            views,
            limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(limits[views.generation - 1] ?? 0) }),
            clock: () => time.now,
            statusOf: (state, old) => ledgerStatus(state, old, READERS),
            patience: PATIENCE,
            ...(isAhead ? { ahead: { owner: `p${index}`, sleep, measure: { leastRequests: 1, partOfRoom: 1n } } } : {}),
          })
          return { views, known, ledger }
        })
        const check = (): void => {
          expect(server.total).toBeLessThanOrEqual(most)
          // A request that is named after it was allowed may count twice for a while: there, and in the advance of another replica.
          if (!isAhead) expect(Number(server.ledger?.status?.allocated ?? '0')).toBeLessThanOrEqual(most)
        }
        const [first] = replicas
        if (first === undefined) return
        await scheduler.waitFor(until(() => first.ledger.open('')))

        let uids = 0
        /** The API server's part of a request. */
        const request = async ({ type, name, cost, replica, fails }: Step): Promise<void> => {
          const startedAt = time.now
          await turn(`${type} ${name} to ${cost}`)
          const known = limits.length - 1
          if (type === 'update' && !server.objects.has(name)) return
          const charge: ChargeRequest =
            type === 'create' ? creating(name, `u${uids++}`, cost) : updating(server, name, cost)
          try {
            const ledger = replicas[replica]?.ledger
            if (ledger?.reserveAhead([charge]) === true) ahead++
            else await ledger?.reserve([charge], startedAt + REQUEST_TIMEOUT / 2)
          } catch (error) {
            if (error instanceof LedgerRefused) refused++
            if (error instanceof LedgerRefused || error instanceof LedgerUnavailable || error instanceof ApiError)
              return
            throw error
          }
          await turn(`${type} ${name} was allowed`)
          if (fails || time.now >= startedAt + REQUEST_TIMEOUT) return
          const there = server.objects.get(name)
          const isPossible =
            type === 'create' ? there === undefined : there?.uid === charge.uid && String(there.version) === charge.base
          if (!isPossible) return
          server.put(name, charge.uid, cost)
          stored++
          check()
          // The usage is within a limit of this request's time, whatever the replica knew then.
          if (cost > (there?.cost ?? 0)) expect(server.total).toBeLessThanOrEqual(Math.max(...limits.slice(known)))
        }
        /** Somebody updates the quota: the API server asks a replica, which has a lower limit noted first. */
        const limit = async ({ cost: size, replica, fails }: Step): Promise<void> => {
          const startedAt = time.now
          await turn('the limit is updated')
          const generation = limits.length + 1
          const cost = size + 1
          const lowering = { generation, limits: { [LEDGER_AMOUNT]: Quantity.of(cost) } }
          try {
            if (cost < (limits.at(-1) ?? 0))
              await replicas[replica]?.ledger.lower(lowering, startedAt + REQUEST_TIMEOUT / 2)
          } catch (error) {
            if (error instanceof LedgerUnavailable || error instanceof ApiError) return
            throw error
          }
          await turn(`the limit ${cost} was allowed`)
          if (fails || time.now >= startedAt + REQUEST_TIMEOUT || limits.length >= generation) return
          limits.push(cost)
          changed++
        }
        const act = async (step: Step): Promise<void> => {
          const replica = replicas[step.replica]
          if (step.type === 'create' || step.type === 'update') return await request(step)
          if (step.type === 'limit') return await limit(step)
          await turn(step.type)
          if (step.type === 'remove') server.remove(step.name)
          else if (step.type === 'watch') {
            replica?.views.see(step.cost)
            if (replica !== undefined && step.fails) replica.views.generation = limits.length
            if (step.fails) await replica?.known.readLive()
          } else if (step.type === 'time') time.now += PATIENCE
          else await reconcile(replica?.ledger)
          check()
        }
        await scheduler.waitFor(Promise.all(actions.map(act)))

        isCalm = true
        for (const { views, known, ledger } of replicas) {
          views.see()
          views.generation = limits.length
          // Requests are named in the background, and what is named after a look is there until the next one.
          await scheduler.waitAll()
          await known.readLive()
          time.now += PATIENCE
          await scheduler.waitFor(reconcile(ledger))
          time.now += PATIENCE
          await known.readLive()
          await scheduler.waitFor(reconcile(ledger))
        }
        check()
        expect(server.ledger?.status).toMatchObject({
          allocated: String(server.total),
          reserved: '0',
          reservations: [],
        })
        expect(server.ledger?.status?.outstanding).not.toMatch(/%[oC]\//)
      }),
      { numRuns: process.env['ALLOT_SOAK'] === '1' ? 20_000 : 1_500 },
    )
    expect(stored).toBeGreaterThan(100)
    expect(refused).toBeGreaterThan(100)
    expect(changed).toBeGreaterThan(100)
    expect(ahead > 30).toBe(isAhead)
  },
)

/** A write that fails now is repeated with the next call. */
async function reconcile(ledger: LedgerAdmission | undefined): Promise<void> {
  try {
    await ledger?.reconcile()
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error
  }
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (;;) {
    try {
      if (await isDone()) return
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
    }
  }
}
