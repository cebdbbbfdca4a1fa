import type { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { Wording } from '../../charges/refusal-text.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, notFound, qualified } from '../../machinery/status.ts'
import type { SourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { type Facts, idOf } from '../explain/facts.ts'
import { nextPod } from '../explain/next-pod.ts'
import { Admission, type KnownKind, strategyOf } from './admission.ts'
import { AdmissionWarnings } from './admission-warnings.ts'
import { appliedOver, lastApplied } from '../apply-manifest.ts'
import type { Schemas } from '../schemas.ts'
import { Collector } from './collector.ts'
import { completed, isHelmTest, nameOf, placed, readable } from './given-manifests.ts'
import { givenProblem } from './given-problem.ts'
import { NAMESPACE_KIND, namespaceNamed, ofEachNamespace } from './new-namespace.ts'
import { namespaceFacts } from './namespace-facts.ts'
import { type GivenDefinitions, increaseRules, Increases } from './increases.ts'
import { poolRules } from './pool-rules.ts'
import { Pools } from './pools.ts'
import type { CountingQuotas } from './counted-write.ts'
import { CustomQuotas } from './custom-quotas.ts'
import { customQuotaRules } from './custom-quota-rules.ts'
import { karmadaQuotaRules } from './karmada-quota-rules.ts'
import { KarmadaQuotas } from './karmada-quotas.ts'
import { report, stateOf, type WorkloadState, workloadsIn } from './report.ts'
import type { ChangeResult, Simulation } from './simulation.ts'
import { blindSpots, type NotSeen, uncertainQuotas } from './undecided.ts'
import { warningsOfWorkload } from './workload-room.ts'
import { Workloads } from './workloads.ts'
import { workloadKind } from '../explain/workload-kinds.ts'
import { resourceNamed } from '../explain/resource-named.ts'
import { World, NAMESPACES } from './world.ts'

/** The kind of an object as it is served; undefined where it is not. */
export type KindOf = (apiVersion: string, kind: string) => KnownKind | undefined

export interface Change {
  readonly operation: 'apply' | 'delete'
  readonly object: KubeObject
}

export interface SimulatorOptions extends Schemas {
  /** All objects that there are. */
  readonly state: readonly KubeObject[]
  /** Whether the state comes from a cluster, where controllers have run. On a state from files they run first. */
  readonly isFromCluster: boolean
  readonly kinds: KindOf
  /** The namespace of manifests that name none. */
  readonly namespace: string
  /** Does the state of files have this namespace although nothing in them is in it? Default: true. */
  readonly isNamespaceThere?: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Milliseconds since the epoch as RFC 3339, in whole seconds. */
  readonly timestamp: (ms: number) => string
  readonly notSeen?: readonly NotSeen[]
  /** The definitions of base quotas, where they are not those of a QuotaServiceConfig. */
  readonly definitions?: GivenDefinitions
  /** What the API server offers: limits on nothing of that are idle. Default: it is not known. */
  readonly offered?: OfferedResources
  /** How the API server words a refusal by several quotas; default: as Kubernetes. */
  readonly wording?: Wording
}

/** On a manifest: that it is to be deleted. */
export const DELETE_ANNOTATION = 'simulate.allot.dev/delete'
/** Manifests of one step are applied within one second. */
const STEP_MS = 1000
/** Controllers that answer each other come to rest long before. */
const MOST_ROUNDS = 100
interface Cluster {
  readonly world: World
  readonly admission: Admission
  readonly collector: Collector
  readonly warnings: AdmissionWarnings
  readonly increases: Increases
  readonly workloads: Workloads
  /** Why the usage of a quota that counts objects is not known. */
  readonly doubtOf: CountingQuotas['doubtOf']
  /** What an API server would not have of the state, a sentence each. */
  readonly unusable: readonly string[]
  readonly settle: () => void
}

/** Tries changes on a state, step after step, in the order in which they are given, as `kubectl apply` would make them. Writes nothing. */
export class Simulator {
  readonly #options: SimulatorOptions
  readonly #cluster: Cluster
  readonly #changes: ChangeResult[] = []
  readonly #last = new Map<string, KubeObject>()
  #before: World | undefined
  #step = 0

  constructor(options: SimulatorOptions) {
    this.#options = options
    this.#cluster = loaded(options)
    this.#cluster.world.note()
  }

  /** The world as it is now. */
  get world(): World {
    return this.#cluster.world
  }

  /** Are there definitions of base quotas? */
  get isFollowing(): boolean {
    return this.#cluster.increases.isFollowing
  }

  /** The objects of the state that an API server would not have, a sentence each. */
  get unusable(): readonly string[] {
    return this.#cluster.unusable
  }

  /** How the workloads of a namespace stand now, those that no other workload has made. */
  workloadsIn(namespace: string): readonly WorkloadState[] {
    const facts = namespaceFacts(this.world, namespace, blindSpots(this.#options.notSeen))
    return workloadsIn(facts).map((object) => stateOf(object, facts, this.#cluster.workloads.refusalOf(object)))
  }

  workload(kind: string, namespace: string, name: string): WorkloadState | undefined {
    return this.workloadsIn(namespace).find(({ object }) => object.kind === kind && object.name === name)
  }

  /** Makes the changes of one step, and lets everything come to rest after each of them. */
  step(changes: readonly Change[]): readonly ChangeResult[] {
    this.#step += 1
    this.world.now += STEP_MS
    const results = changes.map((change) => {
      this.#cluster.warnings.take()
      const made = this.#made(change)
      const warnings = made.result === 'refused' ? [] : this.#cluster.warnings.take()
      const result = warnings.length === 0 ? made : { ...made, warnings }
      this.#cluster.settle()
      const isConfig = result.object.kind === quotaServiceConfig.kind && result.message === undefined
      const note = isConfig ? this.#cluster.increases.noteOn(result.object.name) : undefined
      return note === undefined ? result : { ...result, message: note }
    })
    this.#changes.push(...results)
    return results
  }

  /** What has come of all steps. */
  result(): Simulation {
    this.#before ??= loaded(this.#options).world
    const { world, admission, workloads, increases, doubtOf, unusable } = this.#cluster
    return report({
      unusable,
      before: this.#before,
      after: world,
      changes: this.#changes,
      notSeen: this.#options.notSeen ?? [],
      increaseRules: increases,
      doubtOf,
      assumed: admission.assumed,
      refusalOf: (object) => workloads.refusalOf(object),
    })
  }

  /** Returns the quotas that count the changed objects and whose room is unknown. */
  uncertainQuotas(): readonly string[] {
    const { world, doubtOf } = this.#cluster
    return uncertainQuotas({ after: world, changed: world.changes(), doubtOf })
  }

  #made({ operation, object: given }: Change): ChangeResult {
    const kind = this.#options.kinds(given.apiVersion, given.kind)
    const isDeletion: boolean = operation === 'delete' || given.metadata.annotations?.[DELETE_ANNOTATION] !== undefined
    const { name: ownName = '', generateName = '' } = given.metadata
    const isNameless = ownName === '' && generateName !== ''
    const isNamed = !isNameless || isDeletion
    const object = placed(isNamed ? given : this.world.named(given), kind, this.#options.namespace)
    const about = {
      object: idOf(object),
      step: this.#step,
      ...(isNamed
        ? {}
        : { message: `the name is invented: the API server completes generateName ${JSON.stringify(generateName)}` }),
    }
    if (isNameless && isDeletion) return { ...about, result: 'refused', message: 'resource name may not be empty' }
    if (kind === undefined)
      return {
        ...about,
        result: 'ignored',
        message: 'the API server does not serve its kind, and no manifest defines it',
      }
    if (isHelmTest(object))
      return { ...about, result: 'skipped', message: 'only helm test makes it (annotation helm.sh/hook)' }
    this.#addNamespace(given, object, kind)
    const { namespace = '', name = '' } = object.metadata
    try {
      const live = this.world.find(kind, namespace, name)
      if (isDeletion) {
        // As kubectl delete; an annotation only says what is not to be there.
        if (live === undefined && operation === 'delete' && !this.world.unseen.has(qualified(kind)))
          throw notFound(kind, name)
        return { ...about, result: this.#deleted(kind, object, live) }
      }
      const decoded = this.#options.decode(object, true)
      const told = this.#told(kind, decoded, live)
      const result = live === undefined ? this.#created(kind, decoded) : this.#updated(kind, decoded, live)
      if (result !== 'unchanged') this.#cluster.warnings.warn(told)
      return { ...about, result }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { ...about, result: 'refused', message: error.message }
    }
  }

  /** Files mostly leave out the namespace of manifests that name none. */
  #addNamespace(given: KubeObject, { metadata: { namespace = '' } }: KubeObject, { namespaced }: KnownKind): void {
    const { isFromCluster, timestamp, now } = this.#options
    if (isFromCluster || !namespaced || (given.metadata.namespace ?? '') !== '') return
    if (this.world.find(NAMESPACES, '', namespace) !== undefined) return
    this.world.write(NAMESPACES, completed(NAMESPACE_KIND, namespaceNamed(namespace), timestamp(now)))
    for (const [of, one] of ofEachNamespace(namespace)) this.world.write(of, one)
    this.#cluster.settle()
  }

  /** What `allot up` says of a workload before it is stored. */
  #told(kind: KnownKind, decoded: KubeObject, old: KubeObject | undefined): readonly string[] {
    const { wording, isFromCluster } = this.#options
    if (wording !== 'all' || workloadKind(decoded) === undefined) return []
    const object = strategyOf(kind)?.defaults?.(decoded) ?? decoded
    // Which webhooks a cluster has was not read.
    return warningsOfWorkload({ resource: kind, object, old }, this.world, isFromCluster)
  }

  #created(kind: KnownKind, object: KubeObject): ChangeResult['result'] {
    const { admission, world } = this.#cluster
    const created = admission.create(kind, object)
    if (qualified(kind) === qualified(NAMESPACES))
      for (const [of, one] of ofEachNamespace(created.metadata.name ?? '')) world.write(of, one)
    this.#last.set(created.metadata.uid ?? '', object)
    return 'created'
  }

  #updated(kind: KnownKind, object: KubeObject, live: KubeObject): ChangeResult['result'] {
    const { uid = '' } = live.metadata
    const last = this.#last.get(uid) ?? lastApplied(live, (one) => this.#options.decode(one, false))
    const wanted = appliedOver(object, live, last, this.#options.typeOf(object))
    const updated = this.#cluster.admission.update(kind, wanted, live)
    this.#last.set(uid, object)
    return updated === live ? 'unchanged' : 'changed'
  }

  #deleted(kind: KnownKind, object: KubeObject, live: KubeObject | undefined): ChangeResult['result'] {
    if (live === undefined) return 'unchanged'
    const { world, admission, collector } = this.#cluster
    admission.checkDeletion(kind, live)
    const { namespace = '', name = '' } = object.metadata
    const id = qualified(kind)
    if (id === qualified(resourcePool) && (live.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = world.timestamp(world.now)
      world.write(kind, { ...live, metadata: { ...live.metadata, deletionTimestamp } })
      return 'deleted'
    }
    if (id === qualified(NAMESPACES))
      for (const resource of world.resourcesIn(name)) {
        const of = resourceNamed(resource)
        for (const { metadata } of world.list(of, name))
          collector.remove({ of, namespace: name, name: metadata.name ?? '' })
      }
    collector.remove({ of: kind, namespace, name })
    return 'deleted'
  }
}

function loaded(options: SimulatorOptions): Cluster {
  const { state, isFromCluster, kinds, decode, now, timestamp, definitions, wording = 'first' } = options
  const { isNamespaceThere = true } = options
  const notSeen = blindSpots(options.notSeen)
  const partly = new Set((options.notSeen ?? []).map(({ resource }) => resource))
  const world = new World({
    now,
    timestamp,
    unseen: new Set(notSeen.map(({ resource }) => resource)),
    partly,
    offered: options.offered,
  })
  const unusable: string[] = []
  for (const given of state) {
    const kind = kinds(given.apiVersion, given.kind)
    if (kind === undefined) {
      unusable.push(
        `${nameOf(given)} of what is there cannot be used: the API server does not serve its kind (${given.apiVersion}), and no manifest defines it`,
      )
      continue
    }
    const object = placed(world.named(given), kind, options.namespace)
    const problem = isFromCluster ? undefined : givenProblem(kind, readable(object, decode), () => decode(object, true))
    if (problem !== undefined) unusable.push(`${nameOf(object)} of what is there cannot be used: ${problem}`)
    world.load(kind, isFromCluster ? object : completed(kind, readable(object, decode), timestamp(now)))
  }
  // Files mostly leave out the namespaces that their objects are in.
  if (!isFromCluster)
    for (const name of new Set([...(isNamespaceThere ? [options.namespace] : []), ...world.namespaces()]))
      if (name !== '' && world.find(NAMESPACES, '', name) === undefined)
        world.load(NAMESPACES, completed(NAMESPACE_KIND, namespaceNamed(name), timestamp(now)))
  if (!isFromCluster)
    for (const { metadata } of world.all(NAMESPACES))
      for (const [of, object] of ofEachNamespace(metadata.name ?? ''))
        if (world.find(of, object.metadata.namespace ?? '', object.metadata.name ?? '') === undefined)
          world.load(of, object)
  world.countAll()
  const warnings = new AdmissionWarnings(options.offered)
  const systems = new Map([
    ...poolRules(world, warnings),
    ...increaseRules(warnings),
    ...customQuotaRules(),
    ...karmadaQuotaRules(),
  ])
  const resourceOf = ({ group, version, kind }: SourceKind): KnownKind | undefined =>
    kinds(apiVersionOf({ group, version }), kind)
  const counting: readonly CountingQuotas[] = [
    new CustomQuotas(world, { resourceOf, isFromCluster }),
    new KarmadaQuotas(world, isFromCluster),
  ]
  const admission = new Admission(world, { wording, warnings, systems, counting, areAccountsKnown: isFromCluster })
  const collector = new Collector(world)
  const first = new Map<string, Facts>()
  const injected = (pod: KubeObject, maker: KubeObject): KubeObject => {
    const namespace = maker.metadata.namespace ?? ''
    const facts = first.get(namespace) ?? namespaceFacts(world, namespace, notSeen)
    first.set(namespace, facts)
    // Of what was there before all changes only the containers count that webhooks have added.
    const demand = {
      next: pod,
      resource: { group: '', resource: 'pods' },
      wanted: 1,
      existing: 0,
      maker,
      refusal: undefined,
    }
    return nextPod(demand, { ...facts, limitRanges: world.list({ group: '', resource: 'limitranges' }, namespace) }).pod
  }
  const pools = new Pools(world, admission, collector)
  const increases = new Increases(world, admission, definitions)
  const workloads = new Workloads({ world, admission, collector, injected })
  const settle = (): void => {
    for (let round = 0, isBusy = true; isBusy && round < MOST_ROUNDS; round++) {
      isBusy = increases.settle()
      isBusy = pools.settle() || isBusy
      isBusy = workloads.settle() || isBusy
      for (const quotas of counting) quotas.settle()
      isBusy = (world.freed.size > 0 && !world.unseen.has('pods')) || isBusy
    }
  }
  if (!isFromCluster) {
    for (const quotas of counting) quotas.settle()
    increases.lookAtAll()
    pools.lookAtAll()
    workloads.lookAtAll()
    settle()
  }
  // What the operator follows already tells an accident from a change.
  increases.learn()
  const doubtOf = (quota: KubeObject): string | undefined =>
    counting.map((quotas) => quotas.doubtOf(quota)).find((one) => one !== undefined)
  return { world, admission, collector, warnings, increases, workloads, doubtOf, unusable, settle }
}
