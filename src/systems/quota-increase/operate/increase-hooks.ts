import { CONFIG_WEBHOOK, INCREASE_WEBHOOK } from '../api/webhook-names.ts'
import { DEFINITION_LABEL, INCREASES_MANAGED_BY_LABEL } from '../api/increase-names.ts'
import { quotaIncrease } from '../api/quota-increase.ts'
import { quotaServiceConfig } from '../api/quota-service-config.ts'
import { definitionFor, isForeign, type QuotaDefinitions } from '../decide/definitions.ts'
import { increaseErrors } from '../decide/increase-errors.ts'
import { readServiceConfig } from '../decide/read-definitions.ts'
import { type FieldError, required } from '../../../machinery/field-error.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import { invalid } from '../../../machinery/status.ts'
import { type AdmissionDecision, allowed, deniedAs } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { NOT_COLLECTED, NOT_COUNTED } from '../../generated-quota/operate/harmless-change.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { withoutIdleLimits } from '../../generated-quota/operate/idle-limits-refusal.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { type HookCondition, notByOperator } from '../../../operator/webhook/configuration.ts'
import { UNSELECTED_TEXT } from '../decide/increase-status.ts'
import { definitionLimits, increaseLimits } from '../decide/idle-increase-limits.ts'
import { type BaseQuotaGuardOptions, guardBaseQuota } from './base-quota-guard.ts'

/** The operator writes only the metadata of increases, once for each: nobody has to be asked about that. */
const CHANGES_SPEC: HookCondition = {
  name: 'changes-spec',
  expression:
    "request.operation != 'UPDATE' || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec",
}

const INCREASES = {
  phase: 'validating',
  name: INCREASE_WEBHOOK,
  path: '/quotaincreases/validating',
  rules: [{ groups: [quotaIncrease.group], resources: [quotaIncrease.resource], operations: ['CREATE', 'UPDATE'] }],
  conditions: [CHANGES_SPEC],
  withoutConditions: [{}],
} as const satisfies Partial<AnsweredHook>

const NO_DEFINITIONS =
  'the increase raises nothing: the operator has no definitions of base quotas (--quota-definitions, --quota-service-config)'

export interface IncreaseHooksOptions extends BaseQuotaGuardOptions {
  readonly limits: Pick<LimitCheck, 'judge'>
  /** The definitions as their author wrote them last; undefined while there are none. */
  readonly definitions: () => QuotaDefinitions | undefined
}

/** The webhooks of quota increases, which the quota operator lacks. */
export function increaseHooks(options: IncreaseHooksOptions): readonly AnsweredHook[] {
  const { limits } = options
  return [
    {
      ...INCREASES,
      handle: async (request, signal) =>
        withoutIdleLimits(
          warnUnselected(validateIncrease(request), request, options),
          request,
          increaseLimits,
          limits,
          signal,
        ),
    },
    {
      phase: 'validating',
      name: CONFIG_WEBHOOK,
      path: '/quotaserviceconfigs/validating',
      rules: [
        {
          groups: [quotaServiceConfig.group],
          resources: [quotaServiceConfig.resource],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      handle: async (request, signal) =>
        withoutIdleLimits(validateConfig(request), request, definitionLimits, limits, signal),
    },
    ...guardsOfBaseQuotas(options),
  ]
}

/** Nobody but the operator changes a base quota. */
function guardsOfBaseQuotas(options: IncreaseHooksOptions): readonly AnsweredHook[] {
  const { provider, ownName } = options
  const own = ownName()
  const quotas = {
    phase: 'validating',
    objectSelector: {
      matchLabels: { [INCREASES_MANAGED_BY_LABEL]: provider },
      matchExpressions: [{ key: DEFINITION_LABEL, operator: 'Exists' }],
    },
  } as const
  const quotaRules = (resource: string, ...operations: readonly ('UPDATE' | 'DELETE')[]) => ({
    rules: [{ groups: [''], resources: [resource], operations }],
  })
  const { resource } = RESOURCE_QUOTAS
  const guard = async (request: AdmissionRequest): Promise<AdmissionDecision> => guardBaseQuota(request, options)
  return [
    {
      ...quotas,
      name: 'base-quotas.validating.allot.dev',
      path: '/quotaincreases/quotas/validating',
      ...quotaRules(resource, 'UPDATE', 'DELETE'),
      conditions: [NOT_COLLECTED, ...notByOperator(own)],
      withoutConditions: [
        quotaRules(resource, 'UPDATE'),
        // A quota that went while nobody answered is made again.
        {
          name: 'base-quotas-deletion.validating.allot.dev',
          path: '/quotaincreases/quotas/deletion/validating',
          ...quotaRules(resource, 'DELETE'),
          failurePolicy: 'Ignore',
        },
      ],
      handle: guard,
    },
    {
      ...quotas,
      name: 'base-quotas-status.validating.allot.dev',
      path: '/quotaincreases/quotas/status/validating',
      ...quotaRules(`${resource}/status`, 'UPDATE'),
      // Every pod that is admitted is charged to the status. Without conditions the webhook would be asked each time.
      conditions: [NOT_COUNTED, ...notByOperator(own)],
      handle: guard,
    },
  ]
}

/** The quota operator accepts such increases, and they contribute nothing in any mode. */
const NO_AMOUNT = 'an increase without amounts contributes nothing'

/** Refuses an increase that can never apply; what stood there already may stay. */
function validateIncrease({ object, oldObject }: AdmissionRequest): AdmissionDecision {
  if (object === undefined) return allowed()
  if (oldObject !== undefined && jsonEqual(object['spec'], oldObject['spec'])) return allowed()
  const spec = object['spec']
  if (!isObject(spec) || !isObject(spec['hard'])) return refused(object, [required('spec.hard')])
  if (Object.keys(spec['hard']).length === 0) return refused(object, [required('spec.hard', NO_AMOUNT)])
  return refused(object, increaseErrors(quotaIncrease.read(object)))
}

/** Warns where no definition selects the namespace. One that has only just come is not known yet. */
function warnUnselected(
  decision: AdmissionDecision,
  { namespace: name }: AdmissionRequest,
  { caches, definitions, provider }: IncreaseHooksOptions,
): AdmissionDecision {
  const namespace = caches.namespaces.get('', name)
  const current = definitions()
  if (decision.verdict !== 'allowed' || namespace === undefined || current === undefined) return decision
  const isSelected =
    isForeign(namespace.labels ?? {}, current.external, provider) ||
    definitionFor(current, namespace, provider) !== undefined
  return isSelected ? decision : allowed([UNSELECTED_TEXT])
}

/** The webhook of increases where there are no definitions: it warns of what nobody follows. */
export const undefinedIncreasesHook: AnsweredHook = {
  ...INCREASES,
  failurePolicy: 'Ignore',
  handle: async () => allowed([NO_DEFINITIONS]),
}

/** Refuses definitions that could not be followed; what stood there already may stay. */
function validateConfig({ object, oldObject }: AdmissionRequest): AdmissionDecision {
  if (object === undefined) return allowed()
  if (oldObject !== undefined && jsonEqual(object['spec'], oldObject['spec'])) return allowed()
  return refused(object, readServiceConfig(object['spec']).errors ?? [])
}

const refused = ({ kind, metadata }: KubeObject, errors: readonly FieldError[]): AdmissionDecision =>
  errors.length === 0 ? allowed() : deniedAs(invalid({ group: quotaIncrease.group, kind }, metadata.name ?? '', errors))
