// Covers binding-charges.ts, whatever the order in which schedulers write.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { PODS } from '../../../../test/systems/counted/scripted-ledger.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import { bindingCharges } from './binding-charges.ts'
import type { PodsOf } from './binding-pods.ts'
import { compileKarmadaQuota, costsOf } from './costs.ts'

const RUNS = { numRuns: process.env['ALLOT_SOAK'] === undefined ? 300 : 20_000 }
const CLUSTERS = ['m1', 'm2', 'm3'] as const
const NAMES = ['web', 'job', 'db'] as const
/** The changes of a binding that say no more than their name. */
const CHANGES = ['suspend', 'resume', 'unplace', 'delete', 'reschedule'] as const
const QUOTA = compileKarmadaQuota({ hard: { pods: '1' } })

const binding = fc.constantFrom(...NAMES)
const cluster = fc.constantFrom(...CLUSTERS)
/** The writes of Karmada's parts, of people, and of what goes wrong between them. */
const operations = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('declare' as const),
      binding,
      replicas: fc.nat(5),
      scheduling: fc.constantFrom('Duplicated', 'Divided', 'left-out'),
      /** None: the placement selects clusters by their labels. */
      names: fc.option(fc.subarray([...CLUSTERS], { minLength: 1 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('scale' as const), binding, replicas: fc.nat(6) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('schedule' as const),
      binding,
      hasRoom: fc.boolean(),
      isReportLate: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('report' as const), binding }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('evict' as const), binding, cluster }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom(...CHANGES), binding }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('cluster-gone', 'cluster-back'), cluster }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('limit' as const), limit: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('see' as const), events: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('lose-next', 'reconcile', 'wait') }) },
)
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never

const specOf = (object: KubeObject): JsonObject => object['spec'] as JsonObject
const podsOf = (object: KubeObject | undefined, of: PodsOf): number =>
  object === undefined ? 0 : Number(quantityOf(costsOf(QUOTA, object, of), 'pods')?.toString() ?? 0)

/** Karmada's control plane with one quota, as far as bindings and their writers go. */
class ControlPlane {
  readonly bindings = new Map<string, KubeObject>()
  /** The pods that ran beyond the limit. */
  readonly exceeded: string[] = []
  limit = 8
  readonly #clusters = new Set<string>(CLUSTERS)
  readonly #reports = new Map<string, JsonObject>()
  readonly #world = setUp(0, { limit: () => this.limit })
  #isNextLost = false
  #count = 0

  async open(): Promise<void> {
    await this.#world.ledger.open('')
  }

  running(): number {
    return this.bindings.values().reduce((sum, one) => sum + podsOf(one, 'running'), 0)
  }

  get used(): number {
    return Number(this.#world.ledger.balance?.toString())
  }

  /** A write of the binding that the webhook reviews. Says whether it was allowed. */
  async write(name: string, change: (old: KubeObject) => KubeObject): Promise<string> {
    const { server, ledger } = this.#world
    const old = this.bindings.get(name)
    const fresh = { apiVersion: 'v1', kind: 'ResourceBinding', metadata: { name, uid: `${name}-${++this.#count}` } }
    const object = change(old ?? { ...fresh, spec: {} })
    const uid = object.metadata.uid ?? ''
    const charges = bindingCharges(QUOTA, object, old).map(({ cost, oldCost }) => ({
      operation: old === undefined ? ('CREATE' as const) : ('UPDATE' as const),
      kind: PODS,
      namespace: 'n',
      name,
      uid,
      base: old?.metadata.resourceVersion ?? '',
      cost,
      oldCost,
      id: `c${++this.#count}`,
    }))
    const said = await outcome(ledger.reserve(charges, LATER))
    if (said !== 'allowed') return said
    if (this.#isNextLost) {
      this.#isNextLost = false
      return 'lost'
    }
    const before = this.running()
    this.#store(name, object)
    server.put(name, uid, podsOf(this.bindings.get(name), 'charged'))
    // The running pods never grow beyond the limit, whichever write charged them.
    const running = this.running()
    if (running > before && running > this.limit) this.exceeded.push(`${running} of ${this.limit}`)
    return said
  }

  #store(name: string, object: KubeObject): void {
    const metadata = { ...object.metadata, resourceVersion: String(this.#world.server.revision + 1) }
    this.bindings.set(name, { ...object, metadata })
  }

  /** Nobody is asked about a status. */
  report(name: string, condition = this.#reports.get(name)): void {
    const object = this.bindings.get(name)
    this.#reports.delete(name)
    if (object === undefined || condition === undefined) return
    this.#store(name, { ...object, status: { conditions: [{ type: 'Scheduled', ...condition }] } })
    this.#world.server.put(name, object.metadata.uid ?? '', podsOf(this.bindings.get(name), 'charged'))
  }

  /** The clusters that the scheduler gives a binding; undefined where it does nothing, 'nowhere' where no cluster fits. */
  #target(name: string): readonly JsonObject[] | 'nowhere' | undefined {
    const spec = specOf(this.bindings.get(name) ?? { apiVersion: '', kind: '', metadata: {}, spec: {} })
    const placement = spec['placement'] as
      | { clusterAffinity?: { clusterNames?: string[] }; replicaScheduling?: { replicaSchedulingType: string } }
      | undefined
    if (placement === undefined || spec['suspension'] !== undefined) return undefined
    const names = placement.clusterAffinity?.clusterNames ?? [...CLUSTERS]
    const fit = names.filter((one) => this.#clusters.has(one)).toSorted()
    if (fit.length === 0) return 'nowhere'
    const replicas = Number(spec['replicas'] ?? 0)
    if (placement.replicaScheduling?.replicaSchedulingType !== 'Divided')
      return fit.map((one) => ({ name: one, replicas }))
    const share = (at: number): number => Math.floor(replicas / fit.length) + (at < replicas % fit.length ? 1 : 0)
    return fit.map((one, at) => ({ name: one, replicas: share(at) })).filter((one) => one.replicas > 0)
  }

  async schedule(name: string, hasRoom: boolean, isReportLate: boolean): Promise<void> {
    const target = this.#target(name)
    if (target === undefined) return
    let condition: JsonObject = { status: 'False', reason: 'NoClusterFit' }
    if (hasRoom && target !== 'nowhere') {
      const said = await this.write(name, (old) => ({
        ...old,
        metadata: {
          ...old.metadata,
          annotations: { 'policy.karmada.io/applied-placement': JSON.stringify(specOf(old)['placement']) },
        },
        spec: { ...specOf(old), clusters: target },
      }))
      if (said === 'lost') return
      const isRefused = said !== 'allowed'
      condition = isRefused ? { status: 'False', reason: 'QuotaExceeded' } : { status: 'True', reason: 'Success' }
    }
    this.#reports.set(name, condition)
    if (!isReportLate) this.report(name)
  }

  async perform(operation: Operation): Promise<void> {
    const { views, ledger, time } = this.#world
    switch (operation.type) {
      case 'declare': {
        const { replicas, scheduling, names } = operation
        const placement = {
          ...(names === null ? {} : { clusterAffinity: { clusterNames: names } }),
          ...(scheduling === 'left-out' ? {} : { replicaScheduling: { replicaSchedulingType: scheduling } }),
        }
        await this.write(operation.binding, (old) => ({ ...old, spec: { ...specOf(old), replicas, placement } }))
        return
      }
      case 'schedule':
        return await this.schedule(operation.binding, operation.hasRoom, operation.isReportLate)
      case 'report':
        return this.report(operation.binding)
      case 'limit':
        this.limit = operation.limit
        return
      case 'see':
        return views.see(operation.events)
      case 'lose-next':
        this.#isNextLost = true
        return
      case 'reconcile':
        await ledger.reconcile()
        return
      case 'wait':
        time.now += PATIENCE + 1
        return
      case 'cluster-gone':
      case 'cluster-back':
        if (operation.type === 'cluster-gone') this.#clusters.delete(operation.cluster)
        else this.#clusters.add(operation.cluster)
        return
      case 'scale':
      case 'evict':
      case 'suspend':
      case 'resume':
      case 'unplace':
      case 'delete':
      case 'reschedule':
        return await this.#change(operation)
      default:
        return operation satisfies never
    }
  }

  /** A change of a binding that is there. */
  async #change(
    operation: Extract<Operation, { readonly type: (typeof CHANGES)[number] | 'scale' | 'evict' }>,
  ): Promise<void> {
    const { server } = this.#world
    const old = this.bindings.get(operation.binding)
    if (old === undefined) return
    if (operation.type === 'delete') {
      this.bindings.delete(operation.binding)
      this.#reports.delete(operation.binding)
      return server.remove(operation.binding)
    }
    const { placement: _, suspension: __, ...rest } = specOf(old)
    const kept = (key: 'placement' | 'suspension') =>
      specOf(old)[key] === undefined ? {} : { [key]: specOf(old)[key] }
    const spec: JsonObject = {
      scale: () => ({ ...specOf(old), replicas: operation.type === 'scale' ? operation.replicas : 0 }),
      suspend: () => ({ ...specOf(old), suspension: { scheduling: true } }),
      resume: () => ({ ...rest, ...kept('placement') }),
      unplace: () => ({ ...rest, ...kept('suspension') }),
      reschedule: () => ({ ...specOf(old), rescheduleTriggeredAt: String(this.#count) }),
      evict: () => ({
        ...specOf(old),
        clusters: ((specOf(old)['clusters'] ?? []) as JsonObject[]).filter(
          (one) => operation.type === 'evict' && one['name'] !== operation.cluster,
        ),
        gracefulEvictionTasks: [{ fromCluster: operation.type === 'evict' ? operation.cluster : '' }],
      }),
    }[operation.type]()
    await this.write(operation.binding, (object) => ({ ...object, spec }))
  }

  /** Everything is seen, what was lost is given up, and the scheduler has looked at each binding until it changes nothing. */
  async settle(): Promise<void> {
    const { views, ledger, time } = this.#world
    const rest = async (): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        views.see()
        await ledger.reconcile()
        time.now += PATIENCE + 1
      }
    }
    this.#isNextLost = false
    for (const name of NAMES) this.report(name)
    for (let round = 0; round < 4; round++) {
      await rest()
      for (const name of this.bindings.keys()) await this.schedule(name, true, false)
    }
    await rest()
  }

  /** The pods that the binding's placement gives, on the clusters that there are; those that run where the scheduler does nothing. */
  given(name: string): number {
    const target = this.#target(name)
    const running = podsOf(this.bindings.get(name), 'running')
    if (target === undefined || target === 'nowhere') return running
    return Math.max(
      running,
      target.reduce((sum, { replicas }) => sum + Number(replicas), 0),
    )
  }
}

test('whatever Karmada writes in whatever order, no more runs than the limit, and what nothing runs costs nothing in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 1, maxLength: 40, size: '+1' }), async (all) => {
      const plane = new ControlPlane()
      await plane.open()
      for (const operation of all) await plane.perform(operation)
      await plane.settle()
      expect(plane.exceeded).toEqual([])
      let sum = 0
      for (const [name, object] of plane.bindings) {
        const charged = podsOf(object, 'charged')
        sum += charged
        expect(charged).toBeLessThanOrEqual(Math.max(plane.given(name), suspended(object)))
        const isSeenTo = specOf(object)['placement'] !== undefined && specOf(object)['suspension'] === undefined
        if (isSeenTo) expect([name, charged]).toEqual([name, podsOf(object, 'running')])
      }
      expect(plane.used).toBe(sum)
    }),
    RUNS,
  )
})

/** Where the scheduler does nothing for now, or for good, a binding that it has not refused is charged for what it declares. */
function suspended(object: KubeObject): number {
  const { placement, suspension, replicas } = specOf(object)
  return placement === undefined || suspension !== undefined ? Number(replicas ?? 0) * CLUSTERS.length : 0
}
