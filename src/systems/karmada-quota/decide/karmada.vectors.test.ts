// Covers binding-pods.ts, costs.ts and validate-quota.ts, by the vectors.
import { expect } from 'vitest'
import { QuotaUnderTest, type StoredQuota } from '../../../../test/systems/karmada-quota/quota-under-test.ts'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import { karmadaQuota, type KarmadaQuotaSpec } from '../api/karmada-quota.ts'
import { sentence } from '../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import {
  add,
  equals,
  formatResourceList,
  mask,
  parseResourceList,
  quantityOf,
  removeZeros,
  type ResourceList,
} from '../../../quantity/resource-list.ts'
import { admitAll } from '../../counted/protocol/admit-all.ts'
import { LedgerRefused } from '../../counted/protocol/ledger-errors.ts'
import { type PodView, podViews } from './binding-pods.ts'
import { compileKarmadaQuota, costsOf } from './costs.ts'
import { validateKarmadaQuota } from './validate-quota.ts'

const FILE = 'karmada.json'
const REFUSED_PREFIX = /^resource Validate failed, err: resourcebindings\.work\.karmada\.io "[^"]+" is forbidden: /

interface Vector {
  readonly name: string
  readonly kind: string
  readonly expected: unknown
}

const all = vectors<readonly Vector[]>(FILE)

/** The vectors of a kind. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which shape they have
const casesOf = <T>(kind: string): readonly (T & Vector)[] =>
  all.filter((vector) => vector.kind === kind) as unknown as readonly (T & Vector)[]

const nameOf = ({ name }: Vector): string => name

const bindingOf = (spec: JsonObject): KubeObject => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { name: 'rb', namespace: 'ns' },
  spec,
})

/** The costs of a binding for a quota that limits these names. */
const costs = (names: Iterable<string>, binding: KubeObject, spec: KarmadaQuotaSpec = {}): ResourceList =>
  costsOf(compileKarmadaQuota({ ...spec, hard: Object.fromEntries([...names].map((name) => [name, '1'])) }), binding)

const ALL_NAMES = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'pods',
  'requests.cpu',
  'requests.memory',
  'count/pods',
  'services',
]

eachCase(
  `${FILE}#binding-usage`,
  casesOf<{ binding: KubeObject | null }>('binding-usage'),
  nameOf,
  ({ binding, expected }) => {
    const usage = binding === null ? {} : costs(['cpu', 'memory', 'ephemeral-storage'], binding)
    expect(formatResourceList(removeZeros(usage))).toEqual(expected)
  },
)

eachCase(
  `${FILE}#component-sum`,
  casesOf<{ components: JsonObject[] }>('component-sum'),
  nameOf,
  ({ components, expected }) => {
    expect(formatResourceList(removeZeros(costs(['cpu', 'memory'], bindingOf({ components }))))).toEqual(expected)
  },
)

eachCase(
  `${FILE}#resource-list-equal`,
  casesOf<{ a: JsonObject | null; b: JsonObject | null }>('resource-list-equal'),
  nameOf,
  ({ a, b, expected }) => {
    expect(equals(parseResourceList(a ?? {}), parseResourceList(b ?? {}))).toBe(expected)
  },
)

/** Do two bindings stand for the same pods? Then a change from one to the other changes no usage. */
function areSamePods(a: readonly PodView[], b: readonly PodView[]): boolean {
  return a.length === b.length && a.every((view, index) => isSameView(view, b[index] ?? []))
}

function isSameView(a: PodView, b: PodView): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index]
      return (
        other !== undefined &&
        one.pods === other.pods &&
        one.priorityClass === other.priorityClass &&
        equals(one.requests, other.requests)
      )
    })
  )
}

for (const kind of [
  'quota-relevant-change',
  'resource-request-change',
  'scheduled-replicas-change',
  'components-change',
])
  eachCase(
    `${FILE}#${kind}`,
    casesOf<{ oldBinding: KubeObject | null; newBinding: KubeObject | null }>(kind),
    nameOf,
    ({ oldBinding, newBinding, expected }) => {
      const isChange =
        oldBinding === null || newBinding === null || !areSamePods(podViews(oldBinding), podViews(newBinding))
      expect(isChange).toBe(expected)
    },
  )

eachCase(`${FILE}#replica-requirements`, casesOf<object>('replica-requirements'), nameOf, () => {
  throw new Error('allot reads what Karmada makes of pod templates, and makes nothing of them itself')
})

eachCase(
  `${FILE}#kq-scope`,
  casesOf<KarmadaQuotaSpec & { priorityClassName: string }>('kq-scope'),
  nameOf,
  ({ scopes, scopeSelector, priorityClassName, expected }) => {
    const binding = bindingOf({
      replicas: 1,
      replicaRequirements: { resourceRequest: { cpu: '1' }, priorityClassName },
    })
    const spec = { ...(scopes && { scopes }), ...(scopeSelector && { scopeSelector }) }
    expect(quantityOf(costs(['pods'], binding, spec), 'pods')?.sign() === 1).toBe(expected)
  },
)

eachCase(
  `${FILE}#kq1056-scope`,
  casesOf<KarmadaQuotaSpec & { bindingHasRequests: boolean }>('kq1056-scope'),
  nameOf,
  ({ scopes, scopeSelector, bindingHasRequests, expected }) => {
    const spec = { ...(scopes && { scopes }), ...(scopeSelector && { scopeSelector }) }
    expect(validateKarmadaQuota({ spec: { ...spec, hard: { pods: '1' } } })).toEqual([])
    const requirements = bindingHasRequests ? { replicaRequirements: { resourceRequest: { cpu: '1' } } } : {}
    const used = costs(['count/deployments.apps'], bindingOf({ ...requirements, resource: DEPLOYMENT }), spec)
    expect(quantityOf(used, 'count/deployments.apps')?.sign() === 1).toBe(expected)
  },
)

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'ns' }

eachCase(
  `${FILE}#kq-validate`,
  casesOf<{ spec: KarmadaQuotaSpec; expected: { error: string } }>('kq-validate'),
  nameOf,
  ({ spec, expected }) => {
    const { error } = expected
    expect(validateKarmadaQuota({ spec }).map(sentence).join('; ')).toContain(error)
  },
)

eachCase(
  `${FILE}#kq-recompute`,
  casesOf<{ bindings: KubeObject[]; spec: KarmadaQuotaSpec }>('kq-recompute'),
  nameOf,
  ({ bindings, spec, expected }) => {
    const quota = compileKarmadaQuota(spec)
    const used = bindings.map((binding) => costsOf(quota, binding)).reduce(add)
    expect({ hard: formatResourceList(quota.hard), used: formatResourceList(used) }).toEqual(expected)
  },
)

eachCase(
  `${FILE}#kq1056-usage`,
  casesOf<{ binding: KubeObject; expected: Record<string, string> }>('kq1056-usage'),
  nameOf,
  ({ binding, expected }) => {
    const wanted = expected
    const names = new Set([...Object.keys(wanted), ...ALL_NAMES])
    expect(formatResourceList(removeZeros(costs(names, binding)))).toEqual(wanted)
  },
)

const OWN_FIELDS = new Set(['outstanding', 'observedGeneration', 'conditions'])
const OWN_COLUMNS = new Set(['Hard', 'Used', 'Age'])

eachCase(`${FILE}#kq1056-crd`, casesOf<object>('kq1056-crd'), nameOf, ({ expected }) => {
  const { group, scope, names, versions } = karmadaQuota.crd['spec'] as {
    group: string
    scope: string
    names: { plural: string; singular: string; shortNames: string[]; kind: string; listKind: string }
    versions: {
      name: string
      subresources: object
      additionalPrinterColumns?: { name: string }[]
      schema: { openAPIV3Schema: { properties: Record<'spec' | 'status', { properties: object }> } }
    }[]
  }
  const [version] = versions
  const { spec, status } = version!.schema.openAPIV3Schema.properties
  expect({
    ...names,
    group,
    scope,
    version: version?.name,
    subresources: Object.keys(version!.subresources),
    // The additions of allot.
    printColumns: version?.additionalPrinterColumns?.filter(({ name }) => !OWN_COLUMNS.has(name)) ?? [],
    spec: Object.keys(spec.properties),
    status: Object.keys(status.properties).filter((field) => !OWN_FIELDS.has(field)),
  }).toEqual(expected)
})

interface AdmissionVector {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly object: KubeObject
  readonly oldObject?: KubeObject | null
  readonly quota?: { readonly name: string; readonly spec?: KarmadaQuotaSpec; readonly status: StoredQuota['status'] }
  readonly note?: string
  readonly quotas?: readonly {
    name: string
    scope: string[]
    hard: Record<string, string>
    used: Record<string, string>
  }[]
}

interface ExpectedAdmission {
  readonly allowed: boolean
  readonly code?: number
  readonly message?: string
  readonly messageContains?: string
  readonly usedAfter?: Record<string, string>
  readonly statusWrite?: boolean
}

async function checkAdmission(vector: AdmissionVector & { readonly expected: unknown }): Promise<void> {
  const { operation, object, oldObject, quota, quotas = [], note = '' } = vector
  const expected = vector.expected as ExpectedAdmission
  const stored: readonly StoredQuota[] =
    quota === undefined
      ? quotas.map(({ name, scope, hard, used }) => ({
          name,
          spec: {
            scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: scope }] },
          },
          status: { hard, used },
        }))
      : [{ spec: specBeside(quota.status, note), ...quota }]
  const tested = stored.map((one) => new QuotaUnderTest(one, oldObject ?? undefined))
  const charged = tested.map((one) => one.charges(operation, object, oldObject ?? undefined, 'id'))
  const error = await admitAll(charged, 1000, false).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const [first] = tested
  const message = error === undefined ? undefined : first?.refusalText(error)
  expect({ allowed: error === undefined, message }).toMatchObject({ allowed: expected.allowed })
  if (expected.code !== undefined) expect(codeOf(error)).toBe(expected.code)
  if (expected.message !== undefined) expect(message).toBe(expected.message.replace(REFUSED_PREFIX, ''))
  if (expected.messageContains !== undefined) expect(message).toContain(expected.messageContains)
  if (expected.usedAfter !== undefined)
    expect(formatResourceList(mask(first?.used ?? {}, Object.keys(expected.usedAfter)))).toEqual(expected.usedAfter)
  if (expected.statusWrite === false) expect(first?.writes).toBe(0)
}

/** The spec of a quota of which a vector gives only the status, and says in its note where the spec has lower limits. */
function specBeside({ hard = {} }: StoredQuota['status'], note: string): KarmadaQuotaSpec {
  const lowered = /spec\.hard already lowered to (\d+)/.exec(note)?.[1]
  return lowered === undefined ? {} : { hard: Object.fromEntries(Object.keys(hard).map((name) => [name, lowered])) }
}

/** The code by which a request is answered: a refusal is final, whatever else fails may be tried again. */
const codeOf = (error: unknown): number => (error instanceof LedgerRefused ? 403 : 429)

eachCase(`${FILE}#kq-admission`, casesOf<AdmissionVector>('kq-admission'), nameOf, checkAdmission)
eachCase(`${FILE}#kq1056-admission`, casesOf<AdmissionVector>('kq1056-admission'), nameOf, checkAdmission)

eachCase(`${FILE}#kq1056-trap`, casesOf<object>('kq1056-trap'), nameOf, () => {
  // A scope without an operator means that there is a class.
  const binding = bindingOf({ replicas: 1, replicaRequirements: { priorityClassName: 'high' } })
  expect(quantityOf(costs(['pods'], binding, { scopes: ['PriorityClass'] }), 'pods')?.isZero()).toBe(true)
})

eachCase(`${FILE}#kq-concurrency`, casesOf<object>('kq-concurrency'), nameOf, async ({ expected }) => {
  const scheduled = (replicas: number): KubeObject =>
    bindingOf({
      resource: DEPLOYMENT,
      clusters: [{ name: 'm1', replicas }],
      replicaRequirements: { resourceRequest: { cpu: '1' } },
    })
  const old = scheduled(1)
  const quota = new QuotaUnderTest({ name: 'q', spec: {}, status: { hard: { cpu: '5' }, used: { cpu: '1' } } }, old)
  for (const id of ['X', 'Y']) await admitAll([quota.charges('UPDATE', scheduled(3), old, id)], 1000, false)
  expect({ usedAfter: formatResourceList(quota.used) }).toEqual(expected)
})
