import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { conditionOf } from '../../../api/condition.ts'
import { customQuota } from '../api/custom-quota.ts'
import { RECONCILE_ANNOTATION } from '../api/quota-names.ts'
import { compileQuota } from '../decide/compile-quota.ts'
import { forbidden } from '../../../machinery/status.ts'
import type { EventContent } from '../../../kube/events/event-object.ts'
import type { EventRecorder } from '../../../kube/events/event-recorder.ts'
import type { KubeClient, Patch } from '../../../kube/client/kube-client.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import type { LedgerCache } from '../../counted/replica/ledger-cache.ts'
import { QuotaCount } from '../../counted/count/quota-count.ts'
import type { CountedKind } from '../../counted/count/kind.ts'
import { WebhookRules } from '../../../operator/shell/registered-webhooks.ts'
import { LedgerPlaces } from '../../counted/ledger-places.ts'
import { QuotaController, type QuotaEnforcement } from '../../counted/quota-controller.ts'
import { CustomQuotaReporting } from './reporting.ts'
import { hasAllowed, kindOf } from './admission/ledgering.ts'
import type { CustomQuotaTracker } from './tracking/quota-tracker.ts'
import { TrackedQuota } from './tracking/tracked-quota.ts'

const CONFIG_MAPS = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  namespaced: true,
  verbs: ['list', 'watch'],
  shortNames: [],
  subresources: [],
}

/** The keeper of ledgers that others write all the time, under rules that are live. */
const BUSY: QuotaEnforcement<TrackedQuota> = {
  rules: { isLiveFor: () => true, onLive: () => () => undefined },
  keeper: { bringUp: () => Promise.resolve(0), closure: () => undefined },
}

/** A controller of one quota of so many ConfigMaps, whose watch has the problem that `counted` says. */
function setUp(objects = 0, enforcement?: QuotaEnforcement<TrackedQuota>) {
  const spec = quotaSpec({ limit: 3, sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }] })
  const quota = customQuota.read({
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { namespace: 'n', name: 'q', generation: 1 },
    spec,
  })
  const tracked = new TrackedQuota(quota, compileQuota(spec, { strictPaths: false }))
  const count = new QuotaCount('n', { has: () => true }, () => undefined)
  count.countedAt = '1'
  const done: string[] = []
  const counted = {
    kind: CONFIG_MAPS,
    list: () => Promise.resolve(void done.push('list')),
    problem: UNREACHABLE as unknown,
    objects: {
      get: (_: string, name: string) => ({ uid: `uid of ${name}` }),
      entries: () =>
        Array.from({ length: objects }, (_, index) => [
          'n',
          `m${index}`,
          { uid: `u${index}`, costs: [{ count, amount: Quantity.of(1) }] },
        ]),
    },
  }
  const target = {
    kind: CONFIG_MAPS,
    resource: CONFIG_MAPS,
    counted: counted as unknown as CountedKind,
    part: '/v1/ConfigMap',
    count,
  }
  tracked.resolution = { targets: [target], problems: [] }
  const clock = new ManualClock()
  const statuses: (typeof quota.status)[] = []
  const patch = (_: unknown, __: unknown, { body }: Patch): Promise<unknown> => {
    const { status } = body as { readonly status?: typeof quota.status }
    if (status === undefined) {
      done.push('remove')
      const { annotations: _gone, ...metadata } = tracked.quota.metadata
      tracked.quota = { ...tracked.quota, metadata }
    } else {
      statuses.push(status)
      tracked.quota = { ...tracked.quota, status }
    }
    return Promise.resolve(tracked.quota)
  }
  const webhooks = new WebhookRules()
  const events: EventContent[] = []
  const recorder = { record: (event: EventContent) => void events.push(event) } as unknown as EventRecorder
  const client = { patch } as unknown as KubeClient
  const tracker = {
    get: () => tracked,
    all: [tracked],
    viewOf: () => ({
      observeWrite: async (_name: unknown, _by: string, write: () => Promise<unknown>) => await write(),
    }),
  } as unknown as CustomQuotaTracker
  const ledgers = {
    get: () => ({}),
    isTaken: () => false,
    isMarked: () => true,
    isForeign: () => false,
  } as unknown as LedgerCache
  const context = { client, clock, logger: silentLogger, webhooks, recorder }
  const controller = new QuotaController<TrackedQuota>({
    context,
    tracker,
    places: new LedgerPlaces<TrackedQuota>({ client, logger: silentLogger, ledgers, kindOf }),
    workers: 1,
    enforcement,
    reporting: new CustomQuotaReporting({
      context,
      tracker,
      ledgers,
      enforcement,
      bound: { admits: () => true, most: 64 },
      scope: { endedBy: undefined, exempt: new Set(), configured: undefined, namespaces: () => [], unserved: () => [] },
    }),
  })
  const reconcile = () => controller.reconcile(tracked.key, undefined, new AbortController().signal)
  return { counted, clock, statuses, reconcile, tracked, webhooks, controller, count, events, done }
}

test('a quota whose objects cannot be counted says so when that lasts, and is ready again as soon as they can', async () => {
  const { counted, clock, statuses, reconcile } = setUp()
  expect(await reconcile()).toEqual({ requeueAfter: 1000 })
  await clock.advance(4000)
  expect(await reconcile()).toEqual({ requeueAfter: 1000 })
  expect(statuses).toEqual([])
  await clock.advance(2000)
  expect(await reconcile()).toEqual({ requeueAfter: 5000 })
  expect(conditionOf(statuses[0]?.conditions, 'Ready')).toMatchObject({
    status: 'False',
    message: expect.stringContaining('configmaps cannot be counted now'),
  })
  counted.problem = undefined
  expect(await reconcile()).not.toHaveProperty('requeueAfter')
  expect(conditionOf(statuses[1]?.conditions, 'Ready')).toMatchObject({ status: 'True' })
})

test('a quota whose objects the operator may not list names the permission when that lasts, beside what is wrong with its kinds', async () => {
  const { counted, clock, statuses, reconcile, tracked } = setUp()
  counted.problem = forbidden(
    { group: '', resource: 'configmaps' },
    '',
    'User "operator" cannot list resource "configmaps"',
  )
  expect(await reconcile()).toEqual({ requeueAfter: 1000 })
  await clock.advance(6000)
  await reconcile()
  const missing =
    'the operator must be allowed to list and watch configmaps: configmaps is forbidden: User "operator" cannot list resource "configmaps"; a ClusterRole that allows it needs the label allot.dev/aggregate-to-operator=true'
  expect(conditionOf(statuses[0]?.conditions, 'Ready')).toMatchObject({ status: 'False', message: missing })
  const kind = { group: 'a.test', version: 'v1', kind: 'Thing' }
  tracked.resolution = { targets: tracked.resolution?.targets ?? [], problems: [{ kind, text: 'no Things' }] }
  await reconcile()
  expect(conditionOf(statuses[1]?.conditions, 'Ready')?.message).toBe(`no Things\n${missing}`)
})

test('a quota says so while the API server gets no answers of the webhooks, and goes on having its ledger kept', async () => {
  const { counted, statuses, reconcile, webhooks, controller } = setUp(0, BUSY)
  counted.problem = undefined
  const enqueued: string[] = []
  controller.sources.at(-1)?.follow('', ({ key }) => void enqueued.push(key))
  webhooks.report('connection refused')
  expect(await reconcile()).toEqual({ restFor: 250, requeueAfter: 1000 })
  webhooks.report('connection refused, from another port')
  webhooks.report(undefined)
  await reconcile()
  expect(enqueued).toHaveLength(2)
  expect(statuses.map((status) => conditionOf(status?.conditions, 'Ready')?.message)).toEqual([
    'the API server does not get answers of the webhooks: connection refused',
    'reconciled',
  ])
})

test('a status that lists many objects is written less often, also where the ledger asks to be looked at again', async () => {
  const rests = []
  for (const objects of [0, 200, 5000]) {
    const { counted, reconcile } = setUp(objects, BUSY)
    counted.problem = undefined
    rests.push(await reconcile())
  }
  expect(rests).toEqual([
    { restFor: 250, requeueAfter: 1000 },
    { restFor: 1000, requeueAfter: 1000 },
    { restFor: 5000, requeueAfter: 5000 },
  ])
})

test('objects that cannot be measured are named in conditions, and reported once to their owners', async () => {
  const { counted, statuses, reconcile, count, events, tracked } = setUp(0, BUSY)
  counted.problem = undefined
  count.problem('n', 'cow', 'get usage from n/cow: a cow')
  count.problem('n', 'goat', 'get usage from n/goat: a goat')
  await reconcile()
  await reconcile()
  const { conditions } = statuses[0] ?? {}
  expect(conditionOf(conditions, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Failed',
    message: 'get usage from n/cow: a cow\nget usage from n/goat: a goat',
  })
  expect(conditionOf(conditions, 'Measured')).toMatchObject({
    status: 'False',
    reason: 'UnmeasurableObjects',
    message: expect.stringMatching(/cannot measure 2 objects,.*: "n";/),
  })
  expect(events).toEqual([
    {
      type: 'Warning',
      reason: 'Unmeasurable',
      action: 'Counted',
      note: 'CustomQuota n/q allows nothing more in namespace "n" until an object there can be measured: get usage from n/cow: a cow; correct or delete that object (there are 2 such objects of the kind)',
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'cow', uid: 'uid of cow' } },
    },
  ])
  // Requests may have been allowed meanwhile: a ledger that is lost then has to be closed.
  expect(hasAllowed(tracked)).toBe(true)
  count.problem('n', 'cow', undefined)
  await reconcile()
  expect(events.map(({ regarding }) => regarding.metadata.name)).toEqual(['cow', 'goat'])
  count.problem('n', 'goat', undefined)
  await reconcile()
  expect(statuses.at(-1)?.conditions?.map(({ type, status }) => [type, status])).toEqual([['Ready', 'True']])
})

test('a quota that has more to say than objects which it cannot measure stays closed as a whole', async () => {
  const { counted, statuses, reconcile, count, webhooks } = setUp(0, BUSY)
  counted.problem = undefined
  webhooks.report('connection refused')
  count.problem('n', 'cow', 'get usage from n/cow: a cow')
  await reconcile()
  expect(statuses.at(-1)?.conditions?.map(({ type, status }) => [type, status])).toEqual([
    ['Ready', 'False'],
    ['Reconciling', 'True'],
  ])
})

test('the objects of one namespace that cannot be measured do not hide those of others', async () => {
  const { counted, statuses, reconcile, count } = setUp(0, BUSY)
  counted.problem = undefined
  for (let at = 0; at < 1_000; at++)
    count.problem('evil', `cow-${at}`, `get usage from evil/cow-${at}: ${'x'.repeat(500)}`)
  for (const name of ['goat', 'hen']) count.problem('honest', name, `get usage from honest/${name}: a ${name}`)
  await reconcile()
  const lines = conditionOf(statuses.at(-1)?.conditions, 'Ready')?.message.split('\n') ?? []
  expect(lines.filter((line) => line.startsWith('get usage from evil/cow-'))).toHaveLength(148)
  expect(lines.slice(-3)).toEqual([
    'get usage from honest/goat: a goat',
    'get usage from honest/hen: a hen',
    'and 852 more objects',
  ])
})

test.each([
  ['before a reconcile', ['first', undefined], ['list', 'remove'], []],
  ['during one, for the next', [undefined, 'first'], [], ['list', 'remove']],
  ['again during one, for the next', ['first', 'second'], ['list'], ['list', 'remove']],
] as const)('a new count is asked for %s, and the annotation goes once it is made', async (_, asks, now, next) => {
  const requests = [...asks]
  const ask = (): void => {
    const request = requests.shift()
    if (request === undefined) return
    const { metadata } = tracked.quota
    tracked.quota = { ...tracked.quota, metadata: { ...metadata, annotations: { [RECONCILE_ANNOTATION]: request } } }
  }
  const bringUp = async (): Promise<undefined> => {
    ask()
    return await Promise.resolve(undefined)
  }
  const keeper = { ...BUSY.keeper, bringUp }
  const { counted, reconcile, tracked, done } = setUp(0, { ...BUSY, keeper })
  counted.problem = undefined
  ask()
  await reconcile()
  expect(done.splice(0)).toEqual(now)
  await reconcile()
  expect(done).toEqual(next)
})
