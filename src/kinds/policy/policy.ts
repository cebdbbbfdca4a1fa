import type { PodDisruptionBudget } from '../../builtin/policy-v1.ts'
import { append, type FieldError, invalid, notSupported } from '../../machinery/field-error.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { atMostWhole, countOrPercent } from '../rule/number.ts'
import { absent, specOf, textOf } from '../../machinery/read.ts'
import { labelSelectorOf } from '../rule/label-selector.ts'
import type { Strategies } from '../strategy/strategy.ts'

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget']

function validate(object: PodDisruptionBudget): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  if (!absent(spec.minAvailable) && !absent(spec.maxUnavailable)) {
    errors.push(invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const key of ['minAvailable', 'maxUnavailable'] as const) {
    append(errors, [...countOrPercent(spec[key], `spec.${key}`), ...atMostWhole(spec[key], `spec.${key}`)])
  }
  append(errors, validateLabelSelector(labelSelectorOf(spec.selector), 'spec.selector'))
  const policy = textOf(spec.unhealthyPodEvictionPolicy)
  if (policy !== '' && !EVICTION_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES))
  }
  return errors
}

export const policyStrategies: Strategies = {
  'poddisruptionbudgets.policy': {
    ...lifecycle({
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      generation: true,
    }),
    shortNames: ['pdb'],
    allowUnconditionalUpdate: false,
    validate,
    validateStatusUpdate: () => [],
  },
}
