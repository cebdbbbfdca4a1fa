import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { THINGS } from '../../../test/kube/scripted-caches.ts'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { WatchPlay, watchStep } from '../../../test/kube/watch-steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { WatchCache } from './watch-cache.ts'

const SELECTOR = 'color=red'
/** After so long, and a look, a reflector makes a watch anew that never gave anything. */
const LONGEST_SILENCE_MS = 2 * 300_000 + 15_000

const own = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('put' as const, 'put and observe' as const, 'put and observe late' as const),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      color: fc.constantFrom('red', 'red', 'red', 'blue'),
      size: fc.nat(5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'observe what waits' as const,
        'ask for more' as const,
        'outage' as const,
        'recovery' as const,
        'backup' as const,
        'restore' as const,
      ),
    }),
  },
)
const step = fc.oneof(fc.record({ own }), watchStep)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Kept {
  /** How often it was asked for something else to be kept. */
  readonly asked: number
  readonly name: string
  readonly size: unknown
  readonly version: string | undefined
}

class World {
  readonly server = new ScriptedClient(THINGS)
  readonly clock = new ManualClock()
  readonly seen = new Map<string, unknown>()
  readonly #late: KubeObject[] = []
  readonly wrong: string[] = []
  readonly #play: WatchPlay
  #restoring = false
  asked = 0
  readonly cache: WatchCache<Kept, 'size'>

  constructor(isLean: boolean) {
    this.#play = new WatchPlay(this.server, this.clock)
    this.cache = new WatchCache({
      client: this.server,
      kind: THINGS,
      labelSelector: SELECTOR,
      clock: this.clock,
      logger: silentLogger,
      keep: ({ metadata, size }: KubeObject) => ({
        name: metadata.name ?? '',
        size,
        version: metadata.resourceVersion,
        asked: this.asked,
      }),
      indexes: { size: (kept) => [String(kept.size)] },
      ...(isLean ? { ownWrite: () => undefined } : {}),
    })
    this.cache.onChange((old, current) => {
      const name = (old ?? current)?.name ?? ''
      // Each change starts where the last one ended, and goes forward.
      if (JSON.stringify(this.seen.get(name)) !== JSON.stringify(old)) this.wrong.push(`${name} was not so before`)
      const isKeptAnew = old !== undefined && current?.asked !== old.asked
      if (
        current !== undefined &&
        !this.#restoring &&
        Number(current.version) - (isKeptAnew ? 0 : 1) < Number(old?.version ?? 0)
      )
        this.wrong.push(`${name} went from version ${old?.version} to ${current.version}`)
      if (current === undefined) this.seen.delete(name)
      else this.seen.set(name, current)
    })
    this.cache.start()
  }

  async take(taken: Step): Promise<void> {
    if (!('own' in taken)) return await this.#play.take(taken)
    const step = taken.own
    const { server, cache } = this
    switch (step.do) {
      case 'put':
      case 'put and observe':
      case 'put and observe late': {
        const { name, color, size } = step
        const written = server.put({
          apiVersion: 'a.test/v1',
          kind: 'Thing',
          metadata: { namespace: 'n', name, labels: { color } },
          size,
        })
        if (step.do === 'put and observe') {
          cache.observed(written)
          if (color === 'red' && cache.get('n', name)?.version !== written.metadata.resourceVersion)
            this.wrong.push(`${name} is not as it was written`)
        }
        if (step.do === 'put and observe late') this.#late.push(written)
        return
      }
      case 'observe what waits':
        for (const written of this.#late.splice(0)) cache.observed(written)
        return
      case 'ask for more':
        this.asked++
        cache.relist({ labelSelector: SELECTOR }).catch(() => undefined)
        return
      case 'outage':
      case 'recovery':
        server.outage = step.do === 'outage' ? UNREACHABLE : undefined
        return
      case 'backup':
        return server.backup()
      case 'restore':
        // Writes from before the restore are not reported to the cache after it, and it notices that before others write.
        this.#late.length = 0
        this.#restoring = true
        server.restore()
        await this.heal()
        await this.clock.advance(LONGEST_SILENCE_MS)
        this.#restoring = false
        return
    }
  }

  async heal(): Promise<void> {
    this.#play.heal()
    await this.clock.advance(300_000)
  }
}

test.for([
  ['whole objects are watched', false],
  ['only metadata is watched', true],
] as const)('whatever happens while %s, the cache comes to the state of the server', async ([, isLean]) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (steps, chance) => {
        const world = new World(isLean)
        world.clock.chance = chance
        for (const step of steps) {
          await world.take(step)
          if (chance < 0.5) await settled()
        }
        await world.heal()
        const { server, cache, seen } = world
        const expected = new Map(
          [...server.state.values()]
            .filter(({ metadata }) => metadata.labels?.['color'] === 'red')
            .map(({ metadata, size }) => [
              metadata.name,
              { name: metadata.name, size, version: metadata.resourceVersion, asked: world.asked },
            ]),
        )
        expect(new Map(cache.list().map((kept) => [kept.name, kept]))).toEqual(expected)
        expect(seen).toEqual(expected)
        expect(world.wrong).toEqual([])
        expect(cache.keysOf('size').flatMap((key) => cache.by('size', key))).toHaveLength(expected.size)
        expect(cache.synced).toBe(true)
        await cache.stop()
        expect(world.clock.sleepers).toBe(0)
      },
    ),
    { numRuns: 200 },
  )
})
