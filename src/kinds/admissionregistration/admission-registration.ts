import { PER_CALL_LIMIT } from '../../cel/program.ts'
import { Run } from '../../cel/types/run-budget.ts'
import { append, duplicate, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { isDNS1035Label, isDNS1123Subdomain } from '../../machinery/names.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import {
  validateMutatingPolicy,
  validatePolicyBinding,
  validateValidatingBinding,
  validateValidatingPolicy,
} from './admission-policy-validation.ts'
import { all, at, type Change, each, fill, fillAbsent } from '../rule/change.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { validateMatchConditions } from './match-condition-validation.ts'
import { absent, numberOf, objectOf, objectsOf, textOf, textsOf } from '../../machinery/read.ts'
import { labelSelectorOf } from '../rule/label-selector.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { validateWebhookClient } from './webhook-client-validation.ts'
import { validateWebhookRule } from './webhook-rule-validation.ts'

const VERSIONS = ['v1', 'v1beta1']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
/** One expression may be as much work to compile as to evaluate; a configuration as much as so many of them. */
const COMPILE_LIMIT = 4 * PER_CALL_LIMIT

const webhookDefaults: Change = all(
  fillAbsent({
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    namespaceSelector: {},
    objectSelector: {},
  }),
  each('rules', fillAbsent({ scope: '*' })),
  at('clientConfig', at('service', fillAbsent({ port: 443 }))),
)

/** The errors in one webhook (admissionregistration `validateValidatingWebhook`, `validateMutatingWebhook`). */
function validateWebhook(webhook: JsonObject, path: string, work: Run): readonly FieldError[] {
  const errors: FieldError[] = []
  const name = textOf(webhook.name)
  if (name === '') errors.push(required(`${path}.name`))
  else {
    for (const text of isDNS1123Subdomain(name)) errors.push(invalid(`${path}.name`, name, text))
    if (name.split('.').length < 3) {
      errors.push(invalid(`${path}.name`, name, 'should be a domain with at least three segments separated by dots'))
    }
  }
  objectsOf(webhook.rules).forEach((rule, index) =>
    append(errors, validateWebhookRule(rule, `${path}.rules[${index}]`)),
  )
  oneOf(webhook, 'failurePolicy', ['Fail', 'Ignore'], path, errors)
  oneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact'], path, errors)
  if (absent(webhook.sideEffects)) {
    errors.push(required(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`))
  }
  oneOf(webhook, 'sideEffects', SIDE_EFFECTS, path, errors)
  const timeout = numberOf(webhook.timeoutSeconds)
  if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'))
  }
  for (const key of ['namespaceSelector', 'objectSelector'])
    append(errors, validateLabelSelector(labelSelectorOf(webhook[key]), `${path}.${key}`))
  oneOf(webhook, 'reinvocationPolicy', ['IfNeeded', 'Never'], path, errors)
  append(errors, validateWebhookClient(objectOf(webhook.clientConfig), `${path}.clientConfig`))
  append(errors, validateMatchConditions(objectsOf(webhook.matchConditions), `${path}.matchConditions`, work))
  return errors
}

/** The server must speak one of the versions of reviews; the others are the webhook's own affair. */
function validateReviewVersions(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${VERSIONS.join(', ')}`)]
  const seen = new Set<string>()
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`
    if (seen.size === seen.add(version).size) return [invalid(at, version, 'duplicate version')]
    return isDNS1035Label(version).map((problem) => invalid(at, version, problem))
  })
  const known = versions.some((version) => VERSIONS.includes(version))
  return known ? errors : [...errors, invalid(path, versions, `must include at least one of ${VERSIONS.join(', ')}`)]
}

function oneOf(webhook: JsonObject, key: string, allowed: readonly string[], path: string, errors: FieldError[]): void {
  const value = webhook[key]
  if (!absent(value) && !allowed.includes(textOf(value)))
    errors.push(notSupported(`${path}.${key}`, textOf(value), allowed))
}

function validateConfiguration(object: KubeObject): readonly FieldError[] {
  const names = new Set<string>()
  const work = new Run(COMPILE_LIMIT)
  return objectsOf(object.webhooks).flatMap((webhook, index) => {
    const path = `webhooks[${index}]`
    const name = textOf(webhook.name)
    const again = name !== '' && names.has(name) ? [duplicate(`${path}.name`, name)] : []
    names.add(name)
    return [
      ...validateWebhook(webhook, path, work),
      ...validateReviewVersions(textsOf(webhook.admissionReviewVersions), `${path}.admissionReviewVersions`),
      ...again,
    ]
  })
}

const configuration = (defaults: Change): Strategy => ({
  ...lifecycle({ generation: true }),
  categories: ['api-extensions'],
  allowUnconditionalUpdate: false,
  defaults: each('webhooks', defaults),
  validate: validateConfiguration,
})

/** Sets the defaults of the match resources of policies and bindings (`SetDefaults_MatchResources`, `SetDefaults_Rule`). */
const matchResources: Change = all(
  fill({ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  each('resourceRules', fillAbsent({ scope: '*' })),
  each('excludeResourceRules', fillAbsent({ scope: '*' })),
)

const policy: Strategy = {
  ...lifecycle({ status: {}, generation: true }),
  categories: ['api-extensions'],
  allowUnconditionalUpdate: false,
  defaults: at('spec', all(fill({ failurePolicy: 'Fail' }), at('matchConstraints', matchResources))),
}

const policyBinding: Strategy = {
  ...lifecycle({ generation: true }),
  categories: ['api-extensions'],
  allowUnconditionalUpdate: false,
  defaults: at('spec', at('matchResources', matchResources)),
}

export const admissionRegistrationStrategies: Strategies = {
  'validatingwebhookconfigurations.admissionregistration.k8s.io': configuration(webhookDefaults),
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': configuration(
    all(webhookDefaults, fillAbsent({ reinvocationPolicy: 'Never' })),
  ),
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    ...policy,
    validate: validateValidatingPolicy,
    validateStatusUpdate: () => [],
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...policyBinding,
    validate: validateValidatingBinding,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    ...policy,
    ...lifecycle({ generation: true }),
    validate: validateMutatingPolicy,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { ...policyBinding, validate: validatePolicyBinding },
}
