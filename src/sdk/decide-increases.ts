import type { QuotaDefinition } from '../systems/quota-increase/api/quota-definition.ts'
import { quotaIncrease } from '../systems/quota-increase/api/quota-increase.ts'
import { applyIncreases as apply, type IncreasesOutcome } from '../systems/quota-increase/decide/apply-increases.ts'
import type { LabelledNamespace } from '../systems/quota-increase/decide/definitions.ts'
import { readDefinitionsFile } from '../systems/quota-increase/decide/read-definitions.ts'
import { sentence } from '../machinery/field-error.ts'
import { type GivenObject, readGiven } from './given-object.ts'
import { InputError } from './input-error.ts'

/** A namespace with its increases. */
export interface IncreasesQuestion {
  /** One of the `quotas` in a file of definitions. */
  readonly definition: unknown
  /** Its label `quota.openmcp.cloud/use` names the increase of the mode `singular`. */
  readonly namespace: LabelledNamespace
  /** The QuotaIncreases of the namespace. */
  readonly increases: readonly GivenObject[]
  /** Milliseconds since the epoch; left out: no increase expires. */
  readonly now?: number
}

/**
 * Decides what a definition and the increases of a namespace come to, as the operator does: the limits of the quota, what each
 * increase contributes, and why others do not apply. Nothing is written. Throws InputError for an invalid definition and for an
 * increase that is not an object.
 */
export function applyIncreases({ definition, namespace, increases, now }: IncreasesQuestion): IncreasesOutcome {
  const read = readDefinitionsFile({ quotas: [definition] })
  if (read.errors !== undefined) throw new InputError('definition', read.errors.map(sentence).join('; '))
  const given = increases.map((increase, index) => readGiven(increase, `increases[${index}]`))
  const [wanted] = read.definitions.quotas as readonly [QuotaDefinition]
  return apply({
    definition: wanted,
    namespace,
    increases: given.map((increase) => quotaIncrease.read(increase)),
    ...(now === undefined ? {} : { now }),
  })
}
