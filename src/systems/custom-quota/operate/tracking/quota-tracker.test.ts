import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../../test/systems/custom-quota/custom-quotas.ts'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { customQuota } from '../../api/custom-quota.ts'
import type { ResourceKind } from '../../../../kube/client/kube-client.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { AnyQuota } from './tracked-quota.ts'
import { CustomQuotaTracker } from './quota-tracker.ts'

const MAPS = { apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }
const SECRETS = { apiVersion: 'v1', kind: 'Secret', op: 'count' }
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const KEY = 'CustomQuota/n/q'
const RESOURCES = {
  resources: [
    ['configmaps', 'ConfigMap'],
    ['secrets', 'Secret'],
  ].map(([name, kind]) => ({ name, kind, namespaced: true, verbs: ['list', 'watch'] })),
}

/** The API server cannot say what this group has. */
const BROKEN = '/apis/broken.example.test'

type Handler = (old: AnyQuota | undefined, current: AnyQuota | undefined) => void

/** A tracker of one quota, whose states the test gives it, and the kinds that it has begun to watch so far. */
function setUp() {
  const handlers: Handler[] = []
  const watched: string[] = []
  const view = ({ kind }: { readonly kind: ResourceKind }) => ({
    onChange: (handler: Handler) => {
      if (kind.resource === customQuota.resource) handlers.push(handler)
      return () => undefined
    },
    release: () => undefined,
    list: () => [],
    get: () => undefined,
  })
  const follow = ({ resource }: ResourceKind) => {
    watched.push(resource)
    return { run: async () => undefined, problem: undefined }
  }
  const context = {
    caches: { view, follow },
    client: {
      request: async (_: string, path: string) => {
        if (path.startsWith(BROKEN)) throw new Error('the server is currently unable to handle the request')
        return RESOURCES
      },
    },
    clock: new ManualClock(),
    logger: { warn: () => undefined },
  }
  const tracker = new CustomQuotaTracker(context as unknown as OperatorContext, { strictPaths: false })
  let known: AnyQuota | undefined
  return {
    tracker,
    watched,
    /** The watch shows the quota in a generation. */
    see: (generation: number, spec: object) => {
      const { apiVersion, kind } = customQuota
      const metadata = { namespace: 'n', name: 'q', uid: 'u', generation }
      const quota = customQuota.read({ apiVersion, kind, metadata, spec: quotaSpec({ limit: 3, ...spec }) })
      for (const handler of handlers) handler(known, quota)
      known = quota
    },
    /** Resolves when the API server has named the kinds of the quota. */
    resolved: async () => await expect.poll(() => tracker.get(KEY)?.resolution).toBeDefined(),
  }
}

test('a quota is widened by each generation that may count more, and by one after those that were not seen', () => {
  const { tracker, see } = setUp()
  const widenedAt = (generation: number, spec: object): number | undefined => {
    see(generation, spec)
    return tracker.get(KEY)?.widenedAt
  }
  expect(widenedAt(1, { sources: [MAPS, SECRETS] })).toBe(1)
  expect(widenedAt(2, { sources: [MAPS, SECRETS], limit: 4 })).toBe(1)
  expect(widenedAt(3, { sources: [MAPS] })).toBe(1)
  expect(widenedAt(4, { sources: [MAPS, SECRETS] })).toBe(4)
  expect(widenedAt(5, { sources: [MAPS, SECRETS] })).toBe(4)
  expect(widenedAt(7, { sources: [MAPS, SECRETS] })).toBe(7)
  expect(widenedAt(9, { sources: [MAPS] })).toBe(9)
})

test('the kinds that two specs count stay watched and known, and the quota is unresolved until the new ones are', async () => {
  const { tracker, see, resolved, watched } = setUp()
  see(1, { sources: [MAPS, SECRETS] })
  await resolved()
  expect([...tracker.unresolved]).toEqual([])
  const maps = tracker.kinds.ofResource(CONFIG_MAPS)
  see(2, { sources: [MAPS] })
  expect([...tracker.unresolved]).toEqual([tracker.get(KEY)])
  expect(tracker.kinds.ofResource(CONFIG_MAPS)).toBe(maps)
  await resolved()
  expect([...tracker.unresolved]).toEqual([])
  expect(tracker.kinds.ofResource(CONFIG_MAPS)).toBe(maps)
  expect([...tracker.kinds.quotasOf(maps!, 'n')]).toEqual([tracker.get(KEY)])
  expect([...tracker.kinds.all].map(({ resource }) => resource.resource)).toEqual(['configmaps'])
  expect(watched).toEqual(['configmaps', 'secrets'])
  await tracker.end()
})

test('a kind that nobody knows of keeps no other kind of its quota from being counted', async () => {
  const { tracker, see, resolved } = setUp()
  see(1, { sources: [MAPS, { apiVersion: 'broken.example.test/v1', kind: 'Thing', op: 'count' }] })
  await resolved()
  expect([...tracker.kinds.all].map(({ resource }) => resource.resource)).toEqual(['configmaps'])
  const tracked = tracker.get(KEY)
  expect(tracked?.resolution?.problems.map(({ text }) => text)).toEqual([
    expect.stringContaining('the API server does not say what it serves'),
  ])
  expect([...tracker.unresolved]).toEqual([tracked])
  await tracker.end()
})
