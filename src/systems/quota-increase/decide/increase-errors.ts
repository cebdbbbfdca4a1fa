import type { QuotaIncrease } from '../api/quota-increase.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import { validateQuotaSize } from '../../../kinds/resource-quota/quota-size.ts'
import { validateResourceQuotaSpec } from '../../../kinds/resource-quota/validate.ts'
import type { FieldError } from '../../../machinery/field-error.ts'
import { ifReadable, Quantity } from '../../../quantity/quantity.ts'

type Scopes = Pick<QuotaDefinition['template']['spec'], 'scopes' | 'scopeSelector'>

/**
 * Returns the errors of the amounts of an increase, in Kubernetes' words for a ResourceQuota. An amount below 0 is
 * valid: in the mode `cumulative` it lowers the quota. `of`: the scopes of the quota, where it is known.
 */
export function increaseErrors({ spec }: Pick<QuotaIncrease, 'spec'>, of: Scopes = {}): readonly FieldError[] {
  const { scopes, scopeSelector } = of
  const given = {
    ...(scopes === undefined ? {} : { scopes }),
    ...(scopeSelector === undefined ? {} : { scopeSelector }),
  }
  const hard = Object.fromEntries(Object.entries(spec.hard).map(([name, amount]) => [name, withoutSign(amount)]))
  const errors = [...validateResourceQuotaSpec({ hard, ...given }), ...validateQuotaSize({ spec: { hard } })]
  // Errors of the scopes alone are errors of the definition.
  const alone = new Set(validateResourceQuotaSpec({ hard: {}, ...given }).map(textOf))
  return errors.filter((error) => !alone.has(textOf(error)))
}

const textOf = (error: FieldError): string => JSON.stringify(error)

/** The amount without its sign, as text; what is not an amount stays as it is, and is refused for that. */
function withoutSign(amount: string | number): string {
  return ifReadable(() => {
    const quantity = Quantity.fromJson(amount)
    return (quantity.sign() < 0 ? quantity.neg() : quantity).toString()
  }, String(amount))
}
