import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { QuotaTracking } from './adapter.ts'
import type { QuotaPart } from './count/kind-counts.ts'
import { CountedQuota } from './counted-quota.ts'
import { ASK_AGAIN_MS, type FoundKind, kindName, type NamedKind } from './kind-finder.ts'
import { KindResolver, type KindResolverOptions } from './kind-resolver.ts'

const PARTS: readonly QuotaPart[] = ['a', 'b'].map((name) => ({ name, amount: name }))
const THING = { group: 'a.test', version: 'v1', kind: 'Thing' }
/** The same kind, in the version that the API server prefers. */
const PREFERRED_THING = { group: 'a.test', version: '', kind: 'Thing' }
const ABSENT = { group: 'b.test', version: 'v1', kind: 'Absent' }
const THINGS: ServerResource = {
  ...THING,
  resource: 'things',
  namespaced: true,
  verbs: ['list', 'watch'],
  subresources: [],
} as never

class Quota extends CountedQuota {
  readonly kinds: readonly NamedKind[]

  constructor(kinds: readonly NamedKind[]) {
    const metadata = { namespace: 'team', name: 'q' }
    super({ metadata } as KubeObject, { group: 'a.test', kind: 'Quota' })
    this.kinds = kinds
  }
}

/** Of an API server that serves things, and no other kind. Discovery of the kinds in `failing` fails. */
function setUp(kinds: readonly NamedKind[], problemOf: (found: FoundKind) => string | undefined) {
  let tracked = new Quota(kinds)
  const failing = new Set<NamedKind>()
  const asked: { readonly kind: string; readonly isAnew: boolean }[] = []
  /** The counts that go on, by resource. */
  const counting = new Map<string, number>()
  const tracking: Pick<QuotaTracking<Quota>, 'problemOf' | 'partsOf'> = {
    problemOf: (_, found) => problemOf(found),
    partsOf: () => PARTS,
  }
  const options = {
    logger: { warn: () => undefined },
    tracking,
    get: () => tracked,
    onChange: () => undefined,
    onCounted: () => undefined,
    onResolved: () => undefined,
    finder: {
      isDefined: () => false,
      find: async (kind: NamedKind, _: AbortSignal, { isAnew = false } = {}) => {
        asked.push({ kind: kindName(kind), isAnew })
        if (failing.has(kind)) throw new Error('discovery fails')
        return kind.kind === 'Thing' ? THINGS : undefined
      },
    },
    kinds: {
      add: (_: Quota, { resource }: ServerResource, parts: readonly QuotaPart[]) => {
        counting.set(resource, (counting.get(resource) ?? 0) + 1)
        return parts.map(({ name }) => ({ part: name, counted: {}, count: { countedAt: '1' } }))
      },
      drop: (_: Quota, { resource }: ServerResource) => void counting.delete(resource),
    },
  } as unknown as KindResolverOptions<Quota>
  const resolver = new KindResolver<Quota>(options)
  return {
    resolver,
    failing,
    asked,
    counting,
    tracked: () => tracked,
    look: async () => {
      resolver.lookFor(tracked.key)
      await settled()
    },
    replace: () => {
      tracked = new Quota(kinds)
    },
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('a kind that is named in several ways is counted once, however often it is looked for', async () => {
  const { look, tracked, counting, failing } = setUp([PREFERRED_THING, THING], () => 'no such kind')
  for (let looks = 0; looks < 4; looks++) {
    await look()
    expect(tracked().resolution?.targets.map(({ part }) => part)).toEqual(['a', 'b'])
    expect([counting.get('things'), tracked().isCounted]).toEqual([1, true])
  }
  for (const kind of tracked().kinds) {
    failing.add(kind)
    await look()
    expect([tracked().resolution?.targets.length, tracked().isCounted]).toEqual([2, true])
  }
})

test('a kind that was not served stays so while nobody knows; before the first answer that is a problem', async () => {
  const unknown = ({ error }: FoundKind): string | undefined => (error === undefined ? undefined : 'unknown')
  const { look, tracked, failing, replace } = setUp([THING, ABSENT], unknown)
  failing.add(ABSENT)
  for (let looks = 0; looks < 2; looks++) {
    await look()
    expect([tracked().isCounted, tracked().resolution?.problems.length]).toEqual([false, 1])
  }
  failing.clear()
  await look()
  expect(tracked().isCounted).toBe(true)
  failing.add(ABSENT).add(THING)
  for (let looks = 0; looks < 2; looks++) {
    await look()
    expect([tracked().isCounted, tracked().resolution?.targets.length]).toEqual([true, 2])
  }
  replace()
  await look()
  expect(tracked().isCounted).toBe(false)
})

test('one further look is ahead of a quota that lacks a kind, whether looks fail or not', async () => {
  const { look, failing, asked, resolver } = setUp([THING, ABSENT], () => 'no such kind')
  const looks = () => asked.filter(({ kind }) => kind === kindName(ABSENT)).length
  for (let i = 0; i < 4; i++) {
    await look()
    expect(vi.getTimerCount()).toBe(1)
  }
  vi.advanceTimersByTime(ASK_AGAIN_MS)
  await settled()
  expect([looks(), vi.getTimerCount()]).toEqual([5, 1])
  failing.add(ABSENT)
  for (let i = 0; i < 4; i++) {
    await look()
    expect(vi.getTimerCount()).toBe(1)
  }
  await resolver.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('only the first look for the kinds of a quota asks anew, and that of a new spec', async () => {
  const { look, asked, replace } = setUp([ABSENT], () => 'no such kind')
  await look()
  await look()
  replace()
  await look()
  expect(asked.map(({ isAnew }) => isAnew)).toEqual([true, false, true])
})
