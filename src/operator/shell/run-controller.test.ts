import { Registry } from '@prometheus-io/client'
import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { thing, THINGS } from '../../../test/kube/scripted-caches.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import { conflict, notFound } from '../../machinery/status.ts'
import { createLogger, silentLogger } from '../../runtime/process/logger.ts'
import { ReconcileMetrics } from './reconcile-metrics.ts'
import { type ControllerSource, owns, reconciles, type ReconcileResult, watches, watchesAll } from './controller.ts'
import type { Parts } from './dirty-set.ts'
import { RunningController } from './run-controller.ts'
import { SharedCaches } from './shared-caches.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A controller that notes what it is asked for, and answers what `result` gives. */
function controlling(
  result: (key: string, looks: number) => ReconcileResult,
  sources: readonly ControllerSource[] = [],
  { logger = silentLogger, registry = new Registry() } = {},
) {
  const clock = new ManualClock()
  const looks: string[] = []
  const reconcile = async (key: string, dirty: Parts): Promise<ReconcileResult> => {
    looks.push(`${key}: ${dirty === undefined ? 'all' : [...dirty].join(' ')}`)
    return result(key, looks.length)
  }
  const running = new RunningController(
    { name: 'looker', sources, reconcile },
    { clock, logger, metrics: new ReconcileMetrics(registry) },
  )
  running.follow()
  ends.push(() => running.stop())
  return { clock, looks, running }
}

test('an object is looked at as a whole first, and then only where it changed', async () => {
  const { running, looks } = controlling(() => ({ dirty: [] }))
  running.enqueue({ key: 'p', part: 'a' })
  await settled()
  running.enqueue({ key: 'p', part: 'b' })
  running.enqueue({ key: 'p', part: 'c' })
  await settled()
  running.enqueue({ key: 'p' })
  await settled()
  expect(looks).toEqual(['p: all', 'p: b c', 'p: all'])
})

test('parts that are still dirty are looked at with whatever happens next', async () => {
  const { running, looks } = controlling((_, at) => ({ dirty: at === 1 ? ['slow'] : [] }))
  for (const part of ['a', 'b', 'c']) {
    running.enqueue({ key: 'p', part })
    await settled()
  }
  expect(looks).toEqual(['p: all', 'p: slow b', 'p: c'])
})

test('a failed reconcile is repeated for the parts that were dirty', async () => {
  const { running, looks } = controlling((_, at) => {
    if (at === 2) throw new Error('not now')
    return { dirty: [] }
  })
  running.enqueue({ key: 'p' })
  await settled()
  running.enqueue({ key: 'p', part: 'a' })
  await expect.poll(() => looks).toEqual(['p: all', 'p: a', 'p: a'])
})

test('where the first reconcile of an object fails, nothing is known of it: the next looks at all', async () => {
  const { running, looks } = controlling((_, at) => {
    if (at === 1) throw new Error('not now')
    return { dirty: [] }
  })
  running.enqueue({ key: 'p', part: 'a' })
  await expect.poll(() => looks).toEqual(['p: all', 'p: all'])
})

test('a reconcile that does not say which parts are dirty leaves all of them dirty', async () => {
  const { running, looks } = controlling((_, at) => (at === 2 ? {} : { dirty: [] }))
  for (const part of ['a', 'b', 'c', 'd']) {
    running.enqueue({ key: 'p', part })
    await settled()
  }
  expect(looks).toEqual(['p: all', 'p: b', 'p: all', 'p: d'])
})

test('a reconcile takes the place of the one that was to come later', async () => {
  const { running, looks, clock } = controlling((_, at) => (at === 1 ? { requeueAfter: 1000 } : {}))
  running.enqueue({ key: 'p' })
  await settled()
  running.enqueue({ key: 'p' })
  await settled()
  expect(looks).toHaveLength(2)
  await clock.advance(10_000)
  expect(looks).toHaveLength(2)
})

test('of requests for later the last counts', async () => {
  const { running, looks, clock } = controlling(() => ({}))
  running.enqueue({ key: 'p', after: 1000 })
  running.enqueue({ key: 'p', after: 5000 })
  await clock.advance(4000)
  expect(looks).toEqual([])
  await clock.advance(1000)
  expect(looks).toHaveLength(1)
  running.enqueue({ key: 'p', after: 5000 })
  running.enqueue({ key: 'p', after: 1000 })
  await clock.advance(1000)
  expect(looks).toHaveLength(2)
  await clock.advance(10_000)
  expect(looks).toHaveLength(2)
})

const OVERTAKEN_BY = { change: conflict(THINGS, 'p'), deletion: notFound(THINGS, 'p') }
const FAILED = new Error('not now')

test.each([
  ['that somebody else has changed meanwhile', OVERTAKEN_BY.change, 'overtaken'],
  ['that somebody else has deleted meanwhile', OVERTAKEN_BY.deletion, 'overtaken'],
  ['of which all parts were overtaken', new AggregateError(Object.values(OVERTAKEN_BY)), 'overtaken'],
  ['of which a part failed', new AggregateError([OVERTAKEN_BY.change, FAILED]), 'failed'],
  ['that failed', FAILED, 'failed'],
] as const)(
  'a reconcile of an object %s is counted, and logged as a warning only where it failed',
  async (_, error, result) => {
    const registry = new Registry()
    const lines: string[] = []
    const logger = createLogger('info', { write: (line: string) => lines.push(line) })
    const { running, looks } = controlling(
      (_, at) => {
        if (at === 1) throw error
        return {}
      },
      [],
      { logger, registry },
    )
    running.enqueue({ key: 'p' })
    await expect.poll(() => looks).toHaveLength(2)
    const counted = `allot_reconciles_total{controller="looker",result="${result}"} 1`
    expect((await registry.metrics()).split('\n')).toContain(counted)
    expect(lines.map((line) => (JSON.parse(line) as { readonly level: string }).level)).toEqual(
      result === 'failed' ? ['warn'] : [],
    )
  },
)

test('a reconcile says when to come again, and a later one says it anew', async () => {
  const { running, looks, clock } = controlling((_, at) =>
    at === 1 ? { requeueAfter: 1000 } : at === 2 ? { requeueAfter: 5000 } : {},
  )
  running.enqueue({ key: 'p' })
  await settled()
  await clock.advance(500)
  running.enqueue({ key: 'p' })
  await settled()
  await clock.advance(4000)
  expect(looks).toHaveLength(2)
  await clock.advance(1000)
  expect(looks).toHaveLength(3)
  await clock.advance(10_000)
  expect(looks).toHaveLength(3)
})

test('a reconcile that is due at once comes again without a change', async () => {
  const { running, looks } = controlling((_, at) => ({ dirty: [], ...(at < 3 ? { requeueAfter: 0 } : {}) }))
  running.enqueue({ key: 'p' })
  await settled()
  expect(looks).toEqual(['p: all', 'p: ', 'p: '])
})

test('changes are gathered while an object rests', async () => {
  const { running, looks, clock } = controlling(() => ({ dirty: [], restFor: 100 }))
  running.enqueue({ key: 'p' })
  await settled()
  for (const part of ['a', 'b', 'c']) {
    running.enqueue({ key: 'p', part })
    await clock.advance(20)
  }
  expect(looks).toHaveLength(1)
  await clock.advance(60)
  expect(looks).toEqual(['p: all', 'p: a b c'])
})

test('objects that it reconciles, owns and watches lead to it, but its own writes do not', async () => {
  const server = new ScriptedClient(THINGS)
  const caches = new SharedCaches({ client: server, clock: new ManualClock(), logger: silentLogger })
  ends.push(() => caches.stop())
  const view = caches.view({ kind: THINGS, keep: (object) => object })
  caches.start()
  await view.whenSynced()
  const owner = { group: 'owner.test', version: 'v1', resource: 'owners', kind: 'Owner', namespaced: false }
  const { looks } = controlling(
    () => ({ dirty: [] }),
    [
      reconciles(view),
      owns(view, owner),
      watches(view, (_, current) => [{ key: `watched ${current?.metadata.name}` }]),
      watchesAll(view, (_, __, { by }) => (by === undefined ? [] : [{ key: `by ${by}` }])),
    ],
  )
  const owned = thing('a')
  const ownerReferences = [
    { apiVersion: 'owner.test/v1', kind: 'Owner', name: 'o', uid: 'u' },
    { apiVersion: 'v1', kind: 'Owner', name: 'other', uid: 'u' },
  ]
  server.put({ ...owned, metadata: { ...owned.metadata, ownerReferences } })
  await settled()
  expect(looks.toSorted()).toEqual(['n/a: all', 'o: all', 'watched a: all'])
  server.muted = true
  view.observed(server.put(thing('a', 2)), 'looker')
  await settled()
  expect(looks.slice(3)).toEqual(['by looker: all'])
})
