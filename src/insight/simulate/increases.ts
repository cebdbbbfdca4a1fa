import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { objectOf } from '../../machinery/read.ts'
import { ApiError, qualified } from '../../machinery/status.ts'
import { roomForQuota } from '../../systems/generated-quota/decide/room-for-quota.ts'
import { type QuotaIncrease, quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import {
  DEFINITION_LABEL,
  FILE_PROVIDER,
  INCREASES_MANAGED_BY_LABEL,
} from '../../systems/quota-increase/api/increase-names.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { CONFIG_WEBHOOK, INCREASE_WEBHOOK } from '../../systems/quota-increase/api/webhook-names.ts'
import type { QuotaDefinitions } from '../../systems/quota-increase/decide/definitions.ts'
import { isKeptBy } from '../../systems/quota-increase/decide/generated-quota.ts'
import { definitionLimits, increaseLimits } from '../../systems/quota-increase/decide/idle-increase-limits.ts'
import { increaseErrors } from '../../systems/quota-increase/decide/increase-errors.ts'
import { reasonsToHold } from '../../systems/quota-increase/decide/judge-definitions.ts'
import {
  isNone,
  type NamespaceChange,
  type NamespacePlan,
  type NamespaceState,
  planNamespace,
  refusedChange,
} from '../../systems/quota-increase/decide/namespace-plan.ts'
import { poolOf } from '../../systems/quota-increase/decide/quota-keeper.ts'
import { readServiceConfig } from '../../systems/quota-increase/decide/read-definitions.ts'
import { required } from '../../machinery/field-error.ts'
import type { Admission, SystemRules } from './admission.ts'
import type { AdmissionWarnings } from './admission-warnings.ts'
import { schemaRules } from './custom-kind.ts'
import { refuseFields } from './pool-rules.ts'
import { RESOURCE_QUOTAS, type World, NAMESPACES } from './world.ts'

const QUOTA_KIND = { ...RESOURCE_QUOTAS, kind: 'ResourceQuota', namespaced: true }
/** A plan takes a few passes: a quota, what it is worth, the one that it replaces. */
const MOST_PASSES = 20

/** What decides about increases. */
const NEEDED = [NAMESPACES, quotaIncrease, RESOURCE_QUOTAS, quotaServiceConfig].map(qualified)

/** The definitions that the operator follows, and under which name. */
export interface GivenDefinitions {
  readonly provider: string
  readonly definitions: QuotaDefinitions
}

const readIncrease = oncePerObject((object: KubeObject): QuotaIncrease => quotaIncrease.read(object))

/** What the webhooks of quota increases do. */
export function increaseRules(warnings: AdmissionWarnings): ReadonlyMap<string, SystemRules> {
  const [increases, configs] = [schemaRules(quotaIncrease), schemaRules(quotaServiceConfig)]
  return new Map([
    [
      qualified(quotaIncrease),
      {
        complete: (object) => increases.withDefaults(object),
        check: (object, old) => {
          increases.check(object, old)
          if (old !== undefined && jsonEqual(object['spec'], old['spec'])) return
          const { hard } = quotaIncrease.read(object).spec
          const errors =
            Object.keys(hard ?? {}).length === 0
              ? [required('spec.hard', 'an increase without amounts contributes nothing')]
              : increaseErrors(quotaIncrease.read(object))
          refuseFields(INCREASE_WEBHOOK, quotaIncrease, object, errors)
          refuseFields(INCREASE_WEBHOOK, quotaIncrease, object, warnings.idleErrors(increaseLimits(object, old)))
        },
      },
    ],
    [
      qualified(quotaServiceConfig),
      {
        complete: (object) => configs.withDefaults(object),
        check: (object, old) => {
          configs.check(object, old)
          if (old !== undefined && jsonEqual(object['spec'], old['spec'])) return
          refuseFields(CONFIG_WEBHOOK, quotaServiceConfig, object, readServiceConfig(object['spec']).errors ?? [])
          refuseFields(CONFIG_WEBHOOK, quotaServiceConfig, object, warnings.idleErrors(definitionLimits(object)))
        },
      },
    ],
  ])
}

/** The controller of quota increases, in a world where every write succeeds at once. */
export class Increases {
  readonly #world: World
  readonly #admission: Admission
  readonly #given: GivenDefinitions | undefined
  readonly #dirty = new Set<string>()
  #followed: GivenDefinitions | undefined
  #held: readonly string[] = []
  /** The providers that base quotas name. */
  #leaders: ReadonlySet<string> = new Set()
  #isRead = false

  constructor(world: World, admission: Admission, given: GivenDefinitions | undefined) {
    this.#world = world
    this.#admission = admission
    this.#given = given
    world.onChange(({ of, namespace, name }, object, old) => {
      const id = qualified(of)
      if (id === qualified(quotaServiceConfig)) {
        this.#isRead = false
        this.lookAtAll()
      } else if (id === 'namespaces') this.#dirty.add(name)
      else if (id === qualified(quotaIncrease)) this.#dirty.add(namespace)
      else if (id === 'resourcequotas' && !isSameLimit(object, old)) this.#dirty.add(namespace)
    })
  }

  /** What decides about increases, as `namespaces`: nothing is said of them where some of it cannot be seen. */
  get needs(): readonly string[] {
    return NEEDED.filter((one) => this.#given === undefined || one !== qualified(quotaServiceConfig))
  }

  get isBlind(): boolean {
    return !this.needs.every((one) => this.#world.isWhole(one))
  }

  /** Takes the definitions as they are for those that the operator follows: base quotas name where theirs come from. */
  learn(): void {
    this.#leaders = new Set(
      this.#world
        .all(RESOURCE_QUOTAS)
        .flatMap(({ metadata: { labels = {} } }) =>
          DEFINITION_LABEL in labels ? (labels[INCREASES_MANAGED_BY_LABEL] ?? []) : [],
        ),
    )
    this.#isRead = false
    this.#definitions()
  }

  /** Why the definitions as they are now are not followed. */
  get held(): readonly string[] {
    this.#definitions()
    return this.#held
  }

  /**
   * Returns the note about a changed QuotaServiceConfig. The operator reads the one that its flag names, and no object
   * shows this flag.
   */
  noteOn(name: string): string | undefined {
    const followed = this.#definitions()?.provider
    const [leader] = this.#leaders
    if (this.#given !== undefined || (leader === FILE_PROVIDER && name !== leader))
      return 'it has no effect: allot follows the definitions of a file (--quota-definitions)'
    if (this.#held.length > 0) return `allot does not follow it: ${this.#held.join('; ')}`
    if (followed !== undefined && followed !== name)
      return `it has no effect: allot follows QuotaServiceConfig ${followed} (--quota-service-config)`
    if (followed === undefined) return 'it is not known which QuotaServiceConfig allot follows (--quota-service-config)'
    return this.#leaders.has(name)
      ? undefined
      : `it has an effect only where allot runs with --quota-service-config ${name}`
  }

  lookAtAll(): void {
    for (const { metadata } of this.#world.all(NAMESPACES)) this.#dirty.add(metadata.name ?? '')
  }

  /** Are there definitions to be followed? */
  get isFollowing(): boolean {
    return this.#definitions() !== undefined
  }

  /** Says whether anything was done. */
  settle(): boolean {
    if (this.isBlind) return false
    let isBusy = false
    for (let passes = 0; this.#dirty.size > 0 && passes < MOST_PASSES; passes++) {
      const names = [...this.#dirty]
      this.#dirty.clear()
      for (const name of names) isBusy = this.#pass(name) || isBusy
    }
    return isBusy
  }

  /** Those of the operator's flags, else of the QuotaServiceConfig that base quotas name, else of the only one, unless they look like an accident. */
  #definitions(): GivenDefinitions | undefined {
    if (this.#given !== undefined) return this.#given
    if (this.#isRead) return this.#followed
    this.#isRead = true
    this.#held = []
    const all = this.#world.all(quotaServiceConfig)
    const candidates =
      this.#leaders.size === 0 ? all : all.filter(({ metadata }) => this.#leaders.has(metadata.name ?? ''))
    const [config, other] = candidates
    if (config === undefined || other !== undefined) return this.#followed
    const provider = config.metadata.name ?? ''
    const { definitions } = { definitions: undefined, ...readServiceConfig(config['spec']) }
    if (definitions === undefined) return this.#followed
    const inUse = new Map<string, Set<string>>()
    for (const quota of this.#world.all(RESOURCE_QUOTAS).filter(isResourceQuota))
      if (isKeptBy(quota, provider)) {
        const { name = '', namespace = '' } = quota.metadata
        inUse.set(name, (inUse.get(name) ?? new Set()).add(namespace))
      }
    const namespaces = this.#world.all(NAMESPACES).map(stateOf)
    const accepted = this.#followed?.definitions
    this.#held = reasonsToHold({ candidate: definitions, accepted, provider, namespaces, inUse })
    if (this.#held.length === 0) this.#followed = { provider, definitions }
    return this.#followed
  }

  #pass(name: string): boolean {
    const followed = this.#definitions()
    const found = this.#world.find(NAMESPACES, '', name)
    if (followed === undefined || found === undefined) return false
    const { provider, definitions } = followed
    const kept = (): readonly ResourceQuota[] =>
      this.#world
        .list(RESOURCE_QUOTAS, name)
        .filter(isResourceQuota)
        .filter((one) => isKeptBy(one, provider))
    const plan = planNamespace({
      definitions,
      provider,
      namespace: stateOf(found),
      quotas: kept(),
      increases: this.#world.list(quotaIncrease, name).map(readIncrease),
      now: this.#world.now,
    })
    if (isIdle(plan)) return false
    this.#change(name, plan.take)
    try {
      this.#writeQuota(plan)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const now = this.#world.find(NAMESPACES, '', name) ?? found
      this.#change(name, refusedChange(stateOf(now), kept(), error.message))
      return true
    }
    this.#change(name, plan.standing)
    for (const { increase, labels, annotations } of plan.increases) {
      const stored = this.#world.find(quotaIncrease, name, increase.metadata.name ?? '')
      if (stored !== undefined) this.#world.write(quotaIncrease, changed(stored, { labels, annotations }))
    }
    for (const { increase } of plan.deletions)
      this.#world.remove({ of: quotaIncrease, namespace: name, name: increase.metadata.name ?? '' })
    this.#change(name, plan.release)
    for (const { metadata } of plan.orphans)
      this.#world.remove({ of: RESOURCE_QUOTAS, namespace: name, name: metadata.name ?? '' })
    return true
  }

  #writeQuota({ quota: step }: NamespacePlan): void {
    switch (step.kind) {
      case 'none':
      case 'wait':
        return
      case 'update':
      case 'let-go':
        return void this.#world.write(RESOURCE_QUOTAS, step.quota)
      case 'replace':
        this.#world.remove({
          of: RESOURCE_QUOTAS,
          namespace: step.old.metadata.namespace ?? '',
          name: step.old.metadata.name ?? '',
        })
        return this.#create(step.quota)
      case 'create':
        return this.#create(step.quota)
      default:
        return step satisfies never
    }
  }

  /** Creates a quota of the operator. Raises limits on the number of quotas for it, but not those of pools. */
  #create(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const there = this.#world.find(RESOURCE_QUOTAS, namespace, name)
    if (there !== undefined) {
      this.#world.write(RESOURCE_QUOTAS, {
        ...there,
        metadata: { ...there.metadata, ...quota.metadata, uid: there.metadata.uid ?? '' },
        spec: quota.spec,
      })
      return
    }
    try {
      this.#admission.create(QUOTA_KIND, quota, true)
    } catch (error) {
      const quotas = this.#world.list(RESOURCE_QUOTAS, namespace).filter(isResourceQuota)
      const { raises, obstacles } = roomForQuota(quotas, poolOf)
      if (!(error instanceof ApiError) || error.status.code !== 403 || obstacles.length > 0 || raises.length === 0)
        throw error
      for (const raised of raises) this.#world.write(RESOURCE_QUOTAS, raised)
      this.#admission.create(QUOTA_KIND, quota, true)
    }
  }

  #change(name: string, change: NamespaceChange): void {
    const found = this.#world.find(NAMESPACES, '', name)
    if (found === undefined || (isNone(change.labels) && isNone(change.annotations))) return
    this.#world.write(NAMESPACES, changed(found, change))
  }
}

function stateOf({ metadata }: KubeObject): NamespaceState {
  const { name = '', uid = '', labels, annotations, deletionTimestamp } = metadata
  return {
    name,
    uid,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    deleting: deletionTimestamp !== undefined,
  }
}

function isIdle({ take, quota, standing, increases, deletions, release, orphans }: NamespacePlan): boolean {
  const isQuiet = ({ labels, annotations }: NamespaceChange): boolean => isNone(labels) && isNone(annotations)
  const isWaiting = quota.kind === 'none' || quota.kind === 'wait'
  return (
    isWaiting && [take, standing, release].every(isQuiet) && increases.length + deletions.length + orphans.length === 0
  )
}

const changed = (object: KubeObject, { labels, annotations }: NamespaceChange): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: withEntries(object.metadata.labels, labels),
    annotations: withEntries(object.metadata.annotations, annotations),
  },
})

const withEntries = (
  before: Readonly<Record<string, string>> = {},
  change: NamespaceChange['labels'],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  )

/** Does only the usage of a quota change? */
const isSameLimit = (object: KubeObject | undefined, old: KubeObject | undefined): boolean =>
  object !== undefined &&
  old !== undefined &&
  jsonEqual(object['spec'], old['spec']) &&
  jsonEqual(objectOf(object['status'])['hard'], objectOf(old['status'])['hard']) &&
  jsonEqual(object.metadata.labels, old.metadata.labels)
