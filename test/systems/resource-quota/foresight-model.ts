import type { ResourceQuota } from '../../../src/kinds/resource-quota/resource-quota.ts'
import type { Denied } from '../../../src/charges/decide.ts'
import type { Attributes } from '../../../src/charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../src/charges/evaluators/table.ts'
import type { foresee } from '../../../src/systems/resource-quota/decide/foresight/foresee.ts'
import type * as seenQuotas from '../../../src/systems/resource-quota/decide/foresight/seen-quotas.ts'
import { Choices, type PossibleEvent } from '../../charges/choices.ts'

/** A namespace with one ResourceQuota, beside one quota of allot's, and requests that arrive in this order, each at any time. */
export interface ForesightWorld {
  readonly limit: number
  /** Usage that may go while the requests are on their way. */
  readonly used: number
  readonly requests: number
  /** How often somebody else may refuse a request, usage may go or come, or those that wait may go on, all together. */
  readonly disturbances: number
}

/** The part of production that is explored, or a mutant of it. */
export interface Foreseeing {
  readonly foresee: typeof foresee
  readonly SeenQuotas: typeof seenQuotas.SeenQuotas
  readonly refusalBy: typeof seenQuotas.refusalBy
}

export interface ForesightExploration {
  readonly runs: number
  readonly violation?: string
}

type State = 'to come' | 'looking' | 'reserved' | 'stored' | 'foreseen' | 'refused' | 'refused by others'

class Broken extends Error {}

/** The usage as it was stored at one time. */
interface Stored {
  readonly version: number
  readonly used: number
}

/** Longer than any run of the worlds here. */
const MOST_STEPS = 80
const MEASURING = { now: 0 }
const ATTRIBUTES: Attributes = {
  group: '',
  resource: 'secrets',
  subresource: '',
  operation: 'CREATE',
  name: 's',
  namespace: 'n',
  object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
  dryRun: false,
}

const quotaOf = (limit: number, used: number): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'n', name: 'q', uid: 'u' },
  status: { hard: { secrets: String(limit) }, used: { secrets: String(used) } },
})

/** Follows every order of events in a world to its end, each in a run of its own, and checks each step. */
export async function exploreForesight(world: ForesightWorld, foreseeing: Foreseeing): Promise<ForesightExploration> {
  let runs = 0
  for (let script: readonly number[] | undefined = []; script !== undefined;) {
    const choices = new Choices(script)
    runs++
    try {
      await new ForesightRun(world, foreseeing, choices).follow()
    } catch (error) {
      if (error instanceof Broken) return { runs, violation: `${error.message} (after ${choices.names.join(', ')})` }
      throw error
    }
    script = choices.next()
  }
  return { runs }
}

/** One run: the model is the API server with its own admission, the watch, and everybody else. */
class ForesightRun {
  readonly #world: ForesightWorld
  readonly #foreseeing: Foreseeing
  readonly #choices: Choices
  readonly #seen: seenQuotas.SeenQuotas
  readonly #states: State[]
  /** By requests, the usage that was stored at some time while they were looked at. */
  readonly #usedSince: (readonly number[])[]
  #stored: Stored
  #seenVersion = 0
  /** The events that the watch has still to show. */
  #unseen: readonly Stored[] = []
  #waiting: ((isPatient: boolean) => void)[] = []
  #pending: readonly PossibleEvent[] = []
  #disturbances: number
  /** How many requests may hold room in vain: one for each that nobody could know of. */
  #excused = 0
  #violation: Broken | undefined

  constructor(world: ForesightWorld, foreseeing: Foreseeing, choices: Choices) {
    this.#world = world
    this.#foreseeing = foreseeing
    this.#choices = choices
    this.#stored = { version: 0, used: world.used }
    this.#disturbances = world.disturbances
    this.#states = Array.from({ length: world.requests }, () => 'to come')
    this.#usedSince = this.#states.map(() => [])
    this.#seen = new foreseeing.SeenQuotas(QUOTA_EVALUATORS, Infinity)
    this.#seen.set(quotaOf(world.limit, world.used))
  }

  async follow(): Promise<void> {
    for (let step = 0; ; step++) {
      // All that follows from an event happens before the next.
      for (let turn = 0; turn < 12; turn++) await Promise.resolve()
      if (this.#violation !== undefined) throw this.#violation
      const events = this.#events()
      if (events.length === 0) break
      if (step === MOST_STEPS) throw new Broken('a request never ends')
      this.#choices.pick(events).happen()
      if (this.#violation !== undefined) throw this.#violation
    }
    if (this.#count('looking', 'reserved', 'to come') > 0) throw new Broken('a request is never answered')
    const inVain = this.#count('refused')
    if (inVain > this.#excused) throw new Broken(`room is held in vain for ${inVain} requests`)
    const taken = this.#count('foreseen', 'refused', 'refused by others')
    if (this.#world.disturbances === 0 && taken + this.#count('stored') !== this.#world.requests)
      throw new Broken('a request is lost')
  }

  #count(...states: readonly State[]): number {
    return this.#states.filter((state) => states.includes(state)).length
  }

  #events(): readonly PossibleEvent[] {
    const arrives = this.#states.indexOf('to come')
    const [next] = this.#unseen
    const deciding = this.#states.flatMap((state, index) => (state === 'reserved' ? [index] : []))
    const events = [
      ...(arrives < 0 ? [] : [{ name: `request ${arrives} comes`, happen: () => this.#arrive(arrives) }]),
      ...this.#pending,
      ...deciding.map((index) => ({ name: `the API server decides on ${index}`, happen: () => this.#decide(index) })),
      ...(next === undefined ? [] : [{ name: `the watch shows ${next.used}`, happen: () => this.#show(next) }]),
    ]
    const disturbing = this.#disturbances > 0 ? this.#disturbing(deciding) : []
    if (events.length > 0 || this.#waiting.length === 0) return [...events, ...disturbing]
    if (this.#world.disturbances === 0) throw new Broken('a request waits while nothing is on its way')
    return [{ name: 'nobody waits any longer', happen: () => this.#hurry() }]
  }

  #disturbing(deciding: readonly number[]): readonly PossibleEvent[] {
    const strike = (name: string, happen: () => void): PossibleEvent => ({
      name,
      happen: () => {
        this.#disturbances--
        happen()
      },
    })
    const [first] = deciding
    const { used } = this.#stored
    return [
      ...(used > 0 ? [strike('an object goes', () => this.#write(used - 1))] : []),
      ...(used < this.#world.limit
        ? [
            strike('an object comes that allot is not asked about', () => {
              this.#excused++
              this.#write(used + 1)
            }),
          ]
        : []),
      ...(first === undefined
        ? []
        : [strike(`somebody else refuses ${first}`, () => void (this.#states[first] = 'refused by others'))]),
      ...(this.#waiting.length > 0 ? [strike('nobody waits any longer', () => this.#hurry())] : []),
    ]
  }

  #write(used: number): void {
    this.#stored = { version: this.#stored.version + 1, used }
    this.#unseen = [...this.#unseen, this.#stored]
    for (const [index, state] of this.#states.entries())
      if (state === 'looking') this.#usedSince[index] = [...(this.#usedSince[index] ?? []), used]
  }

  #show(shown: Stored): void {
    this.#unseen = this.#unseen.filter((one) => one !== shown)
    this.#see(shown)
  }

  /** A cache takes nothing that is older than what it has. */
  #see({ version, used }: Stored): void {
    if (version <= this.#seenVersion) return
    this.#seenVersion = version
    this.#seen.set(quotaOf(this.#world.limit, used))
    this.#wake(true)
  }

  #wake(isPatient: boolean): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake(isPatient)
  }

  #hurry(): void {
    this.#excused += this.#waiting.length
    this.#wake(false)
  }

  #arrive(index: number): void {
    this.#states[index] = 'looking'
    this.#usedSince[index] = [this.#stored.used]
    void this.#look(index)
  }

  async #look(index: number): Promise<void> {
    const foreseen = await this.#foreseeing.foresee({
      forecast: () => this.#seen.forecast(ATTRIBUTES, MEASURING, 0),
      expect: (charges) => this.#seen.expect(charges, 0),
      confirm: () => this.#read(index),
      change: () => new Promise((resolve) => this.#waiting.push(resolve)),
    })
    if (foreseen.type === 'refused') {
      this.#states[index] = 'foreseen'
      if (this.#usedSince[index]?.every((used) => used < this.#world.limit) === true)
        this.#violation ??= new Broken(`request ${index} is refused that fitted all the time`)
      return
    }
    this.#states[index] = 'reserved'
    foreseen.expectations(0)
  }

  /** A consistent read sees what is stored at some time after it was asked for; its answer comes later. */
  async #read(index: number): Promise<Denied | undefined> {
    const step = (name: string): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const event: PossibleEvent = {
        name: `the quotas are ${name} for ${index}`,
        happen: () => {
          this.#pending = this.#pending.filter((one) => one !== event)
          resolve()
        },
      }
      this.#pending = [...this.#pending, event]
      return promise
    }
    await step('read')
    const read = this.#stored
    await step('answered')
    this.#see(read)
    return this.#foreseeing.refusalBy([quotaOf(this.#world.limit, read.used)], QUOTA_EVALUATORS, ATTRIBUTES, MEASURING)
  }

  /** The API server's own admission has the last word, on what is stored. */
  #decide(index: number): void {
    const { used } = this.#stored
    this.#states[index] = used < this.#world.limit ? 'stored' : 'refused'
    if (used < this.#world.limit) this.#write(used + 1)
  }
}
