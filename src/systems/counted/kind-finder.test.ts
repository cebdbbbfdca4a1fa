import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { notFound } from '../../machinery/status.ts'
import type { KeptCrd } from '../../operator/cluster/kept-crd.ts'
import { ASK_AGAIN_MS, ASK_SOON_MS, KindFinder, type NamedKind } from './kind-finder.ts'

const NEVER = new AbortController().signal
const THINGS = { group: 'a.test', version: 'v1', kind: 'Thing' }
const CRD: KeptCrd = {
  group: 'a.test',
  kind: 'Thing',
  resource: 'things',
  namespaced: true,
  established: true,
  scalePaths: {},
  served: ['v1'],
}

type Changed = (old: KeptCrd | undefined, current: KeptCrd | undefined) => void

/** A finder of an API server whose discovery lists things or not, and what the server was asked. */
function setUp() {
  const clock = new ManualClock()
  let isListed = false
  let asked = 0
  let crd: KeptCrd | undefined
  let changed: Changed = () => undefined
  const client = {
    request: async () => {
      asked++
      if (!isListed) throw notFound({ group: '', resource: 'versions' }, 'v1')
      return { resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: ['list', 'watch'] }] }
    },
  }
  const finder = new KindFinder(client, clock)
  const view = {
    list: () => (crd === undefined ? [] : [crd]),
    get: (_: string, name: string) => (name === 'things.a.test' ? crd : undefined),
    onChange: (handler: Changed) => {
      changed = handler
    },
  }
  const groups: string[] = []
  finder.follow(view as never, (group) => groups.push(group))
  return {
    clock,
    finder,
    groups,
    asked: () => asked,
    isFound: async (isAnew = false) => (await finder.find(THINGS, NEVER, { isAnew })) !== undefined,
    list: (listed: boolean) => {
      isListed = listed
    },
    define: (next: KeptCrd | undefined) => {
      const old = crd
      crd = next
      changed(old, next)
    },
  }
}

test('a kind that is not served is asked for once for all quotas, and again after a while or when its group changes', async () => {
  const { clock, isFound, asked, list, define, groups } = setUp()
  expect([await isFound(), await isFound(), asked()]).toEqual([false, false, 1])
  await clock.advance(ASK_AGAIN_MS)
  expect([await isFound(), await isFound(), asked()]).toEqual([false, false, 2])
  list(true)
  expect(await isFound()).toBe(false)
  define(CRD)
  expect(await isFound()).toBe(true)
  expect(groups).toEqual(['a.test'])
})

test('a kind that a CRD defines is asked for each time until it is served: API servers offer it a moment later', async () => {
  const { isFound, asked, list, define } = setUp()
  define(CRD)
  expect([await isFound(), await isFound(), asked()]).toEqual([false, false, 2])
  list(true)
  expect(await isFound()).toBe(true)
})

test('a kind whose CRD went, or serves its version no more, is not served, whatever discovery lists for a moment', async () => {
  const { isFound, list, define, clock } = setUp()
  list(true)
  define(CRD)
  expect(await isFound()).toBe(true)
  define({ ...CRD, served: ['v2'] })
  expect(await isFound()).toBe(false)
  define(CRD)
  expect(await isFound()).toBe(true)
  define(undefined)
  expect(await isFound()).toBe(false)
  // An aggregated API server may serve it.
  await clock.advance(ASK_AGAIN_MS)
  expect(await isFound()).toBe(true)
})

test('a kind that was just found absent is asked for anew for a new quota, once in a moment for all of them', async () => {
  const { clock, isFound, asked, list } = setUp()
  expect([await isFound(true), await isFound(true), asked()]).toEqual([false, false, 1])
  await clock.advance(ASK_SOON_MS)
  expect([await isFound(), asked()]).toEqual([false, 1])
  expect([await isFound(true), await isFound(true), asked()]).toEqual([false, false, 2])
  // An aggregated API server begins to serve it.
  list(true)
  await clock.advance(ASK_SOON_MS)
  expect(await isFound(true)).toBe(true)
})

test('absent kinds are forgotten that nobody names any more', async () => {
  const { clock, finder } = setUp()
  const named = (i: number): NamedKind => ({ group: `g${i}.test`, version: 'v1', kind: 'Thing' })
  for (let i = 0; i < 100; i++) await finder.find(named(i), NEVER)
  expect(finder.absent).toBe(100)
  await clock.advance(ASK_AGAIN_MS - 1)
  await finder.find(THINGS, NEVER)
  expect(finder.absent).toBe(101)
  await clock.advance(1)
  await finder.find(THINGS, NEVER)
  expect(finder.absent).toBe(1)
})
