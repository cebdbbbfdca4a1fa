// Covers calculation-handler.ts, with objects that a quota cannot measure.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../../test/systems/custom-quota/custom-quotas.ts'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { customQuota } from '../../api/custom-quota.ts'
import { globalCustomQuota } from '../../api/global-custom-quota.ts'
import { compileQuota } from '../../decide/compile-quota.ts'
import type { WatchSink } from '../../../../kube/cache/shared-reflector.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import { reportedStatus } from '../quota-report.ts'
import type { CustomQuotaTracker } from '../tracking/quota-tracker.ts'
import { KindCounts } from '../../../counted/count/kind-counts.ts'
import { LEDGER_AMOUNT } from '../../../counted/protocol/ledger-budget.ts'
import { measureObject } from '../tracking/quota-tracking.ts'
import { TrackedQuota } from '../tracking/tracked-quota.ts'
import type { ChargedLedger } from '../../../counted/protocol/admit-all.ts'
import { LedgerUnavailable } from '../../../counted/protocol/ledger-errors.ts'
import type { ChargeRequest } from '../../../counted/protocol/reserve.ts'
import { quotaHandler } from '../../../counted/quota-handler.ts'
import { type CalculationOptions, raisedCosts } from './calculation-costs.ts'

const MAPS = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  namespaced: true,
  verbs: ['list', 'watch'],
  shortNames: [],
  subresources: [],
}
const PART = '/v1/ConfigMap'
const NAMESPACES = ['a', 'b', 'c']
/** The place that one quota of its own limits. */
const OWN = 'a'
const LIMIT = 6
const UNMEASURABLE = 'cow'

const places = fc.record({ namespace: fc.constantFrom(...NAMESPACES), name: fc.constantFrom('x', 'y', 'z') })
const sizes = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }).map(String) },
  { weight: 1, arbitrary: fc.constant(UNMEASURABLE) },
)
const stored = fc.array(fc.record({ place: places, size: sizes }), { maxLength: 6 })
const steps = fc.array(
  fc.record({
    place: places,
    /** Undefined: the object is deleted. */
    size: fc.option(sizes, { nil: undefined, freq: 5 }),
    /** The watch shows the write at once, or only with the next one that it shows. */
    isSeen: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
)

type Place = Readonly<{ namespace: string; name: string }>
const keyOf = ({ namespace, name }: Place): string => `${namespace}/${name}`
const costOf = (size: string | undefined): number | undefined =>
  size === UNMEASURABLE ? undefined : Number(size ?? '0')

/** A replica with a global quota and one of namespace `a`, on objects that were there before. */
class World {
  readonly objects = new Map<string, KubeObject>()
  readonly #sink: WatchSink
  readonly #quotas: readonly TrackedQuota[]
  readonly #unseen: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }[] = []
  readonly #handle: ReturnType<typeof quotaHandler>
  /** What the last request was charged, by each quota. */
  charged: readonly ChargeRequest[] | undefined
  #revision = 1

  private constructor(sink: WatchSink, quotas: readonly TrackedQuota[], kinds: KindCounts<TrackedQuota>) {
    this.#sink = sink
    this.#quotas = quotas
    const tracker = {
      kinds,
      unresolved: [],
      unserved: { quotasOf: () => [] },
      namespaces: { get: () => ({}) },
      finder: { crd: () => undefined },
    } as unknown as CustomQuotaTracker
    const clock = new ManualClock()
    const options: CalculationOptions = {
      tracker,
      client: {} as never,
      clock,
      ledgers: { of: (tracked) => ({ admission: this.#ledgerOf(tracked) }) as never },
      exempt: new Set(),
      isGenerated: () => false,
      untilReady: 'refuse',
      warnAt: [],
    }
    this.#handle = quotaHandler({
      client: { list: () => Promise.resolve({ items: [] }) } as never,
      clock,
      charging: { costsOf: (request, signal) => raisedCosts(request, signal, options) },
    })
  }

  static async of(objects: readonly (readonly [Place, string])[]): Promise<World> {
    const sinks: WatchSink[] = []
    const kinds = new KindCounts<TrackedQuota>({
      client: {} as never,
      clock: new ManualClock(),
      follow: (_, sink) => {
        sinks.push(sink)
        return { run: async () => undefined, problem: undefined } as never
      },
      measure: measureObject,
    })
    const spec = quotaSpec({
      limit: LIMIT,
      sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size' }],
    })
    const metadata = { name: 'q', uid: 'q', generation: 1 }
    const quotas = [
      globalCustomQuota.read({
        apiVersion: globalCustomQuota.apiVersion,
        kind: globalCustomQuota.kind,
        metadata,
        spec,
      }),
      customQuota.read({
        apiVersion: customQuota.apiVersion,
        kind: customQuota.kind,
        metadata: { ...metadata, namespace: OWN },
        spec,
      }),
    ].map((quota) => new TrackedQuota(quota, compileQuota(quota.spec, { strictPaths: false })))
    for (const tracked of quotas) {
      const target = { kind: { group: '', version: 'v1', kind: 'ConfigMap' }, resource: MAPS }
      tracked.resolution = {
        targets: kinds
          .add(tracked, MAPS, [{ name: PART, amount: LEDGER_AMOUNT }], () => undefined)
          .map((one) => ({ ...target, ...one })),
        problems: [],
      }
    }
    const [sink] = sinks
    if (sink === undefined) throw new Error('the kind is followed')
    const world = new World(sink, quotas, kinds)
    for (const [place, size] of objects) world.#put(place, size)
    sink.listBegins?.()
    await sink.page({ items: [...world.objects.values()], resourceVersion: String(world.#revision) })
    sink.listEnds()
    sink.reached?.(String(world.#revision))
    await world.report()
    return world
  }

  sizeOf(place: Place): string | undefined {
    return (this.objects.get(keyOf(place)) as { data?: { size: string } } | undefined)?.data?.size
  }

  /** The sum of what can be measured, of all or in a namespace. */
  sum(namespace?: string): number {
    return this.#sizes(namespace).reduce((sum, size) => sum + (costOf(size) ?? 0), 0)
  }

  hasUnmeasurable(namespace: string): boolean {
    return this.#sizes(namespace).includes(UNMEASURABLE)
  }

  #sizes(namespace?: string): string[] {
    return [...this.objects.values()]
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .map(({ metadata: { namespace: of = '', name = '' } }) => this.sizeOf({ namespace: of, name }) ?? '')
  }

  /** The leader writes the statuses of the quotas. */
  async report(): Promise<void> {
    for (const tracked of this.#quotas) {
      const findings = { problems: [], unenforced: undefined, now: '2026-01-01T00:00:00Z' }
      tracked.quota = { ...tracked.quota, status: await reportedStatus(tracked, findings) }
    }
  }

  #put({ namespace, name }: Place, size: string): KubeObject {
    const known = this.objects.get(keyOf({ namespace, name }))
    const resourceVersion = String(++this.#revision)
    const uid = known?.metadata.uid ?? `u${resourceVersion}`
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name, uid, resourceVersion },
      data: { size },
    }
    this.objects.set(keyOf({ namespace, name }), object)
    return object
  }

  delete(place: Place): void {
    const object = this.objects.get(keyOf(place))
    if (object === undefined) return
    this.objects.delete(keyOf(place))
    const resourceVersion = String(++this.#revision)
    this.#unseen.push({ type: 'DELETED', object: { ...object, metadata: { ...object.metadata, resourceVersion } } })
  }

  /** Sends a write, and stores the object where it is allowed. Gives the answer. */
  async write(place: Place, size: string): Promise<string> {
    this.charged = undefined
    const oldObject = this.objects.get(keyOf(place))
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...place, uid: oldObject?.metadata.uid ?? `n${this.#revision}` },
      data: { size },
    }
    const request = {
      operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
      resource: MAPS,
      kind: MAPS,
      subResource: '',
      ...place,
      object,
      oldObject,
      dryRun: true,
    } as unknown as AdmissionRequest
    const decision = await this.#handle(request, new AbortController().signal, 1000)
    if (decision.verdict !== 'allowed') return String((decision as { code?: number }).code)
    this.#unseen.push({ type: oldObject === undefined ? 'ADDED' : 'MODIFIED', object: this.#put(place, size) })
    return 'allowed'
  }

  /** The ledgers know the sum whatever this replica has seen. */
  #ledgerOf({ ref, countedIn }: TrackedQuota): ChargedLedger {
    const consult = async (charges: readonly ChargeRequest[]): Promise<void> => {
      this.charged = [...(this.charged ?? []), ...charges]
      const used = charges.reduce(
        (sum, { cost, oldCost }) => sum.add(cost).sub(oldCost),
        Quantity.of(this.sum(countedIn)),
      )
      if (used.cmp(Quantity.of(LIMIT)) > 0) throw new LedgerUnavailable(ref, 'missing', 'full')
    }
    return { ref, reserve: consult, consult, release: () => undefined }
  }

  see(): void {
    for (const { type, object } of this.#unseen.splice(0)) this.#sink.event?.(type, object)
    this.#sink.reached?.(String(this.#revision))
  }
}

test('an object that cannot be measured closes its own namespace and nothing else, until it can be measured or is gone, and opens no room', async () => {
  await fc.assert(
    fc.asyncProperty(stored, steps, async (before, writes) => {
      const world = await World.of(before.map(({ place, size }) => [place, size]))
      const most = Math.max(LIMIT, world.sum())
      const mostOwn = Math.max(LIMIT, world.sum(OWN))
      // Namespaces are open or closed by what the replica has seen.
      let closed = new Set(NAMESPACES.filter((namespace) => world.hasUnmeasurable(namespace)))
      for (const { place, size, isSeen } of writes) {
        if (size === undefined) world.delete(place)
        else {
          const [old, sum, sumOwn] = [world.sizeOf(place), world.sum(), world.sum(OWN)]
          const answer = await world.write(place, size)
          const [cost, oldCost] = [costOf(size), costOf(old)]
          const { charged } = world
          if (cost === undefined) expect(answer).toBe(old === UNMEASURABLE ? 'allowed' : '403')
          else if (cost <= (oldCost ?? 0)) expect(answer).toBe('allowed')
          else if (old !== UNMEASURABLE && closed.has(place.namespace)) expect(answer).toBe('429')
          else {
            const isOwn = place.namespace === OWN
            expect(charged?.map(({ cost: by, oldCost: from }) => [from.toString(), by.toString()])).toEqual(
              Array.from({ length: isOwn ? 2 : 1 }, () => [String(oldCost ?? 0), String(cost)]),
            )
            const raise = cost - (oldCost ?? 0)
            const fits = sum + raise <= LIMIT && (!isOwn || sumOwn + raise <= LIMIT)
            expect(answer).toBe(fits ? 'allowed' : '429')
          }
          if (answer !== 'allowed' || cost === undefined || cost <= (oldCost ?? 0))
            expect(charged === undefined || answer === '429').toBe(true)
        }
        if (isSeen) {
          world.see()
          closed = new Set(NAMESPACES.filter((namespace) => world.hasUnmeasurable(namespace)))
          await world.report()
        }
        expect(world.sum()).toBeLessThanOrEqual(most)
        expect(world.sum(OWN)).toBeLessThanOrEqual(mostOwn)
      }
    }),
  )
})
