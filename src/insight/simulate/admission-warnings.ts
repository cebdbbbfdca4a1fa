import { isResourceQuota, scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { type IdleLimit, idleLimits, idleWarning, MOST_WARNINGS } from '../../charges/limit-names/idle-limits.ts'
import { judgeLimits, type NamedLimits } from '../../charges/limit-names/judge-limits.ts'
import type { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** What an API server would say to the writer of a manifest, beside its answer. */
export class AdmissionWarnings {
  /** Undefined: what the API server offers is not known. */
  readonly #offered: OfferedResources | undefined
  #texts: string[] = []

  constructor(offered: OfferedResources | undefined) {
    this.#offered = offered
  }

  warn(texts: readonly string[]): void {
    this.#texts.push(...texts)
  }

  /** What was said since this was asked last. */
  take(): readonly string[] {
    const texts = [...new Set(this.#texts)]
    this.#texts = []
    return texts
  }

  /** Warns of limits of a ResourceQuota that limit nothing: Kubernetes accepts them. */
  lookAtQuota(object: KubeObject, old: KubeObject | undefined): void {
    if (!isResourceQuota(object) || jsonEqual(object.spec, old?.['spec'])) return
    const path = 'spec.hard'
    const limits = { path, names: Object.keys(object.spec?.hard ?? {}), requirements: scopeRequirements(object.spec) }
    this.warn(this.#idle(limits).map((limit) => idleWarning(path, limit)))
  }

  /** Limits of allot's own kinds that limit nothing: some are errors, and of others it warns. */
  idleErrors(limits: readonly NamedLimits[]): readonly FieldError[] {
    return limits.flatMap((one) => {
      const { errors, warnings } = judgeLimits(one, this.#idle(one))
      this.warn(warnings)
      return errors
    })
  }

  #idle({ names, requirements = [] }: NamedLimits): readonly IdleLimit[] {
    const offered = this.#offered
    return offered === undefined
      ? []
      : idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, requirements, most: MOST_WARNINGS })
  }
}
