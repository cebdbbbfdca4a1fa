import { sentence } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { add, mask, parseResourceList, type ResourceList, subtract } from '../../quantity/resource-list.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { type CompiledKarmadaQuota, compileKarmadaQuota, costsOf } from '../../systems/karmada-quota/decide/costs.ts'
import { validateKarmadaQuota } from '../../systems/karmada-quota/decide/validate-quota.ts'

/** A KarmadaQuota ready to be charged, or the errors in its spec. */
const readySpec = oncePerObject(
  (
    spec: KarmadaQuota['spec'],
  ): { readonly compiled: CompiledKarmadaQuota | undefined; readonly problems: readonly string[] } => {
    const problems = validateKarmadaQuota({ spec }).map(sentence)
    return { compiled: problems.length === 0 ? compileKarmadaQuota(spec) : undefined, problems }
  },
)

/** The errors in the spec of a KarmadaQuota: with one it lets no binding grow. */
export const problemsOf = ({ spec }: KarmadaQuota): readonly string[] => readySpec(spec).problems

/** One KarmadaQuota, with what the bindings of its namespace cost, by limit. */
export class BindingTally {
  quota: KarmadaQuota
  /** Does the sum have to be written into its status? */
  isDirty = false
  /** Why the usage is not known. */
  doubt: string | undefined
  /** What the bindings cost that are not among those of the world. */
  #base: ResourceList = {}
  #sum: ResourceList = {}
  readonly #costs = new Map<string, ResourceList>()

  constructor(quota: KarmadaQuota) {
    this.quota = quota
  }

  get compiled(): CompiledKarmadaQuota | undefined {
    return readySpec(this.quota.spec).compiled
  }

  /** A quota without limits counts nothing. */
  get counts(): boolean {
    return this.compiled === undefined || this.compiled.tracked.size > 0
  }

  /** Possibly below 0. */
  get used(): ResourceList {
    return add(this.#base, this.#sum)
  }

  /** What is counted of one binding. */
  costOf(name: string): ResourceList {
    return this.#costs.get(name) ?? {}
  }

  /** Throws QuantityError where a request of the binding cannot be read. */
  set(name: string, binding: KubeObject | undefined): void {
    const cost = binding === undefined || this.compiled === undefined ? {} : costsOf(this.compiled, binding)
    this.#sum = add(subtract(this.#sum, this.costOf(name)), cost)
    if (binding === undefined) this.#costs.delete(name)
    else this.#costs.set(name, cost)
    this.isDirty = true
  }

  /** Counts the bindings anew; what is used beside them is forgotten. */
  count(bindings: readonly KubeObject[]): void {
    this.#base = {}
    this.#sum = {}
    this.#costs.clear()
    for (const binding of bindings) this.set(binding.metadata.name ?? '', binding)
    this.isDirty = true
  }

  /** Takes the usage that somebody has counted. */
  keep(used: Readonly<Record<string, unknown>>): void {
    const names = this.compiled?.tracked.keys() ?? []
    this.#base = subtract(mask(parseResourceList(used), names), this.#sum)
    this.isDirty = false
  }
}
