import { DEFAULT_WARN_AT, limitWarning } from '../../charges/usage-warnings.ts'
import { jsonEqual, wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified, tooManyRequests } from '../../machinery/status.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import { isFree } from '../../systems/counted/protocol/reserve.ts'
import { karmadaQuota, type KarmadaQuotaSpec } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { BINDING_WEBHOOK } from '../../systems/karmada-quota/api/webhook-names.ts'
import { bindingCharges } from '../../systems/karmada-quota/decide/binding-charges.ts'
import { shownUsage } from '../../systems/karmada-quota/decide/status.ts'
import { deniedBy } from './admission.ts'
import { BindingTally, problemsOf } from './binding-tally.ts'
import {
  type CountedDecision,
  type CountedWrite,
  type CountingQuotas,
  isMade,
  NOT_COUNTED,
  refusalBy,
  UNCOUNTED,
  UNKNOWN_SUM,
} from './counted-write.ts'
import { readKarmadaQuota } from './karmada-quota-rules.ts'
import type { Place, World } from './world.ts'
import { isBinding } from '../explain/bindings.ts'

/** Counts the ResourceBindings of KarmadaQuotas in a world as the operator does, and decides on their writes as its webhook does. */
export class KarmadaQuotas implements CountingQuotas {
  readonly #world: World
  /** Is the state that of a cluster, where an operator has counted the quotas? */
  readonly #isFromCluster: boolean
  /** By namespace and name. */
  readonly #tallies = new Map<string, Map<string, BindingTally>>()

  constructor(world: World, isFromCluster: boolean) {
    this.#world = world
    this.#isFromCluster = isFromCluster
    for (const object of world.all(karmadaQuota)) this.#begin(object)
    world.onChange((place, object) => this.#changed(place, object))
  }

  doubtOf(quota: KubeObject): string | undefined {
    if (quota.kind !== karmadaQuota.kind) return undefined
    const { namespace = '', name = '' } = quota.metadata
    return this.#tallies.get(namespace)?.get(name)?.doubt
  }

  settle(): void {
    for (const tallies of this.#tallies.values())
      for (const tally of tallies.values()) if (tally.isDirty) this.#writeStatus(tally)
  }

  decide({ object, oldObject, operation }: CountedWrite): CountedDecision {
    const { namespace = '', name = '' } = object.metadata
    if (!isBinding(object)) return NOT_COUNTED
    const tallies = this.#in(namespace).filter(({ doubt, counts }) => doubt === undefined && counts)
    const broken = tallies.find(({ compiled }) => compiled === undefined)
    if (broken !== undefined) {
      const { metadata } = broken.quota
      const text = `KarmadaQuota ${JSON.stringify(metadata.name)} is invalid: ${problemsOf(broken.quota).join('; ')}`
      return { ...NOT_COUNTED, error: deniedBy(BINDING_WEBHOOK, tooManyRequests(text, 1)) }
    }
    try {
      const charged = tallies.flatMap((tally) => {
        const { compiled, quota, used } = tally
        if (compiled === undefined) return []
        const counted = tally.costOf(name)
        const charges = bindingCharges(compiled, object, oldObject).map(({ limit, cost, oldCost }) => {
          return { kind: limit, cost, oldCost, counted: quantityOf(counted, limit) ?? Quantity.zero }
        })
        const ref = { group: karmadaQuota.group, kind: karmadaQuota.kind, namespace, name: quota.metadata.name ?? '' }
        const shown = quota.status?.used
        return charges.every(isFree) ? [] : [{ budget: { ref, hard: compiled.hard, used }, charges, shown }]
      })
      const refusals = charged.flatMap(({ budget, charges }) => refusalBy(budget, { object, operation, charges }) ?? [])
      const warnings = charged.flatMap(
        ({ budget: { ref, hard }, charges, shown }) =>
          limitWarning(
            { ref, hard, used: shown },
            charges.map(({ kind: limit, ...costs }) => ({ limit, ...costs })),
            DEFAULT_WARN_AT,
          ) ?? [],
      )
      return { webhook: charged.length > 0 ? BINDING_WEBHOOK : undefined, error: undefined, refusals, warnings }
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error
      const text = `the requests of the ResourceBinding are invalid: ${error.message}`
      return { ...NOT_COUNTED, error: deniedBy(BINDING_WEBHOOK, text) }
    }
  }

  #in(namespace: string): readonly BindingTally[] {
    return [...(this.#tallies.get(namespace)?.values() ?? [])]
  }

  #changed({ of, namespace, name }: Place, object: KubeObject | undefined): void {
    const id = qualified(of)
    if (id === BINDINGS) for (const tally of this.#in(namespace)) this.#readably(tally, () => tally.set(name, object))
    if (id !== qualified(karmadaQuota)) return
    const tally = this.#tallies.get(namespace)?.get(name)
    if (object === undefined) this.#tallies.get(namespace)?.delete(name)
    else if (tally === undefined) this.#begin(object)
    else this.#quotaChanged(tally, object)
  }

  #quotaChanged(tally: BindingTally, object: KubeObject): void {
    const { spec } = tally.quota
    tally.quota = readKarmadaQuota(object)
    if (tally.doubt === UNCOUNTED || jsonEqual(spec, tally.quota.spec)) return
    // A spec that counts alike keeps what is counted.
    if (tally.doubt === undefined && jsonEqual(countedBy(spec), countedBy(tally.quota.spec))) tally.isDirty = true
    else this.#count(tally)
  }

  /** Takes a quota up. The usage that somebody has counted stays as it is. */
  #begin(object: KubeObject): void {
    const quota = readKarmadaQuota(object)
    const { namespace = '', name = '' } = quota.metadata
    const tally = new BindingTally(quota)
    const tallies = this.#tallies.get(namespace) ?? new Map<string, BindingTally>()
    this.#tallies.set(namespace, tallies.set(name, tally))
    this.#count(tally)
    const { used, hard } = quota.status ?? {}
    const isCounted = used !== undefined && hard !== undefined && jsonEqual(namesOf(hard), namesOf(quota.spec.hard))
    if (isCounted) {
      tally.keep(used)
      tally.doubt = undefined
    } else if (this.#isFromCluster && !isMade(quota) && tally.counts) {
      tally.isDirty = false
      tally.doubt = UNCOUNTED
    }
  }

  #count(tally: BindingTally): void {
    tally.doubt = this.#world.unseen.has(BINDINGS) ? UNKNOWN_SUM : undefined
    const { namespace = '' } = tally.quota.metadata
    this.#readably(tally, () => tally.count(this.#world.list(RESOURCE_BINDINGS, namespace)))
  }

  /** The schema of bindings keeps amounts out that cannot be read; files may have them. */
  #readably(tally: BindingTally, count: () => void): void {
    try {
      count()
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error
      tally.doubt = `the requests of a ResourceBinding are invalid: ${error.message}`
    }
  }

  #writeStatus(tally: BindingTally): void {
    tally.isDirty = false
    const { quota, compiled, doubt, used } = tally
    if (doubt !== undefined || compiled === undefined) return
    const { namespace = '', name = '' } = quota.metadata
    const stored = this.#world.find(karmadaQuota, namespace, name)
    const status = {
      ...quota.status,
      ...shownUsage(compiled.hard, used),
      observedGeneration: Number(wholeNumber(quota.metadata.generation) ?? 1n),
    }
    if (stored !== undefined && !jsonEqual(status, quota.status)) this.#world.write(karmadaQuota, { ...stored, status })
  }
}

const BINDINGS = qualified(RESOURCE_BINDINGS)

const namesOf = (limits: object = {}): readonly string[] => Object.keys(limits).toSorted()

/** What of a spec says which bindings are counted, and how. */
const countedBy = (spec: KarmadaQuotaSpec): object => ({ ...spec, hard: namesOf(spec.hard) })
