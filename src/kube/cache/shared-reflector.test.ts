import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { thing, THINGS } from '../../../test/kube/scripted-caches.ts'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { WatchPlay, watchStep } from '../../../test/kube/watch-steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import type { WatchScope } from './reflector.ts'
import { SharedReflector } from './shared-reflector.ts'

/** A sink that knows what it was given, and complains about what no reflector of its own would give it. */
class Sink {
  readonly heard: string[] = []
  readonly wrong: string[] = []
  readonly state = new Map<string, number>()
  #listed: Map<string, number> | undefined
  #version = 0

  listBegins(): void {
    this.#listed = new Map()
    this.heard.push('list')
  }

  page({ items }: { readonly items: readonly KubeObject[] }): void {
    if (this.#listed === undefined) this.wrong.push('a page outside a list')
    for (const { metadata } of items) this.#listed?.set(metadata.name ?? '', Number(metadata.resourceVersion))
  }

  listEnds(): void {
    if (this.#listed === undefined) this.wrong.push('a list ends that did not begin')
    this.state.clear()
    for (const [name, version] of this.#listed ?? []) this.state.set(name, version)
  }

  event(type: string, { metadata: { name = '', resourceVersion } }: KubeObject): void {
    if (this.#listed !== undefined) this.wrong.push('an event within a list')
    if (Number(resourceVersion) <= this.#version) this.wrong.push(`${name}@${resourceVersion} after ${this.#version}`)
    this.heard.push(`${type} ${name}@${resourceVersion}`)
    if (type === 'DELETED') this.state.delete(name)
    else this.state.set(name, Number(resourceVersion))
  }

  reached(version: string): void {
    const isListed = this.#listed !== undefined
    this.#listed = undefined
    if (!isListed && Number(version) < this.#version) this.wrong.push(`went back from ${this.#version} to ${version}`)
    this.#version = Number(version)
  }
}

let stop: () => Promise<unknown> = async () => undefined
afterEach(() => stop())

function setUp() {
  const server = new ScriptedClient(THINGS)
  const clock = new ManualClock()
  const shared = new SharedReflector({ client: server, clock, logger: silentLogger })
  const running = new Set<{ readonly abort: AbortController; readonly run: Promise<void> }>()
  stop = () => Promise.all([...running].map(({ abort, run }) => (abort.abort(), run)))
  const join = (scope: Partial<WatchScope> = {}) => {
    const sink = new Sink()
    const source = shared.follow({ kind: THINGS, ...scope }, sink)
    const abort = new AbortController()
    running.add({ abort, run: source.run(abort.signal) })
    return { sink, source, leave: () => abort.abort() }
  }
  const lists = (): number => server.calls.filter((call) => call === 'list').length
  return { server, clock, join, lists }
}

test('sinks that come together share a list and a watch, and each hears every event once', async () => {
  const { server, join, lists } = setUp()
  server.put(thing('a'))
  const sinks = [join(), join(), join()]
  await settled()
  server.put(thing('b'))
  server.remove({ namespace: 'n', name: 'a' })
  await settled()
  expect([server.openWatches, lists()]).toEqual([1, 1])
  for (const { sink } of sinks) expect(sink.heard).toEqual(['list', 'ADDED b@12', 'DELETED a@13'])
})

test('a sink that comes later lists beside the watch, which it shares from then on, and the others hear nothing of it', async () => {
  const { server, join } = setUp()
  server.put(thing('a'))
  const first = join()
  await settled()
  const before = server.calls.length
  const later = join()
  await settled()
  expect(server.calls.slice(before)).toEqual(['list'])
  server.put(thing('b'))
  await settled()
  expect(server.openWatches).toBe(1)
  expect(first.sink.heard).toEqual(['list', 'ADDED b@12'])
  expect(later.sink.heard).toEqual(['list', 'ADDED b@12'])
})

test('a sink whose list is older than the watch of the others watches on its own until it is as far, and misses nothing', async () => {
  const { server, join } = setUp()
  server.put(thing('a'))
  const first = join()
  await settled()
  let release = (): void => {}
  server.listGate = new Promise((resolve) => (release = resolve))
  const later = join()
  await settled()
  server.put(thing('b'))
  server.put(thing('c'))
  await settled()
  expect(first.sink.heard).toEqual(['list', 'ADDED b@12', 'ADDED c@13'])
  release()
  server.listGate = undefined
  await settled()
  expect(later.sink.heard).toEqual(['list', 'ADDED b@12', 'ADDED c@13'])
  expect([server.openWatches, server.calls.filter((call) => call.startsWith('watch'))]).toEqual([
    1,
    ['watch@11', 'watch@11'],
  ])
})

test('a sink that is ahead of a silent watch is as far as its list, and hears nothing that the list contained', async () => {
  const { server, join } = setUp()
  const first = join()
  await settled()
  server.muted = true
  server.put(thing('a'))
  const later = join()
  await settled()
  expect([first.source.version, later.source.version]).toEqual(['10', '11'])
  server.muted = false
  server.put(thing('b'))
  await settled()
  expect(first.sink.heard).toEqual(['list', 'ADDED a@11', 'ADDED b@12'])
  expect(later.sink.heard).toEqual(['list', 'ADDED b@12'])
})

test('the watch goes on when the first sink leaves, ends with the last one, and begins again for another', async () => {
  const { server, join } = setUp()
  const first = join()
  const second = join()
  await settled()
  first.leave()
  server.put(thing('a'))
  await settled()
  expect([server.openWatches, first.sink.heard, second.sink.heard]).toEqual([1, ['list'], ['list', 'ADDED a@11']])
  second.leave()
  await settled()
  expect(server.openWatches).toBe(0)
  const third = join()
  await settled()
  expect([server.openWatches, [...third.sink.state.keys()]]).toEqual([1, ['a']])
})

test('a sink that lists anew leaves the others alone', async () => {
  const { server, join, lists } = setUp()
  server.put(thing('a'))
  const first = join()
  const second = join()
  await settled()
  second.source.relist({ kind: THINGS })
  await settled()
  expect([first.sink.heard, second.sink.heard]).toEqual([['list'], ['list', 'list']])
  expect([server.openWatches, lists()]).toEqual([1, 2])
})

test('a sink that takes a part of the objects has a watch of its own, until it takes all', async () => {
  const { server, join } = setUp()
  const all = join()
  const red = join({ labelSelector: 'color=red' })
  await settled()
  expect(server.openWatches).toBe(2)
  server.put(thing('a', 1, { color: 'red' }))
  server.put(thing('b', 1))
  await settled()
  expect([all.sink.state.size, red.sink.state.size]).toEqual([2, 1])
  red.source.relist({ kind: THINGS })
  await settled()
  expect([server.openWatches, red.sink.state.size]).toEqual([1, 2])
})

test('nobody joins a watch that is broken', async () => {
  const { server, clock, join } = setUp()
  const first = join()
  await settled()
  server.endWatches(UNREACHABLE)
  await settled()
  const later = join()
  await settled()
  server.put(thing('a'))
  await settled()
  expect([first.sink.heard, later.sink.heard]).toEqual([['list'], ['list', 'ADDED a@11']])
  await clock.advance(60_000)
  server.put(thing('b'))
  await settled()
  expect(first.sink.heard.slice(-2)).toEqual(['ADDED a@11', 'ADDED b@12'])
  expect(server.openWatches).toBe(1)
})

const own = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('put' as const), name: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('join' as const, 'join' as const, 'leave' as const, 'relist' as const, 'settle' as const),
      at: fc.nat(5),
    }),
  },
)
const step = fc.oneof(fc.record({ own }), watchStep)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function play(steps: readonly Step[]): Promise<void> {
  const { server, clock, join } = setUp()
  const watchPlay = new WatchPlay(server, clock)
  const members = [join()]
  const take = async (step: Step): Promise<void> => {
    if (!('own' in step)) return await watchPlay.take(step)
    const one = step.own
    switch (one.do) {
      case 'put':
        server.put(thing(one.name))
        return
      case 'join':
        members.push(join())
        return
      case 'leave':
        if (members.length > 1) members.splice(one.at % members.length, 1)[0]?.leave()
        return
      case 'relist':
        return members[one.at % members.length]?.source.relist({ kind: THINGS })
      case 'settle':
        return await settled()
    }
  }
  for (const one of steps) await take(one)
  watchPlay.heal()
  // A watch that was broken or behind is joined when it reports something.
  for (let at = 0; at < 5; at++) {
    await clock.advance(700_000)
    server.put(thing('last'))
    await settled()
  }
  const stored = new Map(
    [...server.state.values()].map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]),
  )
  for (const { sink } of members) {
    expect(sink.wrong).toEqual([])
    expect(sink.state).toEqual(stored)
  }
  expect(server.openWatches).toBe(1)
  await stop()
}

test('whatever happens, each sink comes to what is stored, hears nothing twice, and in the end one watch serves them all', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), play), { numRuns: 200 })
})
