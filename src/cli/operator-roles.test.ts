// Covers ../install/rbac/operator-needs.ts and ../install/rbac/objects.ts, against what the program asks for.
import { expect, test } from 'vitest'
import type { Need } from '../install/rbac/need.ts'
import { METRICS_ACCESS_NEEDS, OPERATOR_NEEDS } from '../install/rbac/operator-needs.ts'
import type { OperatorFeature } from '../install/rbac/operator-roles.ts'
import { CUSTOM_QUOTA_NEEDS, QUOTA_ADMISSION_NEEDS } from '../install/rbac/system-needs.ts'
import { rbacObjects } from '../install/rbac/objects.ts'
import type { KubeObject } from '../machinery/object.ts'
import { objectOf, objectsOf, textsOf } from '../machinery/read.ts'
import type { EnforceResourceQuota } from '../systems/resource-quota/operate/options.ts'
import { operatorSystems } from '../systems/systems.ts'
import { customQuotaOptions } from './custom-quota-flags.ts'

const NAMESPACE = 'quotas'
const SERVICE_ACCOUNT = 'operator'
const NOTHING_FOR_TENANTS = { claims: false, increases: false, customQuotas: false }

const installed = (features: readonly OperatorFeature[]): readonly KubeObject[] =>
  rbacObjects({
    namespace: NAMESPACE,
    serviceAccount: SERVICE_ACCOUNT,
    tenantsMayCreate: NOTHING_FOR_TENANTS,
    features,
  })

/** One line for each thing that the account of the operator may do with the objects of an installation. */
function granted(objects: readonly KubeObject[]): ReadonlySet<string> {
  const bindings = objects.filter(({ kind }) => kind.endsWith('RoleBinding'))
  const lines = bindings.flatMap(({ roleRef, subjects, metadata }) => {
    expect(objectsOf(subjects)).toEqual([{ kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace: NAMESPACE }])
    const { kind, name } = objectOf(roleRef)
    const role = objects.find((one) => one.kind === kind && one.metadata.name === name)
    expect(role?.metadata.namespace).toBe(metadata.namespace)
    return objectsOf(role?.['rules']).flatMap((rule) =>
      textsOf(rule['apiGroups']).flatMap((group) =>
        textsOf(rule['resources']).flatMap((resource) =>
          textsOf(rule['verbs']).flatMap((verb) =>
            namesIn(rule['resourceNames']).map((one) => line(verb, group, resource, one, metadata.namespace)),
          ),
        ),
      ),
    )
  })
  return new Set(lines)
}

const namesIn = (value: unknown): readonly string[] => (value === undefined ? [''] : textsOf(value))

const line = (verb: string, group: string, resource: string, name: string, namespace = ''): string =>
  `${verb} ${group}/${resource} ${name} ${namespace}`

const needed = (needs: readonly Need[]): ReadonlySet<string> =>
  new Set(
    needs.flatMap(({ group, resource, subresource, verbs, names = [''], inSystemNamespace = false }) =>
      verbs.flatMap((verb) =>
        names.map((name) =>
          line(
            verb,
            group,
            subresource === undefined ? resource : `${resource}/${subresource}`,
            name,
            inSystemNamespace ? NAMESPACE : '',
          ),
        ),
      ),
    ),
  )

const CUSTOM_QUOTA_FLAGS = {
  enforce: 'on',
  untilReady: 'refuse',
  warnAt: [],
  apiserverRequestTimeout: 60_000,
  strictPaths: false,
  customQuotasPerNamespace: 1,
  customQuotaSources: 1,
  customQuotaSelectors: 1,
  customQuotaExpressions: 1,
} as const

test.each<[string, readonly OperatorFeature[], EnforceResourceQuota, boolean]>([
  ['nothing more', [], 'off', false],
  ['base quotas', ['base-quotas'], 'off', false],
  ['ResourceQuotas to enforce', ['enforce-resourcequota'], 'auto', false],
  ['metrics to guard', ['metrics-auth'], 'off', true],
  ['refusals to tell', ['refusal-events'], 'off', false],
  ['everything', ['base-quotas', 'enforce-resourcequota', 'metrics-auth', 'refusal-events'], 'auto', true],
])(
  'with %s the roles of the operator allow what it asks for at its start, and nothing else [security/operator-roles]',
  (_, features, enforce, guarded) => {
    const systems = operatorSystems({
      workers: 1,
      customQuotas: customQuotaOptions(CUSTOM_QUOTA_FLAGS, 1),
      quotaIncreases: {
        ...(features.includes('base-quotas') ? { definitions: { config: 'any' } } : {}),
        prune: false,
        systemNamespace: NAMESPACE,
        workers: 1,
      },
      resourceQuotas: { enforce, warns: false, requestTimeoutMs: 1, workers: 1 },
      karmadaQuotas: { requestTimeoutMs: 1, workers: 1 },
      refusalEvents: features.includes('refusal-events'),
    })
    const needs = [
      ...OPERATOR_NEEDS,
      ...systems.flatMap((system) => [...system.needs, ...(system.wishes ?? [])]),
      ...(guarded ? METRICS_ACCESS_NEEDS : []),
    ]
    expect(granted(installed(features))).toEqual(needed(needs))
  },
)

test('each system that keeps ledgers asks for all that keeping them takes, without another system', () => {
  const ofLedgers = (needs: readonly Need[]) => needed(needs.filter(({ resource }) => resource === 'quantityledgers'))
  const asked = ofLedgers(QUOTA_ADMISSION_NEEDS)
  expect(asked).toEqual(ofLedgers(CUSTOM_QUOTA_NEEDS))
  // A ledger that names no owner, or another, is told whose it is.
  expect(asked).toContain(line('patch', 'capsule.clastix.io', 'quantityledgers', ''))
})
