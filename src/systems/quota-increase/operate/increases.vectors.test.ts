// Covers definitions-file.ts and ../decide, by the vectors.
import { expect } from 'vitest'
import { type Case, definitionsOf, isIdle, planOf } from '../../../../test/systems/quota-increase/increase-vectors.ts'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import { SCENARIOS } from '../../../../test/operator/quota-increase/vector-scenarios.ts'
import { FILE_PROVIDER, INCREASES_MANAGED_BY_LABEL } from '../api/increase-names.ts'
import { quotaIncrease } from '../api/quota-increase.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { validateResourceQuota } from '../../../kinds/resource-quota/validate.ts'
import { selects } from '../decide/definitions.ts'
import { generatedQuota } from '../decide/generated-quota.ts'
import type { NamespacePlan } from '../decide/namespace-plan.ts'
import { readDefinitionsFile, type ReadDefinitions, readServiceConfig } from '../decide/read-definitions.ts'
import { type FieldError, sentence } from '../../../machinery/field-error.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { validateLabelSelector } from '../../../machinery/selector/label.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { compileStructural } from '../../../schema/structural/compile.ts'
import { validate } from '../../../schema/structural/value/validate.ts'
import { definitionsIn, textOfDefinitions } from './definitions-file.ts'

const PROVIDERS = { 'v0.18.0': FILE_PROVIDER, 'v1.0.0': 'a-provider' } as const
const FILE = '/nowhere/config.yaml'

function reconcile(one: Case, version: keyof typeof PROVIDERS): void {
  const provider = PROVIDERS[version]
  const { expected, namespace = {} } = one
  const plan = planOf(one, provider)
  const quota = createdQuota(plan)
  expect(plan.follows?.definition.name).toBe(one.responsibleDefinition)
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
  // Version 1.0 takes namespaces for its provider, too.
  const provided = provider === FILE_PROVIDER ? {} : { [INCREASES_MANAGED_BY_LABEL]: provider }
  expect({ ...namespace.labels, ...plan.take.labels, ...plan.standing.labels }).toEqual({
    ...expected.namespaceLabelsAfter,
    ...provided,
  })
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

const createdQuota = ({ quota }: NamespacePlan): ResourceQuota | undefined =>
  quota.kind === 'create' ? quota.quota : undefined

function claim(one: Case): void {
  const { expected, reconciledBy } = one
  const plan = planOf(one)
  if (expected['namespaceLabelsUnchanged'] === true && reconciledBy === undefined)
    return expect(isIdle(plan)).toBe(true)
  // Each definition had a controller of its own: what this one did is what is done for its definition.
  const made = [createdQuota(plan)?.metadata.name].filter((name) => name !== undefined && name === reconciledBy)
  expect(made).toEqual(
    expected['resourceQuotaNames'] ?? expected['resourceQuotas'] ?? expected['resourceQuotasCreated'],
  )
}

/** The words of apimachinery as they were recorded, and those of its newer versions, which allot has. */
const SELECTOR_WORDS = [
  ['is not a valid pod selector operator', 'not a valid selector operator'],
  ["values set can't be empty", "must be specified when `operator` is 'In' or 'NotIn'"],
] as const

function select({ selector, namespaceLabels = {}, expected }: Case): void {
  if (expected['error'] !== undefined) {
    const errors = validateLabelSelector(selector, 'selector')
    const [, newer] = SELECTOR_WORDS.find(([older]) => String(expected['error']).includes(older)) ?? []
    expect(errors.map(sentence)).toEqual([expect.stringContaining(newer ?? 'unknown words')])
    const config = { quotas: [{ name: 'a', mode: 'maximum', selector, template: { spec: {} } }] }
    expect(readDefinitionsFile(config).errors).toHaveLength(errors.length)
    return
  }
  const definition = (selector === null ? {} : { selector }) as unknown as QuotaDefinition
  expect(selects(definition, namespaceLabels)).toBe(expected['matches'])
}

function configValidation({ config, expected, applies_to: versions = [] }: Case): void {
  expect(versions.length).toBeGreaterThan(0)
  for (const version of versions) {
    const read: ReadDefinitions = version === 'v1.0.0' ? readServiceConfig(config) : readDefinitionsFile(config)
    const errors = read.errors ?? []
    expect(errors.map((error) => ({ field: error.path, message: sentence(error), type: error.code }))).toEqual(
      expected.errors,
    )
    expect(aggregate(errors)).toBe(expected.aggregate)
  }
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
    const defaults = expected['defaults'] as { deleteIneffectiveQuotas: boolean; selector: null }
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
    // A selector that is null selects every namespace, as one that is left out does.
    expect(quotas.map((one) => ({ ...one, selector: one.selector ?? null }))).toEqual(
      wanted.map((one) => ({ ...defaults, ...amounts(one) })),
    )
    expect(external).toEqual(externalQuotaDefinitionNames)
    return
  }
  const load = () => (path === undefined ? definitionsIn(FILE, text ?? '') : textOfDefinitions(path))
  let message = ''
  try {
    load()
  } catch (error) {
    message = error instanceof Error ? error.message : ''
  }
  const prefix = String(expected['errorPrefix'])
  expect(message.slice(0, prefix.length)).toBe(prefix)
}

function deepCopy({ expected }: Case): void {
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
  expect(jsonEqual(definitions, before)).toBe(expected['mutatingCopyLeavesOriginal'])
}

function quantities({ cases = [] }: Case): void {
  for (const { in: given, string, value, milliValue, format, error } of cases) {
    if (error !== undefined) {
      expect(() => Quantity.parse(String(given)), String(given)).toThrow(String(error))
      continue
    }
    const quantity = Quantity.parse(String(given))
    // Large numbers are compared as JSON holds them; the text is exact.
    const numberOf = (wanted: unknown, found: bigint) => (wanted === undefined ? undefined : Number(found))
    expect({
      string: quantity.toString(),
      value: numberOf(value, quantity.value()),
      milliValue: numberOf(milliValue, quantity.milliValue()),
      format: quantity.format,
    }).toEqual({ string, value, milliValue, format })
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

const CHECKS: Readonly<Record<string, (one: Case) => void | Promise<void>>> = {
  reconcile: (one) => {
    const versions = (one.applies_to ?? []) as readonly (keyof typeof PROVIDERS)[]
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions) reconcile(one, version)
  },
  claim,
  selector: select,
  scenario: async (one) => expect(await SCENARIOS[one.name]?.(one)).toEqual(one.expected),
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
    return check(one)
  },
)
