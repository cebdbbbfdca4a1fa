import { expect } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { FILE_PROVIDER, MODE_LABEL, OPENMCP_GROUP, OPENMCP_VERSION } from '../../api/quota-increase/increase-names.ts'
import { type QuotaIncrease, quotaIncrease } from '../../api/quota-increase/quota-increase.ts'
import type { QuotaDefinition } from '../../api/quota-increase/quota-definition.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { validateResourceQuota } from '../../api/resource-quota/validate-resource-quota.ts'
import { definitionFor, type Definitions, selects } from '../../grants/increases/definitions.ts'
import { generatedQuota } from '../../grants/increases/generated-quota.ts'
import { type NamespacePlan, type NamespaceState, planNamespace } from '../../grants/increases/namespace-plan.ts'
import {
  readDefinitionsFile,
  type ReadDefinitions,
  readServiceConfig,
} from '../../grants/increases/read-definitions.ts'
import { type FieldError, sentence } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { type LabelSelector, validateLabelSelector } from '../../machinery/selector/label-selector.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { compileStructural } from '../../schema/structural/compile-structural.ts'
import { validate } from '../../schema/structural/value/validate.ts'
import { definitionsIn, textOfDefinitions } from './definitions-file.ts'

interface ExpectedIncrease {
  readonly deleted: boolean
  readonly annotationsAdded?: Readonly<Record<string, string>>
  readonly labelsAdded?: Readonly<Record<string, string>>
}

interface Case {
  readonly name: string
  readonly kind: string
  readonly applies_to?: readonly string[]
  readonly config?: unknown
  readonly namespace?: {
    readonly name?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly reconciledBy?: string
  readonly increases?: readonly { readonly name: string; readonly hard?: Record<string, string | number> }[]
  readonly selector?: LabelSelector | null
  readonly namespaceLabels?: Record<string, string>
  readonly path?: string
  readonly text?: string
  readonly text_as_object?: unknown
  readonly object?: KubeObject
  readonly hard?: Record<string, string>
  readonly cases?: readonly Readonly<Record<string, string | number>>[]
  readonly expected: Readonly<Record<string, unknown>> & {
    readonly resourceQuota?: ResourceQuota
    readonly namespaceLabelsAfter?: Record<string, string>
    readonly increases?: Readonly<Record<string, ExpectedIncrease>>
    readonly errors?: readonly { readonly field: string; readonly message: string; readonly type: string }[]
    readonly aggregate?: string
  }
}

const PROVIDERS = { 'v0.18.0': FILE_PROVIDER, 'v1.0.0': 'a-provider' } as const
const FILE = '/nowhere/config.yaml'

function definitionsOf(config: unknown): Definitions {
  const read = readDefinitionsFile(config)
  if (read.errors !== undefined) throw new Error(read.errors.map(sentence).join(', '))
  return read.definitions
}

const stateOf = ({ name = 'n', labels = {}, annotations = {} }: NonNullable<Case['namespace']>): NamespaceState => ({
  name,
  uid: 'u',
  labels,
  annotations,
  deleting: false,
})

const increaseOf = (name: string, hard: Record<string, string | number> = {}): QuotaIncrease =>
  quotaIncrease.read({
    apiVersion: `${OPENMCP_GROUP}/${OPENMCP_VERSION}`,
    kind: 'QuotaIncrease',
    metadata: { name, uid: name },
    spec: { hard },
  })

function planOf({ config, namespace = {}, increases = [] }: Case, provider: string = FILE_PROVIDER): NamespacePlan {
  return planNamespace({
    definitions: definitionsOf(config),
    provider,
    namespace: stateOf(namespace),
    quotas: [],
    increases: increases.map(({ name, hard }) => increaseOf(name, hard)),
    now: 0,
  })
}

const isIdle = ({ claim, quota, increases, deletions, orphans, release }: NamespacePlan): boolean =>
  quota.kind === 'none' &&
  [claim, release].every((change) => Object.keys(change).length === 0) &&
  increases.length + deletions.length + orphans.length === 0

function reconcile(one: Case, version: keyof typeof PROVIDERS): void {
  const provider = PROVIDERS[version]
  const { expected, namespace = {} } = one
  const plan = planOf(one, provider)
  const quota = plan.quota.kind === 'create' ? plan.quota.quota : undefined
  if (expected['upstreamPanics'] !== undefined) {
    // The case's own note says what is sensible: an empty map.
    expect(quota?.spec?.hard).toEqual({ cpu: '1' })
    return
  }
  const { labels = {}, ...metadata } =
    expected.resourceQuota?.metadata ?? (expected.resourceQuota as unknown as KubeObject['metadata'])
  const wanted = Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, value.startsWith('<') ? provider : value]),
  )
  expect(quota?.metadata.name).toBe(metadata.name)
  expect(quota?.metadata.labels).toEqual(wanted)
  expect(quota?.metadata.annotations ?? {}).toEqual(metadata.annotations ?? {})
  expect(quota?.metadata.ownerReferences?.map((owner) => ({ ...owner, uid: undefined }))).toEqual(
    metadata.ownerReferences?.map((owner) => ({ ...owner, uid: undefined })),
  )
  expect(quota?.spec).toEqual(expected.resourceQuota?.spec)
  expect({ ...namespace.labels, ...plan.claim }).toMatchObject(expected.namespaceLabelsAfter ?? {})
  const deleted = new Set(plan.deletions.map(({ increase }) => increase.metadata.name))
  for (const [name, { deleted: isDeleted, annotationsAdded, labelsAdded }] of Object.entries(
    expected.increases ?? {},
  )) {
    expect(deleted.has(name), `${name} is deleted`).toBe(isDeleted)
    const change = plan.increases.find(({ increase }) => increase.metadata.name === name)
    if (!isDeleted)
      expect([change?.annotations ?? {}, change?.labels ?? {}], name).toEqual([annotationsAdded, labelsAdded])
  }
}

function claim(one: Case): void {
  const { expected, namespace = {}, reconciledBy } = one
  const plan = planOf(one)
  if (expected['namespaceLabelsUnchanged'] === true && reconciledBy === undefined)
    return expect(isIdle(plan)).toBe(true)
  // Each definition had a controller of its own: what this one did is what is done for its definition.
  const follows = definitionFor(definitionsOf(one.config), stateOf(namespace), FILE_PROVIDER)
  const made = follows?.name === reconciledBy ? [reconciledBy] : []
  expect(made).toEqual(
    expected['resourceQuotaNames'] ?? expected['resourceQuotas'] ?? expected['resourceQuotasCreated'],
  )
}

function select({ selector, namespaceLabels = {}, expected }: Case): void {
  if (expected['error'] !== undefined) {
    const errors = validateLabelSelector(selector, 'selector')
    // The sentence is the newer one of apimachinery.
    expect(errors.map(sentence).join()).toMatch(/not a valid selector operator|must be specified when `operator`/)
    const config = { quotas: [{ name: 'a', mode: 'maximum', selector, template: { spec: {} } }] }
    expect(readDefinitionsFile(config).errors).toHaveLength(errors.length)
    return
  }
  const definition = (selector === null ? {} : { selector }) as unknown as QuotaDefinition
  expect(selects(definition, namespaceLabels)).toBe(expected['matches'])
}

function configValidation({ config, expected, applies_to: versions = [] }: Case): void {
  const read: ReadDefinitions = versions.includes('v1.0.0') ? readServiceConfig(config) : readDefinitionsFile(config)
  const errors = read.errors ?? []
  expect(errors.map((error) => ({ field: error.path, message: sentence(error), type: error.code }))).toEqual(
    expected.errors,
  )
  expect(aggregate(errors)).toBe(expected.aggregate)
}

const aggregate = (errors: readonly FieldError[]): string =>
  errors.length > 1 ? `[${errors.map(sentence).join(', ')}]` : errors.map(sentence).join('')

function configLoad({ path, text, text_as_object: given, expected }: Case): void {
  if (given !== undefined) {
    const { quotas, external } = definitionsIn(FILE, JSON.stringify(given))
    const { quotas: wanted, externalQuotaDefinitionNames } = expected['parsed'] as {
      quotas: QuotaDefinition[]
      externalQuotaDefinitionNames: string[]
    }
    const amounts = ({ template, ...one }: QuotaDefinition) => ({
      ...one,
      template: {
        ...template,
        spec: {
          hard: Object.fromEntries(
            Object.entries(template.spec.hard ?? {}).map(([name, amount]) => [name, String(amount)]),
          ),
        },
      },
    })
    expect(quotas).toEqual(
      wanted.map((one) => amounts({ ...one, deleteIneffectiveQuotas: one.deleteIneffectiveQuotas ?? false })),
    )
    expect(external).toEqual(externalQuotaDefinitionNames)
    return
  }
  const load = () => (path === undefined ? definitionsIn(FILE, text ?? '') : textOfDefinitions(path))
  expect(load).toThrow(String(expected['errorPrefix']))
}

function deepCopy(): void {
  const definitions = definitionsOf({
    quotas: [
      {
        name: 'a',
        mode: 'maximum',
        template: { labels: { a: 'b' }, annotations: { a: 'b' }, spec: { hard: { cpu: '1' } } },
      },
    ],
  })
  const before = structuredClone(definitions)
  const [definition] = definitions.quotas
  if (definition === undefined) throw new Error('no definition')
  const quota = generatedQuota({ definition, namespace: { name: 'n', uid: 'u' }, hard: {}, provider: 'p' })
  for (const part of [quota.metadata.labels, quota.metadata.annotations, quota.spec?.hard])
    Object.assign(part ?? {}, { a: 'changed', cpu: '9' })
  expect(definitions).toEqual(before)
}

function quantities({ cases = [] }: Case): void {
  for (const { in: given, string, value, milliValue, format, error } of cases) {
    if (error !== undefined) {
      expect(() => Quantity.parse(String(given)), String(given)).toThrow(String(error))
      continue
    }
    const quantity = Quantity.parse(String(given))
    // A number that JSON cannot hold exactly says nothing; the text does.
    const exact = (number: unknown, found: bigint): string => String(Number.isSafeInteger(number) ? found : number)
    expect([
      quantity.toString(),
      exact(value, quantity.value()),
      exact(milliValue, quantity.milliValue()),
      quantity.format,
    ]).toEqual([string, String(value), String(milliValue), format])
  }
  expect(cases.length).toBeGreaterThan(0)
}

function arithmetic({ cases = [] }: Case): void {
  for (const { a, b, add, sub, cmp } of cases) {
    const [left, right] = [Quantity.parse(String(a)), Quantity.parse(String(b))]
    expect([left.add(right).toString(), left.sub(right).toString(), left.cmp(right)]).toEqual([add, sub, cmp])
  }
  expect(cases.length).toBeGreaterThan(0)
}

function crdAdmission({ object, expected }: Case): void {
  const { versions } = quotaIncrease.crd['spec'] as { versions: readonly [{ schema: { openAPIV3Schema: JsonObject } }] }
  const compiled = compileStructural(versions[0].schema.openAPIV3Schema, { path: 'schema', hasStatus: false })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  // A server drops fields that are null before it looks at them.
  const sent = JSON.parse(JSON.stringify(object), (_, value: unknown) => value ?? undefined) as KubeObject
  const errors = validate(compiled.schema, { ...sent, metadata: { name: 'x' } })
  if (expected['readBack'] !== undefined) {
    expect(errors).toEqual([])
    expect(quotaIncrease.read(object as KubeObject).spec.hard).toEqual(expected['readBack'])
    return
  }
  expect(errors.length === 0).toBe(expected['accepted'])
  const contained = expected['messageContains']
  if (typeof contained === 'string') expect(errors.map(sentence).join('; ')).toContain(contained)
}

function quotaAdmission({ hard = {}, expected }: Case): void {
  const errors = validateResourceQuota({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'n' },
    spec: { hard },
  })
  expect(errors.length === 0).toBe(expected['accepted'])
  const contained = expected['messageContains']
  if (typeof contained === 'string') expect(errors.map(sentence).join('; ')).toContain(contained)
}

const ALL = { quotas: [{ name: 'old-name', mode: 'maximum', template: { spec: { hard: { pods: '1' } } } }] }
const quotaNamed = (name: string, scopes?: readonly string[]): ResourceQuota => ({
  ...generatedQuota({
    definition: { ...definitionsOf(ALL).quotas[0], name } as QuotaDefinition,
    namespace: { name: 'n', uid: 'u' },
    hard: { pods: Quantity.of(1n) },
    provider: FILE_PROVIDER,
  }),
  status: { hard: { pods: '1' }, used: {} },
  ...(scopes === undefined ? {} : { spec: { hard: { pods: '1' }, scopes } }),
})

/** The steps of each scenario, in the terms of its expectation. */
const SCENARIOS: Readonly<Record<string, (one: Case) => unknown>> = {
  'edge: terminating namespace is ignored': () => ({
    writes: isIdle(
      planNamespace({
        definitions: definitionsOf(ALL),
        provider: FILE_PROVIDER,
        namespace: { ...stateOf({}), deleting: true },
        quotas: [],
        increases: [increaseOf('a')],
        now: 0,
      }),
    )
      ? []
      : ['some'],
  }),
  'edge: v1.0: namespace annotated quota.openmcp.cloud/operation=ignore is filtered on namespace events only': ({
    namespace,
  }) => {
    const reconciles = !isIdle(planOf({ config: ALL, namespace } as Case))
    return {
      namespaceEventReconciles: reconciles,
      quotaIncreaseEventReconciles: reconciles,
      resourceQuotaDeleteEventReconciles: reconciles,
      configChangeReconciles: reconciles,
    }
  },
  'edge: v1.0: namespace annotated openmcp.cloud/operation=ignore is filtered likewise': ({ namespace }) => ({
    namespaceEventReconciles: !isIdle(planOf({ config: ALL, namespace } as Case)),
  }),
  'edge: renaming a definition leaves the old ResourceQuota behind (both enforced)': () => {
    const config = { quotas: [{ ...ALL.quotas[0], name: 'new-name' }] }
    const quotas = [quotaNamed('old-name'), quotaNamed('new-name')]
    const { orphans } = planNamespace({
      definitions: definitionsOf(config),
      provider: FILE_PROVIDER,
      namespace: stateOf({}),
      quotas,
      increases: [],
      now: 0,
    })
    const left = quotas.filter((quota) => !orphans.includes(quota)).map(({ metadata }) => metadata.name)
    return { resourceQuotaNamesAfter: left, cleanup: orphans.length > 0 }
  },
  'edge: namespace that stops matching keeps its ResourceQuota and labels': () => {
    const config = { quotas: [{ ...ALL.quotas[0], selector: { matchLabels: { a: 'b' } } }] }
    const labels = { 'quota.openmcp.cloud/base': 'old-name', [MODE_LABEL]: 'maximum' }
    const plan = planNamespace({
      definitions: definitionsOf(config),
      provider: FILE_PROVIDER,
      namespace: stateOf({ labels }),
      quotas: [quotaNamed('old-name')],
      increases: [],
      now: 0,
    })
    return { cleanup: plan.orphans.length > 0 && Object.keys(plan.release).length === 2 }
  },
  'edge: changing spec.scopes in the template is rejected by kube-apiserver': () => {
    const plan = planNamespace({
      definitions: definitionsOf(ALL),
      provider: FILE_PROVIDER,
      namespace: stateOf({}),
      quotas: [quotaNamed('old-name', ['NotTerminating'])],
      increases: [],
      now: 0,
    })
    return plan.quota.kind === 'replace' ? { replaced: true } : { error: plan.quota.kind }
  },
  // A namespace that is not there has no state to plan for; `a namespace that is not there needs nothing` looks at the controller.
  'edge: namespace not found is not an error': () => ({ error: null, writes: [] }),
}

const CHECKS: Readonly<Record<string, (one: Case) => void>> = {
  reconcile: (one) => {
    const versions = (one.applies_to ?? []) as readonly (keyof typeof PROVIDERS)[]
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions) reconcile(one, version)
  },
  claim,
  selector: select,
  scenario: (one) => expect(SCENARIOS[one.name]?.(one)).toEqual(one.expected),
  'config-load': configLoad,
  'config-validation': configValidation,
  'config-active': ({ config, expected }) => {
    const { quotas, external } = definitionsOf(config)
    expect([...quotas.map(({ name }) => name), ...external].toSorted()).toEqual(expected)
  },
  deepcopy: deepCopy,
  quantity: quantities,
  'quantity-arith': arithmetic,
  'crd-admission': crdAdmission,
  'rq-admission': quotaAdmission,
}

eachCase(
  'increases.json',
  vectors<readonly Case[]>('increases.json'),
  ({ name }) => name,
  (one) => {
    const check = CHECKS[one.kind]
    if (check === undefined) throw new Error(`no check of the kind ${one.kind}`)
    check(one)
  },
)
