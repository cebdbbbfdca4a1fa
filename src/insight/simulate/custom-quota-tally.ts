import type { BudgetRef } from '../../charges/budget.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, textOf } from '../../machinery/read.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { type CustomQuota, customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { type GlobalCustomQuota, globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { CompiledQuota } from '../../systems/custom-quota/decide/compile-quota.ts'
import { isClosedIn } from '../../systems/custom-quota/decide/found-ready.ts'
import type { MatchableQuota } from '../../systems/custom-quota/decide/match-quotas.ts'
import { MeasureError } from '../../systems/custom-quota/decide/measure-error.ts'
import { costOf } from '../../systems/custom-quota/decide/object-cost.ts'
import type { NamespaceEffort } from '../../systems/custom-quota/decide/quota-bounds.ts'
import { uncountedText } from '../../systems/custom-quota/decide/refusal.ts'
import {
  isCountedKind,
  kindOfObject,
  type SourceKind,
  sourceKind,
} from '../../systems/custom-quota/decide/source-kind.ts'
import { compiledSpec, countsInNamespace, problemsIn } from '../budgets/custom-quota.ts'
import { type World, NAMESPACES } from './world.ts'

export type AnyCustomQuota = CustomQuota | GlobalCustomQuota

/** A custom quota of either kind. Files may hold sources that are none: nothing is counted by them. */
export const readCustomQuota = oncePerObject((object: KubeObject): AnyCustomQuota => {
  const spec = objectOf(object['spec'])
  const given = {
    ...object,
    spec: { ...spec, sources: objectsOf(spec['sources']).filter(({ kind }) => textOf(kind) !== '') },
  }
  return object.kind === globalCustomQuota.kind ? globalCustomQuota.read(given) : customQuota.read(given)
})

/** The kinds that a quota names, also one with a mistake in its spec. */
const kindsOf = oncePerObject((spec: AnyCustomQuota['spec']): readonly SourceKind[] => spec.sources.map(sourceKind))

/** One custom quota, with what its objects cost. */
export class Tally implements MatchableQuota {
  quota: AnyCustomQuota
  /** What the objects cost that are not among those of the world. */
  base = Quantity.zero
  sum = Quantity.zero
  /** Does the sum have to be written into its status? */
  isDirty = true
  /** Why the usage is not known. */
  doubt: string | undefined
  /** What each object costs, or why it cannot be measured. */
  readonly costs = new Map<string, { readonly namespace: string; readonly cost: Quantity | string }>()
  readonly #world: World
  readonly #selected = new Map<string, boolean>()

  constructor(quota: AnyCustomQuota, world: World) {
    this.quota = quota
    this.#world = world
  }

  get compiled(): CompiledQuota | undefined {
    const compilation = compiledSpec(this.quota.spec)
    return compilation.ok ? compilation.quota : undefined
  }

  get isGlobal(): boolean {
    return this.quota.kind === globalCustomQuota.kind
  }

  get ref(): BudgetRef {
    const { apiVersion, kind, metadata } = this.quota
    const { namespace = '', name = '' } = metadata
    return { group: kindOfObject({ apiVersion, kind }).group, kind, namespace, name }
  }

  readonly selection = { has: (namespace: string): boolean => this.#selects(namespace) }

  #selects(namespace: string): boolean {
    const known = this.#selected.get(namespace)
    if (known !== undefined) return known
    const found = this.#world.find(NAMESPACES, '', namespace)
    const selects = countsInNamespace(this.quota, namespace, found && (found.metadata.labels ?? {}))
    this.#selected.set(namespace, selects)
    return selects
  }

  forgetSelection(): void {
    this.#selected.clear()
  }

  /** Looks at the labels of a namespace again. Says whether the quota counts there otherwise than before. */
  reselect(namespace: string): boolean {
    const before = this.#selected.get(namespace) ?? false
    this.#selected.delete(namespace)
    return this.#selects(namespace) !== before
  }

  get used(): Quantity {
    return this.base.add(this.sum)
  }

  /** Why an object of the namespace cannot be measured, if there is one. */
  unmeasuredIn(namespace: string): string | undefined {
    for (const one of this.costs.values())
      if (one.namespace === namespace && typeof one.cost === 'string') return one.cost
    const { status } = this.quota
    return this.isKept && isClosedIn(namespace, status) === true ? problemsIn(namespace, status) : undefined
  }

  /** Does the status say what an operator has found? Then what it knew and the world does not show goes on. */
  isKept = false

  counts(kind: SourceKind): boolean {
    return kindsOf(this.quota.spec).some((one) => isCountedKind(one, kind))
  }
}

export const costAmount = (cost: Quantity | string | undefined): Quantity =>
  cost instanceof Quantity ? cost : Quantity.zero

export function costOrText(
  { compiled, isGlobal }: Tally,
  object: KubeObject,
  effort: NamespaceEffort,
): Quantity | string | undefined {
  if (compiled === undefined) return undefined
  try {
    return costOf(compiled, object, isGlobal ? undefined : effort)
  } catch (error) {
    if (!(error instanceof MeasureError)) throw error
    return uncountedText(object, error)
  }
}
