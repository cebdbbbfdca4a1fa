import { isResourceQuota, type ResourceQuota } from './resource-quota.ts'
import { validateQuotaSize } from './quota-size.ts'
import { resourceQuotaWarnings } from './warnings.ts'
import {
  validateResourceQuotaSpec,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from './validate.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { all, at } from '../rule/change.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { rounded } from '../rule/rounded-amounts.ts'
import type { Strategies } from '../strategy/strategy.ts'

/** Runs a rule for quotas on what the request path knows as an object only. */
const asQuota =
  <Result>(rule: (quota: ResourceQuota) => readonly Result[]) =>
  (object: KubeObject): readonly Result[] =>
    isResourceQuota(object) ? rule(object) : []

/** A quota that is too large already may still be changed elsewhere, and let go. */
const validateUpdate = (object: KubeObject, old: KubeObject): readonly FieldError[] =>
  isResourceQuota(object) && isResourceQuota(old)
    ? [
        ...validateResourceQuotaUpdate(object, old),
        ...(jsonEqual(object.spec?.hard, old.spec?.hard) ? [] : validateQuotaSize(object)),
      ]
    : []

const warningsOf = asQuota(resourceQuotaWarnings)

export const quotaStrategies: Strategies = {
  resourcequotas: {
    ...lifecycle({ status: {} }),
    shortNames: ['quota'],
    defaults: all(at('spec', at('hard', rounded)), at('status', all(at('hard', rounded), at('used', rounded)))),
    validate: asQuota((quota) => [...validateResourceQuotaSpec(quota.spec), ...validateQuotaSize(quota)]),
    validateUpdate,
    validateStatusUpdate: asQuota(validateResourceQuotaStatusUpdate),
    warnings: (object, old) => (old === undefined ? warningsOf(object) : []),
  },
}
