import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { InFlightUsage, increases, usageToWrite } from './in-flight-usage.ts'

const PATIENCE = 100
/** How late a watch may be: requests end so much earlier. */
const MARGIN = 1
const list = (pods: number): ResourceList => ({ pods: Quantity.of(pods) })
const pods = (amounts: ResourceList): number => Number(quantityOf(amounts, 'pods')?.toString() ?? '0')

interface Stored {
  readonly cost: number
  readonly version: number
}

/** An API server whose plugin charges first and stores later, and a controller that sees both through watches that lag. */
class World {
  version = 1
  used = 0
  quotaVersion = 1
  time = 0
  readonly stored = new Map<number, Stored>()
  /** Charged, and not stored yet; by the time from which on they cannot be stored any more. */
  readonly requests: { id: number; cost: number; until: number }[] = []
  readonly quotaEvents: { used: number; version: number; own: boolean }[] = []
  readonly objectEvents: { id: number; object: Stored | undefined }[] = []
  readonly seen = new Map<number, Stored>()
  seenUsed = 0
  seenQuota = 1
  ids = 0
  readonly inFlight = new InFlightUsage(PATIENCE)

  charge(cost: number): void {
    this.#use(this.used + cost, false)
    this.requests.push({ id: this.ids++, cost, until: this.time + PATIENCE - MARGIN })
  }

  store(at: number, isLost: boolean): void {
    const [request] = this.requests.splice(at % Math.max(1, this.requests.length), 1)
    if (request === undefined || isLost) return
    const object = { cost: request.cost, version: ++this.version }
    this.stored.set(request.id, object)
    this.objectEvents.push({ id: request.id, object })
  }

  remove(at: number): void {
    const ids = [...this.stored.keys()]
    const id = ids[at % Math.max(1, ids.length)]
    if (id === undefined) return
    this.version++
    this.stored.delete(id)
    this.objectEvents.push({ id, object: undefined })
  }

  seeQuota(): void {
    const event = this.quotaEvents.shift()
    if (event === undefined || event.version <= this.seenQuota) return
    if (!event.own)
      this.inFlight.raised(increases(list(this.seenUsed), list(event.used)), String(event.version), this.time)
    this.seenUsed = event.used
    this.seenQuota = event.version
  }

  seeObject(): void {
    const event = this.objectEvents.shift()
    if (event === undefined) return
    const { id, object } = event
    if (object === undefined) this.seen.delete(id)
    else {
      this.seen.set(id, object)
      this.inFlight.observed(list(object.cost), String(object.version), this.time)
    }
  }

  /** Counts and writes by compare-and-swap. */
  reconcile(): void {
    const counted = list(sum(this.seen.values()))
    const used = pods(usageToWrite(counted, list(this.seenUsed), this.inFlight.amounts(this.time)))
    if (this.seenQuota !== this.quotaVersion || used === this.seenUsed) return
    this.#use(used, true)
    this.seenUsed = used
    this.seenQuota = this.quotaVersion
  }

  /** Requests do not outlive their timeout, and a watch is not late by more than the margin. */
  pass(time: number): void {
    this.time += MARGIN
    while (this.objectEvents.length > 0) this.seeObject()
    while (this.quotaEvents.length > 0) this.seeQuota()
    this.time += time - MARGIN
    while (this.requests.some(({ until }) => until < this.time))
      this.store(
        this.requests.findIndex(({ until }) => until < this.time),
        true,
      )
  }

  get owed(): number {
    return sum(this.stored.values()) + sum(this.requests)
  }

  #use(used: number, own: boolean): void {
    this.used = used
    this.quotaVersion = ++this.version
    this.quotaEvents.push({ used, version: this.quotaVersion, own })
  }
}

const sum = (costs: Iterable<{ readonly cost: number }>): number =>
  Array.from(costs, ({ cost }) => cost).reduce((total, cost) => total + cost, 0)

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('charge'), value: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom('store', 'lose', 'remove', 'quota', 'object', 'reconcile'),
      value: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pass'), value: fc.integer({ min: 1, max: 150 }) }) },
)

const ACTIONS: Readonly<Record<string, (world: World, value: number) => void>> = {
  charge: (world, value) => world.charge(value),
  store: (world, value) => world.store(value, false),
  lose: (world, value) => world.store(value, true),
  remove: (world, value) => world.remove(value),
  quota: (world) => world.seeQuota(),
  object: (world) => world.seeObject(),
  reconcile: (world) => world.reconcile(),
  pass: (world, value) => world.pass(value),
}

test('usage that a controller writes never gives back the room of an object that can still be stored', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new World()
      for (const { type, value } of steps) {
        ACTIONS[type]?.(world, value)
        expect(world.used).toBeGreaterThanOrEqual(world.owed)
      }
    }),
    { numRuns: 2000 },
  )
})

test('usage is exact once nothing is under way and what was lost has lapsed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new World()
      for (const { type, value } of steps) ACTIONS[type]?.(world, value)
      world.pass(PATIENCE + 1)
      world.pass(PATIENCE + 1)
      world.reconcile()
      expect(world.used).toBe(sum(world.stored.values()))
    }),
    { numRuns: 1000 },
  )
})

test('room of a deleted object is given back at once while others are in flight', () => {
  const world = new World()
  world.charge(1)
  world.store(0, false)
  world.charge(2)
  world.seeObject()
  world.seeQuota()
  world.seeQuota()
  world.remove(0)
  world.seeObject()
  world.reconcile()
  expect(world.used).toBe(2)
})

test('an object pays off its charge, so that its room comes back as soon as it is deleted', () => {
  const world = new World()
  world.charge(3)
  world.seeQuota()
  world.store(0, false)
  world.seeObject()
  world.remove(0)
  world.seeObject()
  world.reconcile()
  expect(world.used).toBe(0)
})

test('an object pays off no charge that is newer than it', () => {
  const usage = new InFlightUsage(PATIENCE)
  usage.observed(list(2), '5', 0)
  usage.raised(list(2), '9', 1)
  expect(pods(usage.amounts(2))).toBe(2)
  expect(usage.lapsesAt).toBe(1 + PATIENCE)
  expect(pods(usage.amounts(1 + PATIENCE))).toBe(0)
})

test('an object that nobody charged is counted', () => {
  expect(pods(usageToWrite(list(3), list(2), {}))).toBe(3)
  expect(pods(usageToWrite(list(3), {}, list(5)))).toBe(3)
})
