import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { ScriptedClient, UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { SECRETS } from '../../../kube/webhook-certificates/secret.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { WEBHOOK_KEY_SECRET } from '../../../install/installed-names.ts'
import { WebhookKeyKeeper } from './keeper.ts'

const PATH = '/custom-quotas/calculations'
const PLACE = { namespace: 'system', name: WEBHOOK_KEY_SECRET }
const NEVER = new AbortController().signal
/** API servers that are not stuck follow a configuration within so long. */
const LAG_MS = 5_000
const DAY_MS = 24 * 3_600_000
/** A change of keys takes less, with a leader and an API server that answers. */
const CHANGE_MS = 120_000

/** Replicas, the configuration that the leader writes, and API servers that go by it or by one of a moment ago. */
class World {
  readonly client = new ScriptedClient(SECRETS)
  readonly clock = new ManualClock()
  readonly errors: string[] = []
  readonly replicas: WebhookKeyKeeper[] = []
  readonly #ends: (() => void)[] = []
  #leader: WebhookKeyKeeper | undefined
  /** The paths that were written, with their times; the newest last. */
  #written: readonly { readonly at: number; readonly path: string }[] = []

  async add(): Promise<WebhookKeyKeeper> {
    const { client, clock } = this
    const logger = { ...silentLogger, error: (_: object, text: string) => void this.errors.push(text) }
    const options = { client, context: clock, logger, systemNamespace: 'system' }
    const replica = await WebhookKeyKeeper.open(options, NEVER)
    this.replicas.push(replica)
    return replica
  }

  async lead(replica: WebhookKeyKeeper): Promise<void> {
    this.unlead()
    this.#leader = replica
    const refresh = (): void => {
      // A replica that leads no more writes nothing more.
      if (this.#leader === replica) this.#write(replica.guarded(PATH))
    }
    this.#ends.push(await replica.lead({ isWritten: () => this.stored === replica.guarded(PATH), refresh }))
    refresh()
  }

  unlead(): void {
    this.#leader = undefined
    for (const end of this.#ends.splice(0)) end()
  }

  async end(replica: WebhookKeyKeeper): Promise<void> {
    if (this.#leader === replica) this.unlead()
    this.replicas.splice(this.replicas.indexOf(replica), 1)
    await replica.stop()
  }

  get stored(): string | undefined {
    return this.#written.at(-1)?.path
  }

  #write(path: string): void {
    if (path !== this.stored) this.#written = [...this.#written, { at: this.clock.monotonic(), path }]
  }

  /** The paths that API servers may go by now. */
  get inUse(): readonly string[] {
    const now = this.clock.monotonic()
    return this.#written
      .filter((_, index) => now - (this.#written[index + 1]?.at ?? now) <= LAG_MS)
      .map(({ path }) => path)
  }

  /** The paths that API servers ask for, and replicas do not answer. */
  get refused(): readonly string[] {
    return this.inUse.filter((path) => this.replicas.some((replica) => replica.opened(path) !== PATH))
  }

  async pass(ms: number): Promise<readonly string[]> {
    const refused: string[] = []
    for (let passed = 0; passed < ms; passed += 1000) {
      await this.clock.advance(Math.min(1000, ms - passed))
      refused.push(...this.refused)
    }
    return refused
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()))
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('lead', 'suspect', 'end', 'fail'), who: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('add', 'unlead', 'lose') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('chance' as const), of: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
    },
  ),
  { maxLength: 40 },
)

test('whatever replicas and leaders do, no call of an API server is refused, and a path that somebody may know is closed in the end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await using world = new World()
      await world.lead(await world.add())
      await world.add()
      for (const step of all) {
        const one = 'who' in step ? world.replicas[step.who % world.replicas.length] : undefined
        if (step.do === 'chance') world.clock.chance = step.of
        if (step.do === 'lead' && one !== undefined) await world.lead(one)
        if (step.do === 'suspect') one?.suspect()
        if (step.do === 'end' && one !== undefined && world.replicas.length > 1) await world.end(one)
        // The write has taken effect, and its answer is lost.
        if (step.do === 'fail') world.client.failNext('update', UNREACHABLE, true)
        if (step.do === 'add' && world.replicas.length < 5) await world.add()
        if (step.do === 'unlead') world.unlead()
        if (step.do === 'lose' && world.client.state.size > 0) {
          await world.client.delete(SECRETS, PLACE)
          // A replica that starts before another one has put it back would make a key of its own.
          await world.pass(7_000)
        }
        expect(await world.pass(step.do === 'pass' ? step.ms : 0)).toEqual([])
        expect(world.refused).toEqual([])
      }
      world.client.failNoMore()
      const [leader] = world.replicas
      if (leader === undefined) return
      await world.lead(leader)
      const known = world.stored ?? ''
      leader.suspect()
      expect(await world.pass(3 * CHANGE_MS)).toEqual([])
      expect(world.replicas.map((replica) => replica.opened(known))).toEqual(world.replicas.map(() => undefined))
      expect(world.stored).not.toBe(known)
    }),
    { numRuns: process.env['ALLOT_SOAK'] === '1' ? 2000 : 60 },
  )
})

test('a key is changed once a day, when another replica begins to lead, and not otherwise', async () => {
  await using world = new World()
  const first = await world.add()
  await world.lead(first)
  const paths = [world.stored]
  await world.pass(4 * CHANGE_MS)
  expect(world.stored).toBe(paths[0])
  const second = await world.add()
  await world.lead(second)
  await world.pass(CHANGE_MS)
  paths.push(world.stored)
  await world.pass(4 * CHANGE_MS)
  expect(world.stored).toBe(paths[1])
  world.clock.jump(DAY_MS)
  await world.pass(CHANGE_MS)
  paths.push(world.stored)
  expect(new Set(paths).size).toBe(3)
})

test('without a leader nothing is retired, and while the configurations are not written neither', async () => {
  await using world = new World()
  const replica = await world.add()
  let isWritten = false
  const paths = [replica.guarded(PATH)]
  replica.suspect()
  await world.clock.advance(CHANGE_MS)
  expect(replica.guarded(PATH)).toBe(paths[0])
  await replica.lead({ isWritten: () => isWritten, refresh: () => paths.push(replica.guarded(PATH)) })
  await world.clock.advance(CHANGE_MS)
  expect(paths).toHaveLength(2)
  expect(paths.map((path) => replica.opened(path))).toEqual([PATH, PATH])
  isWritten = true
  await world.clock.advance(CHANGE_MS)
  expect(replica.opened(paths[0] ?? '')).toBeUndefined()
})

test('replicas that start together share one key, and a Secret that holds none gets one', async () => {
  await using world = new World()
  const [first, second] = await Promise.all([world.add(), world.add()])
  expect(first.guarded(PATH)).toBe(second.guarded(PATH))
  await using other = new World()
  other.client.put({ apiVersion: 'v1', kind: 'Secret', metadata: PLACE, data: { current: 'c2hvcnQ=' } })
  const third = await other.add()
  expect((await other.add()).guarded(PATH)).toBe(third.guarded(PATH))
})

test('while the keys cannot be read the last ones stay, and it is said once', async () => {
  await using world = new World()
  const replica = await world.add()
  const path = replica.guarded(PATH)
  world.client.outage = UNREACHABLE
  await world.clock.advance(CHANGE_MS)
  await settled()
  expect(replica.opened(path)).toBe(PATH)
  expect(world.errors).toEqual([expect.stringContaining('the last ones stay in use')])
})
