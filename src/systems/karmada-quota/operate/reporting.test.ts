import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../../../test/kube/scripted-client.ts'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import { RESOURCE_BINDINGS } from '../api/names.ts'
import { karmadaQuota, type KarmadaQuota, type KarmadaQuotaSpec } from '../api/karmada-quota.ts'
import { LedgerUnavailable } from '../../counted/protocol/ledger-errors.ts'
import type { LedgerStatus } from '../../counted/protocol/ledger-status.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { SharedReflector, type WatchSink } from '../../../kube/cache/shared-reflector.ts'
import type { ObjectName, Patch, ResourceKind } from '../../../kube/client/kube-client.ts'
import { tooLarge } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { QuotaLedgers } from '../../counted/quota-ledgers.ts'
import { KARMADA_QUOTA_LEDGERING } from './ledgering.ts'
import { QuotaController } from '../../counted/quota-controller.ts'
import { KarmadaQuotaReporting } from './reporting.ts'
import { QuotaTracker } from '../../counted/quota-tracker.ts'
import { KarmadaQuotaTracking } from './tracking.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

const FILE = 'karmada.json'
const NAMESPACE = 'team'
const KEY = `KarmadaQuota/${NAMESPACE}/q`
const NEVER = new AbortController().signal
const RECOUNT_MS = 300_000
/** More turns of the event loop than anything here takes. */
const TURNS = 20

type Changed = (old: KarmadaQuota | undefined, current: KarmadaQuota | undefined) => void

/** An API server that has bindings and offers them. It takes no write of those that are too large. */
class Bindings extends ScriptedClient {
  readonly tooLarge = new Set<string>()
  /** What was written to the status of the quota. */
  readonly reports: unknown[] = []

  constructor() {
    super({ ...RESOURCE_BINDINGS, namespaced: true })
  }

  override async patch<T extends KubeObject>(kind: ResourceKind, name: ObjectName, patch: Patch): Promise<T> {
    if (this.tooLarge.has(name.name)) throw tooLarge(1)
    if (kind.resource === karmadaQuota.resource) {
      this.reports.push((patch.body as JsonObject)['status'])
      return {} as T
    }
    return await super.patch<T>(kind, name, patch)
  }

  override async request(): Promise<unknown> {
    const { kind, resource } = RESOURCE_BINDINGS
    return { resources: [{ name: resource, kind, namespaced: true, verbs: ['list', 'watch'] }] }
  }
}

/** One quota, as the cache of quotas shows it. */
class Quotas {
  readonly #handlers = new Set<Changed>()
  #quota: KarmadaQuota | undefined
  #uids = 0

  readonly view = {
    onChange: (handler: Changed) => {
      this.#handlers.add(handler)
      return () => void this.#handlers.delete(handler)
    },
    get: () => this.#quota,
    observed: (quota: KubeObject) => this.#change(karmadaQuota.read(quota)),
  }

  put(spec: KarmadaQuotaSpec, status?: LedgerStatus, generation = 1): void {
    this.#change(this.of(spec, status, generation))
  }

  /** A state of the quota that the cache need not show. */
  of(spec: KarmadaQuotaSpec, status: LedgerStatus | undefined, generation: number): KarmadaQuota {
    const uid = this.#quota?.metadata.uid ?? `uid-${++this.#uids}`
    const { apiVersion, kind } = karmadaQuota
    const metadata = { namespace: NAMESPACE, name: 'q', uid, generation }
    return karmadaQuota.read({ apiVersion, kind, metadata, spec, ...(status && { status }) })
  }

  remove(): void {
    this.#change(undefined)
  }

  #change(current: KarmadaQuota | undefined): void {
    const old = this.#quota
    this.#quota = current
    for (const handler of this.#handlers) handler(old, current)
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) await settled()
}

let running: QuotaTracker<TrackedKarmadaQuota> | undefined
afterEach(() => running?.end())

/** `settling`: what happens while a reconcile waits for the write of the ledger. `closure`: why the ledger is closed then. */
function setUp(settling: (quotas: Quotas) => void = () => undefined, closure?: () => LedgerUnavailable | undefined) {
  const clock = new ManualClock()
  const bindings = new Bindings()
  const quotas = new Quotas()
  const none = { onChange: () => () => undefined, get: () => undefined, release: () => undefined }
  const shared = new SharedReflector({ client: bindings, clock, logger: silentLogger })
  const context = {
    client: bindings,
    clock,
    logger: silentLogger,
    caches: {
      follow: (kind: ResourceKind, sink: WatchSink) => shared.follow({ kind }, sink),
      view: ({ kind }: { kind: { resource: string } }) =>
        kind.resource === karmadaQuota.resource ? quotas.view : none,
    },
  } as never
  const tracking = new KarmadaQuotaTracking(context)
  const tracker = new QuotaTracker<TrackedKarmadaQuota>({ context, tracking, areCrdsNeeded: true })
  tracker.begin()
  running = tracker
  const controller = new QuotaController<TrackedKarmadaQuota>({
    context,
    tracker,
    places: undefined,
    reporting: new KarmadaQuotaReporting({ context, tracker, tracking }),
    enforcement: {
      rules: { isLiveFor: () => true, onLive: () => () => undefined },
      keeper: {
        bringUp: async () => {
          await settled()
          settling(quotas)
          const error = closure?.()
          if (error !== undefined) throw error
          return undefined
        },
        closure: () => undefined,
      },
    },
    workers: 1,
  })
  const asked = new Set<string>()
  for (const source of controller.sources) source.follow('', ({ key }) => asked.add(key))
  return {
    clock,
    bindings,
    quotas,
    tracker,
    /** Is the controller asked to look at the quota after this? */
    isTriggeredBy: async (change: () => void): Promise<boolean> => {
      asked.clear()
      change()
      await turns()
      return asked.has(KEY)
    },
    reconcile: async (): Promise<number | undefined> =>
      (await controller.reconcile(KEY, undefined, NEVER)).requeueAfter,
    used: (): string | undefined =>
      tracker
        .get(KEY)
        ?.resolution?.targets.find(({ part }) => part === 'cpu')
        ?.count.total.toString(),
  }
}

const binding = (name: string, replicas: number): KubeObject => ({
  apiVersion: `${RESOURCE_BINDINGS.group}/${RESOURCE_BINDINGS.version}`,
  kind: RESOURCE_BINDINGS.kind,
  metadata: { namespace: NAMESPACE, name },
  spec: { replicas, replicaRequirements: { resourceRequest: { cpu: '1' } } },
})

test('the bindings of a quota are listed again every five minutes, so that nothing stays wrong that a watch has missed', async () => {
  const { clock, bindings, quotas, reconcile, used } = setUp()
  quotas.put({ hard: { cpu: '9' } })
  await turns()
  expect([await reconcile(), used()]).toEqual([RECOUNT_MS, '0'])
  bindings.muted = true
  bindings.put(binding('missed', 2))
  await clock.advance(RECOUNT_MS - 1_000)
  // Something else happens shortly before.
  expect([await reconcile(), used()]).toEqual([1_000, '0'])
  await clock.advance(1_000)
  expect([await reconcile(), used()]).toEqual([RECOUNT_MS, '2'])
  bindings.put(binding('missed', 3))
  await clock.advance(RECOUNT_MS)
  expect([await reconcile(), used()]).toEqual([RECOUNT_MS, '3'])
})

test('a quota that was kept before there were conditions reports, and again where a former version drops what it reported', async () => {
  const { bindings, quotas, reconcile } = setUp()
  const ledger = { outstanding: 'ledger' }
  const reported = { observedGeneration: 1, conditions: [] }
  quotas.put({ hard: { cpu: '9' } }, ledger)
  await turns()
  await reconcile()
  expect(bindings.reports).toEqual([reported])
  quotas.put({ hard: { cpu: '9' } }, { ...ledger, ...reported })
  await reconcile()
  expect(bindings.reports).toEqual([reported])
  quotas.put({ hard: { cpu: '9' } }, ledger)
  await reconcile()
  expect(bindings.reports).toEqual([reported, reported])
})

test('a ledger that is closed for a moment writes nothing, and one that stays closed says so once', async () => {
  const reported = { outstanding: 'ledger', observedGeneration: 1, conditions: [] }
  const ref = { kind: 'KarmadaQuota', namespace: NAMESPACE, name: 'q' }
  let closed = true
  const { bindings, clock, quotas, reconcile } = setUp(undefined, () =>
    closed ? new LedgerUnavailable(ref as never, 'not counted', 'not counted yet') : undefined,
  )
  quotas.put({ hard: { cpu: '9' } }, reported)
  await turns()
  expect(await reconcile()).toBe(1_000)
  closed = false
  await clock.advance(60_000)
  await reconcile()
  closed = true
  await reconcile()
  await clock.advance(4_000)
  await reconcile()
  expect(bindings.reports).toEqual([])
  await clock.advance(1_000)
  expect(await reconcile()).toBe(1_000)
  const condition = { type: 'Reconciling', status: 'True', reason: 'Closed', message: 'not counted yet' }
  expect(bindings.reports).toMatchObject([{ observedGeneration: 1, conditions: [condition] }])
})

/** The changes that have allot look at a quota again, in the words of the vector. */
async function triggers(): Promise<object> {
  const { bindings, quotas, isTriggeredBy, reconcile } = setUp()
  return {
    quotaCreate: await isTriggeredBy(() => quotas.put({ hard: { cpu: '9' } })),
    quotaSpecHardChange: await isTriggeredBy(() => quotas.put({ hard: { cpu: '8' } })),
    quotaScopeChange: await isTriggeredBy(() => quotas.put({ hard: { cpu: '8' }, scopes: ['PriorityClass'] })),
    bindingCreate:
      (await isTriggeredBy(() => quotas.put({ hard: { cpu: '8' } }))) &&
      (await isTriggeredBy(() => void bindings.put(binding('web', 1)))),
    bindingReplicasUpdate: await isTriggeredBy(() => void bindings.put(binding('web', 2))),
    bindingDelete: await isTriggeredBy(() => bindings.remove({ namespace: NAMESPACE, name: 'web' })),
    fullResync: `${((await reconcile()) ?? 0) / 60_000}m`,
  }
}

eachCase(
  `${FILE}#kq1056-triggers`,
  vectors<readonly { name: string; kind: string; expected: object }[]>(FILE).filter(
    ({ kind }) => kind === 'kq1056-triggers',
  ),
  ({ name }) => name,
  async ({ expected }) => expect(await triggers()).toEqual(expected),
)

test('each change of a quota and each event of a binding has the quota looked at', async () => {
  expect(await triggers()).toEqual({
    quotaCreate: true,
    quotaSpecHardChange: true,
    quotaScopeChange: true,
    bindingCreate: true,
    bindingReplicasUpdate: true,
    bindingDelete: true,
    fullResync: '5m',
  })
})

test('a quota that goes is reported with its last ledger, and one whose limits change is not', async () => {
  const { quotas, tracker } = setUp()
  const gone: (string | undefined)[] = []
  tracker.onGone(({ key, quota }) => gone.push(key, quota.status?.outstanding))
  quotas.put({ hard: { cpu: '9' } })
  quotas.put({ hard: { cpu: '9', pods: '1' } }, { outstanding: 'last' })
  expect(gone).toEqual([])
  quotas.remove()
  expect(gone).toEqual([KEY, 'last'])
})

test('a binding that its owner has filled does not keep others from being scheduled again', async () => {
  const { bindings, quotas, reconcile } = setUp()
  const refused = { type: 'Scheduled', status: 'False', reason: 'QuotaExceeded' }
  for (const name of ['a-full', 'b', 'c-full', 'd'])
    bindings.put({ ...binding(name, 2), status: { conditions: [refused] } })
  for (const name of ['a-full', 'c-full']) bindings.tooLarge.add(name)
  quotas.put({ hard: { cpu: '1' } })
  await turns()
  await reconcile()
  const rescheduled = async (name: string): Promise<unknown> => {
    const kind = { ...RESOURCE_BINDINGS, namespaced: true }
    const { spec } = await bindings.get(kind, { namespace: NAMESPACE, name })
    return (spec as { rescheduleTriggeredAt?: string }).rescheduleTriggeredAt
  }
  expect([await rescheduled('b'), await rescheduled('d')]).toEqual([expect.any(String), expect.any(String)])
})

test('a binding that waits is scheduled again also where the last quota of its namespace goes in the middle of a reconcile', async () => {
  const { bindings, quotas, reconcile } = setUp((all) => all.remove())
  const refused = { type: 'Scheduled', status: 'False', reason: 'QuotaExceeded' }
  bindings.put({ ...binding('waiting', 2), status: { conditions: [refused] } })
  quotas.put({ hard: { cpu: '1' } })
  await turns()
  await reconcile()
  const rescheduled = async (): Promise<unknown> => {
    const { spec } = await bindings.get(
      { ...RESOURCE_BINDINGS, namespaced: true },
      { namespace: NAMESPACE, name: 'waiting' },
    )
    return (spec as { rescheduleTriggeredAt?: string }).rescheduleTriggeredAt
  }
  expect(await rescheduled()).toBeUndefined()
  await reconcile()
  expect(await rescheduled()).toEqual(expect.any(String))
})

test.each([
  ['no limits', {}, true],
  // No binding can be written before it is mended.
  ['an error', { hard: { cpu: 'many' } }, false],
])(
  'bindings go on to be watched while the only quota of their namespace has %s, and no longer than it',
  async (_, spec, isWritable) => {
    const { bindings, quotas, reconcile, tracker } = setUp()
    const kind = { ...RESOURCE_BINDINGS, namespaced: true }
    const status = { conditions: [{ type: 'Scheduled', status: 'False', reason: 'QuotaExceeded' }] }
    const rescheduled = async (name: string): Promise<unknown> => {
      const { spec: written } = await bindings.get(kind, { namespace: NAMESPACE, name })
      return (written as { rescheduleTriggeredAt?: string }).rescheduleTriggeredAt
    }
    bindings.put({ ...binding('early', 2), status })
    quotas.put({ hard: { cpu: '1' } })
    await turns()
    quotas.put(spec, undefined, 2)
    await turns()
    // The scheduler writes a binding again, and another is refused by another quota.
    bindings.put({ ...binding('early', 3), status })
    bindings.put({ ...binding('late', 2), status })
    await turns()
    expect(await reconcile()).toBe(RECOUNT_MS)
    if (!isWritable) {
      expect([await rescheduled('early'), await rescheduled('late')]).toEqual([undefined, undefined])
      quotas.put({ hard: { cpu: '1' } }, undefined, 3)
      await turns()
      expect(await reconcile()).toBe(RECOUNT_MS)
    }
    expect([await rescheduled('early'), await rescheduled('late')]).toEqual([expect.any(String), expect.any(String)])
    expect([...tracker.kinds.all]).toHaveLength(1)
    quotas.remove()
    expect([...tracker.kinds.all]).toEqual([])
  },
)

test('a quota whose amounts could not be read counts what there is as soon as they can, under the same names', async () => {
  const { bindings, quotas, used } = setUp()
  bindings.put(binding('web', 2))
  quotas.put({ hard: { cpu: 'many' } })
  await turns()
  expect(used()).toBeUndefined()
  quotas.put({ hard: { cpu: '10' } }, undefined, 2)
  await turns()
  expect(used()).toBe('2')
})

test('a spec that is read before the watch shows those in between is not taken for a wider one', async () => {
  const { quotas, tracker } = setUp()
  quotas.put({ hard: { cpu: '10' } })
  const tracked = tracker.get(KEY)
  if (tracked === undefined) throw new Error('the quota is tracked')
  const read = tracker.observedLive(tracked, quotas.of({ hard: { cpu: '8' } }, undefined, 3), NEVER)
  quotas.put({ hard: { cpu: '9' } }, undefined, 2)
  await read
  expect([tracked.generation, tracked.widenedAt]).toEqual([3, 1])
})

test('a spec that is read is not waited for where the watch is ahead of it', async () => {
  const { quotas, tracker } = setUp()
  quotas.put({ hard: { cpu: '10' } }, undefined, 5)
  const tracked = tracker.get(KEY)
  if (tracked === undefined) throw new Error('the quota is tracked')
  const read = tracker.observedLive(tracked, quotas.of({ hard: { cpu: '8' } }, undefined, 3), NEVER)
  expect(await Promise.race([read.then(() => 'read'), turns().then(() => 'waiting')])).toBe('read')
})

test('the ledger of a quota stays the same one when the quota counts something else, with all that is to be released', () => {
  const { quotas, tracker, clock } = setUp()
  const ledgers = new QuotaLedgers({
    context: { clock } as never,
    tracker,
    ledgering: KARMADA_QUOTA_LEDGERING,
    storeOf: () => ({}) as never,
    requestTimeoutMs: 1,
  })
  const ledger = () => ledgers.of(tracker.get(KEY)!).admission
  quotas.put({ hard: { cpu: '10' } })
  const [before, tracked] = [ledger(), tracker.get(KEY)]
  quotas.put({ hard: { cpu: '10', memory: '1Gi' } }, undefined, 2)
  expect(tracker.get(KEY)).not.toBe(tracked)
  expect(ledger()).toBe(before)
})
