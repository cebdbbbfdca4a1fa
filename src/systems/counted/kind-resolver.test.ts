import { expect, test } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { QuotaTracking } from './adapter.ts'
import type { QuotaPart } from './count/kind-counts.ts'
import { CountedQuota } from './counted-quota.ts'
import type { FoundKind, NamedKind } from './kind-finder.ts'
import { KindResolver, type KindResolverOptions } from './kind-resolver.ts'

const PARTS: readonly QuotaPart[] = ['a', 'b'].map((name) => ({ name, amount: name }))
const THING = { group: 'a.test', version: 'v1', kind: 'Thing' }
/** The same kind, in the version that the API server prefers. */
const PREFERRED_THING = { group: 'a.test', version: '', kind: 'Thing' }
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

/** Of an API server that serves things, and no other kind. */
function setUp(kinds: readonly NamedKind[], problemOf: (found: FoundKind) => string | undefined) {
  const tracked = new Quota(kinds)
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
      find: async (kind: NamedKind) => (kind.kind === 'Thing' ? THINGS : undefined),
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
    counting,
    tracked,
    look: async () => {
      resolver.lookFor(tracked.key)
      await settled()
    },
  }
}

test('a kind that is named in several ways is counted once, however often it is looked for', async () => {
  const { look, tracked, counting } = setUp([PREFERRED_THING, THING], () => 'no such kind')
  for (let looks = 0; looks < 4; looks++) {
    await look()
    expect(tracked.resolution?.targets.map(({ part }) => part)).toEqual(['a', 'b'])
    expect([counting.get('things'), tracked.isCounted]).toEqual([1, true])
  }
})
