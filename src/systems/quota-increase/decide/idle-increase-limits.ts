import { quotaIncrease } from '../api/quota-increase.ts'
import { quotaServiceConfig } from '../api/quota-service-config.ts'
import { scopeRequirements } from '../../../kinds/resource-quota/resource-quota.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'

/** The amounts of an increase; earlier ones may stay. */
export function increaseLimits(object: KubeObject, old: KubeObject | undefined): readonly NamedLimits[] {
  const before = old === undefined ? {} : quotaIncrease.read(old).spec.hard
  const names = Object.keys(quotaIncrease.read(object).spec.hard).filter((name) => !Object.hasOwn(before, name))
  return [{ path: 'spec.hard', names }]
}

/** The limits of the definitions of a QuotaServiceConfig. */
export const definitionLimits = (object: KubeObject): readonly NamedLimits[] =>
  limitsOf(quotaServiceConfig.read(object).spec.quotas, 'spec.quotas')

/** The limits of definitions. `at`: the path of their list. */
export const limitsOf = (definitions: readonly QuotaDefinition[], at: string): readonly NamedLimits[] =>
  definitions.map(({ template: { spec } }, index) => {
    const { hard = {}, ...scopes } = spec
    return {
      path: `${at}[${index}].template.spec.hard`,
      names: Object.keys(hard),
      requirements: scopeRequirements(scopes),
    }
  })
