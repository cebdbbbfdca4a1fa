import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { expired, forbidden, internalError, tooManyRequests } from '../../machinery/status.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import type { ResourceKind } from '../client/kube-client.ts'
import { WatchCache } from './watch-cache.ts'

const THINGS: ResourceKind = { group: 'a.test', version: 'v1', resource: 'things', kind: 'Thing', namespaced: true }
const SELECTOR = 'color=red'

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('put' as const, 'put and observe' as const, 'put and observe late' as const),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      color: fc.constantFrom('red', 'red', 'red', 'blue'),
      size: fc.nat(5),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'observe what waits' as const,
        'mute' as const,
        'unmute' as const,
        'deliver' as const,
        'bookmark' as const,
        'end watches' as const,
        'cut watches' as const,
        'expire watches' as const,
        'compact' as const,
        'outage' as const,
        'recovery' as const,
        'hold lists' as const,
        'release lists' as const,
        'backup' as const,
        'restore' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      verb: fc.constantFrom('list' as const, 'watch' as const),
      error: fc.constantFrom(
        UNREACHABLE,
        expired('too old'),
        tooManyRequests('slow down', 2),
        internalError('x'),
        forbidden(THINGS, '', 'no'),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('ask for more' as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 100, 5000, 200_000) }),
  },
)
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
  #release = (): void => {}
  #restoring = false
  asked = 0
  readonly cache: WatchCache<Kept, 'size'>

  constructor(isLean: boolean) {
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

  async take(step: Step): Promise<void> {
    const { server, clock, cache } = this
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
      case 'remove':
        return server.remove({ namespace: 'n', name: step.name })
      case 'mute':
      case 'unmute':
        server.muted = step.do === 'mute'
        return
      case 'deliver':
        return server.deliver()
      case 'bookmark':
        return server.bookmark()
      case 'end watches':
        return server.endWatches()
      case 'cut watches':
        return server.endWatches(UNREACHABLE)
      case 'expire watches':
        return server.endWatches(expired('too old'))
      case 'compact':
        return server.compact()
      case 'outage':
      case 'recovery':
        server.outage = step.do === 'outage' ? UNREACHABLE : undefined
        return
      case 'hold lists':
        if (server.listGate === undefined) server.listGate = new Promise((resolve) => (this.#release = resolve))
        return
      case 'release lists':
        return this.release()
      case 'backup':
        return server.backup()
      case 'restore':
        // Writes from before the restore are not reported to the cache after it, and it notices that before others write.
        this.#late.length = 0
        this.#restoring = true
        server.restore()
        await this.heal()
        this.#restoring = false
        return
      case 'fail':
        return server.failNext(step.verb, step.error)
      case 'wait':
        return await clock.advance(step.ms)
    }
  }

  release(): void {
    this.server.listGate = undefined
    this.#release()
  }

  async heal(): Promise<void> {
    this.server.outage = undefined
    this.server.failNoMore()
    this.server.muted = false
    this.release()
    this.server.deliver()
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
