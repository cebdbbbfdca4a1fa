import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HookRule, isTakenBy } from '../../../../apiserver/admission/webhook/hook.ts'
import { sentence } from '../../../../machinery/field-error.ts'
import { type CalculatedResource, calculationRules } from './calculation-rules.ts'
import { type ConfiguredRules, coversWrites, readConfiguredRules } from './configured-rules.ts'

const values = (calculations: unknown): unknown => ({ webhooks: { hooks: { calculations } }, replicas: 2 })

const RULE = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['pods'],
  scope: 'Namespaced',
}

function read(calculations: unknown): ConfiguredRules {
  const result = readConfiguredRules(values(calculations))
  if (result.errors !== undefined) throw new Error(result.errors.map(sentence).join('; '))
  return result
}

const counted = (resource: string, group = '', version = 'v1', namespaced = true): CalculatedResource => ({
  resource: { group, version, resource, namespaced, subresources: ['status', 'resize'] },
  namespaces: new Set(['*']),
})

const named = ({ resource }: CalculatedResource): CalculatedResource['resource'] => resource

test('the webhook is asked only about what the configured rules name and quotas count, in the version that quotas read', () => {
  const configured = read({
    namespaceSelector: { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] },
    rules: [RULE],
    matchConditions: [{ name: 'not-by-nodes', expression: "!('system:nodes' in request.userInfo.groups)" }],
  })
  expect(calculationRules([counted('pods'), counted('secrets')], new Set(['kube-system']), configured)).toEqual([
    {
      key: '/v1/pods',
      rules: [
        {
          groups: [''],
          versions: ['v1'],
          resources: ['pods', 'pods/resize'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      namespaces: new Set(['*']),
    },
  ])
})

test.each([
  ['the resource by its name', {}, counted('pods'), true],
  ['another resource', {}, counted('secrets'), false],
  ['every resource', { resources: ['*'] }, counted('secrets'), true],
  ['every resource and subresource', { resources: ['*/*'] }, counted('secrets'), true],
  ['the resource with its subresources', { resources: ['pods/*'] }, counted('pods'), true],
  ['only a subresource', { resources: ['pods/status'] }, counted('pods'), false],
  ['one version, asked of all', {}, counted('pods', '', '*'), false],
  ['every version, asked of all', { apiVersions: ['*'] }, counted('pods', '', '*'), true],
  ['another version', {}, counted('pods', '', 'v2'), false],
  ['every version', { apiVersions: ['*'] }, counted('pods', '', 'v2'), true],
  ['an empty version, as in examples of Capsule', { apiVersions: [''] }, counted('pods'), true],
  ['another group', {}, counted('pods', 'metrics.k8s.io'), false],
  ['every group', { apiGroups: ['*'] }, counted('pods', 'metrics.k8s.io'), true],
  ['only creates', { operations: ['CREATE'] }, counted('pods'), false],
  ['every operation', { operations: ['*'] }, counted('pods'), true],
  ['only objects in namespaces, asked of others', { resources: ['*'] }, counted('nodes', '', 'v1', false), false],
  ['objects of any scope', { resources: ['*'], scope: '*' }, counted('nodes', '', 'v1', false), true],
] as const)('a rule that names %s covers a resource, or does not', (_, changes, resource, isCovered) => {
  expect(coversWrites(read({ rules: [{ ...RULE, ...changes }] }), named(resource))).toBe(isCovered)
})

/** Every value that a field of a rule may have here: explicit ones, stars, and several at once. */
const GROUPS = [['apps'], ['batch'], ['apps', 'batch'], ['*']]
const VERSIONS = [['v1'], ['v2'], ['v1', 'v2'], ['*']]
const RESOURCES = [['deployments'], ['pods'], ['*'], ['*/*'], ['deployments/*'], ['deployments/scale'], ['*/scale']]
const OPERATIONS = [['CREATE'], ['UPDATE'], ['DELETE'], ['CREATE', 'UPDATE'], ['CREATE', 'DELETE'], ['*']]
const SCOPES = ['Namespaced', 'Cluster', '*']
/** The versions in which requests may come. */
const SERVED = ['v1', 'v2', 'v3']

const SWEPT = GROUPS.flatMap((groups) =>
  VERSIONS.flatMap((versions) =>
    RESOURCES.flatMap((resources) =>
      OPERATIONS.flatMap((operations) =>
        SCOPES.map((scope): HookRule => ({ groups, versions, resources, operations, scope })),
      ),
    ),
  ),
)
const ASKED = ['apps', 'extensions'].flatMap((group) =>
  [...SERVED, '*'].flatMap((version) =>
    [true, false].map((namespaced) => named(counted('deployments', group, version, namespaced))),
  ),
)

/** Does an API server with these rules ask about creates and updates of a resource in one version? */
const asksIn = (rules: readonly HookRule[], { group, resource, namespaced }: Asked, version: string): boolean =>
  ['CREATE', 'UPDATE'].every((operation) =>
    rules.some((rule) => isTakenBy(rule, { operation, group, version, resource, subresource: '', namespaced })),
  )
type Asked = CalculatedResource['resource']

const configuredBy = (rules: readonly HookRule[]): ConfiguredRules => ({
  enabled: true,
  rules,
  namespaceSelector: undefined,
  matchConditions: [],
})

/** Where coverage or derived webhooks differ from what an API server with the configured rules asks about. */
function differences(rules: readonly HookRule[], resource: Asked): readonly object[] {
  const configured = configuredBy(rules)
  const versions = resource.version === '*' ? SERVED : [resource.version]
  const asked = versions.filter((version) => asksIn(rules, resource, version))
  const covers = coversWrites(configured, resource)
  const derived = calculationRules([{ resource, namespaces: new Set(['*']) }], new Set(), configured)
  const taken = derived.flatMap((one) => one.rules.map((rule): HookRule => ({ versions: ['*'], scope: '*', ...rule })))
  const asks = versions.filter((version) => asksIn(taken, resource, version))
  const isRight = covers === (asked.length === versions.length) && asks.join() === asked.join()
  return isRight ? [] : [{ rules, resource, asked, covers, asks }]
}

test('whatever one rule names, by stars or not: what it covers, and asks about, is what an API server with it asks about', () => {
  expect(SWEPT.flatMap((rule) => ASKED.flatMap((resource) => differences([rule], resource)))).toEqual([])
})

test('the same of several rules that cover a resource together', () => {
  const several = fc.array(fc.constantFrom(...SWEPT), { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(several, fc.constantFrom(...ASKED), (rules, resource) => {
      expect(differences(rules, resource)).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('creates and updates may stand in two rules', () => {
  const rules = [
    { ...RULE, operations: ['CREATE'] },
    { ...RULE, operations: ['UPDATE'] },
  ]
  expect(coversWrites(read({ rules }), named(counted('pods')))).toBe(true)
})

test('without rules everything that quotas count is asked about, with no rule nothing', () => {
  expect(coversWrites(read({ enabled: true }), named(counted('pods')))).toBe(true)
  expect(coversWrites(read({ rules: [] }), named(counted('pods')))).toBe(false)
})

test('the webhook is enabled unless the values say otherwise', () => {
  expect([read({}).enabled, read({ enabled: false }).enabled]).toEqual([true, false])
})

test.each([
  ['nothing at its place', {}, 'webhooks.hooks.calculations: Required value'],
  ['a text', values('on'), 'webhooks.hooks.calculations: Invalid value: "on": must be an object'],
  ['an unknown field', values({ rule: [] }), 'webhooks.hooks.calculations.rule: Forbidden: unknown field'],
  [
    'an unknown field of a selector',
    values({ namespaceSelector: { matchLables: { a: 'b' } } }),
    'calculations.namespaceSelector.matchLables: Forbidden: unknown field',
  ],
  [
    'an unknown field of a requirement',
    values({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', value: 'b' }] } }),
    'namespaceSelector.matchExpressions[0].value: Forbidden: unknown field',
  ],
  [
    'an unknown field of a rule',
    values({ rules: [RULE, { ...RULE, scopes: '*' }] }),
    'calculations.rules[1].scopes: Forbidden: unknown field',
  ],
  [
    'an unknown field of a condition',
    values({ matchConditions: [{ name: 'a', expression: 'true', when: 'false' }] }),
    'matchConditions[0].when: Forbidden: unknown field',
  ],
  [
    'a switch that is none',
    values({ enabled: 'no' }),
    'calculations.enabled: Invalid value: "no": must be true or false',
  ],
  ['rules that are not a list', values({ rules: RULE }), 'calculations.rules: Invalid value'],
  ['a rule without resources', values({ rules: [{ ...RULE, resources: [] }] }), 'rules[0].resources: Required value'],
  [
    'an unknown operation',
    values({ rules: [{ ...RULE, operations: ['WRITE'] }] }),
    'rules[0].operations[0]: Unsupported value: "WRITE"',
  ],
  [
    'a selector that is not valid',
    values({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Has' }] } }),
    'namespaceSelector.matchExpressions[0].operator: Invalid value: "Has"',
  ],
  [
    'a condition that does not compile',
    values({ matchConditions: [{ name: 'a', expression: 'request.nothing' }] }),
    'matchConditions[0].expression: Invalid value: "request.nothing": compilation failed',
  ],
  [
    'a condition without a name',
    values({ matchConditions: [{ expression: 'true' }] }),
    'matchConditions[0].name: Required',
  ],
])('of values with %s the field is named', (_, document, problem) => {
  const { errors = [] } = readConfiguredRules(document)
  expect(errors.map(sentence).join('; ')).toContain(problem)
})
