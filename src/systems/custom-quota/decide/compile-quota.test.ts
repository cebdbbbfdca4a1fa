import { expect, test } from 'vitest'
import { compiled, CPU_PATH, problemsOf } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { DEFAULT_BOUNDS } from './quota-bounds.ts'

const COUNT = { kind: 'Pod', op: 'count' }

test.each<readonly [string, JsonObject, string]>([
  ['a limit of 0', { limit: '0' }, 'spec.limit: Invalid value: "0": quantity must not be negative or 0: "0"'],
  ['a limit below 0', { limit: -1 }, 'spec.limit: Invalid value: -1: quantity must not be negative or 0: "-1"'],
  ['a limit without a number', { limit: 'much' }, 'spec.limit: Invalid value: "much": quantities must match'],
  ['no kind', { sources: [{ kind: '', op: 'count' }] }, 'spec.sources[0].kind: Required value'],
  [
    'any kind',
    { sources: [{ apiVersion: '*', kind: '*', op: 'count' }] },
    'spec.sources[0]: Invalid value: "* *": must',
  ],
  [
    'two slashes',
    { sources: [{ ...COUNT, apiVersion: 'a/b/c' }] },
    'spec.sources[0].apiVersion: Invalid value: "a/b/c"',
  ],
  [
    'nothing but a kind',
    { sources: [{ ...COUNT, group: '' }] },
    'spec.sources[0].version: Invalid value: "": must name',
  ],
  [
    'both ways to name a kind',
    { sources: [{ ...COUNT, apiVersion: 'v1', group: '' }] },
    'spec.sources[0].apiVersion: Forbidden: may not be given together with group and version',
  ],
  [
    'two versions of a kind',
    {
      sources: [
        { apiVersion: 'a/v1', ...COUNT },
        { apiVersion: 'a/v2', ...COUNT },
      ],
    },
    'spec.sources[1].apiVersion: Invalid value: "a/v2": must be the version that another source reads the kind in: a/v1, Kind=Pod',
  ],
  ['neither path nor CEL', { sources: [{ kind: 'Pod' }] }, 'spec.sources[0].path: Required value: exactly one of'],
  [
    'path and CEL',
    { sources: [{ kind: 'Pod', path: '.a', cel: "quantity('1')" }] },
    'spec.sources[0].path: Required value: exactly one of',
  ],
  ['a path to count', { sources: [{ ...COUNT, path: '.a' }] }, `spec.sources[0]: Invalid value: "count": path and cel`],
  [
    'a path without its dot',
    { sources: [{ kind: 'Pod', path: 'spec' }] },
    `spec.sources[0].path: Invalid value: "spec": sourcePath must start with '.'`,
  ],
  [
    'a path that is not well formed',
    { sources: [{ kind: 'Pod', path: '.spec[' }] },
    'spec.sources[0].path: Invalid value: ".spec[": parse usage jsonpath ".spec[": unterminated array',
  ],
  [
    'CEL that is not well formed',
    { sources: [{ kind: 'Pod', cel: 'object.' }] },
    'spec.sources[0].cel: Invalid value: "object.": ERROR: <input>:1:8: Syntax error',
  ],
  [
    'CEL of another type',
    { sources: [{ kind: 'Pod', cel: 'object.spec.enabled' }] },
    'expression must evaluate to kubernetes.Quantity or list(kubernetes.Quantity), got dyn',
  ],
  [
    'a condition that may not be one',
    { sources: [{ ...COUNT, selectors: [{ celExpressions: ['object.x'] }] }] },
    'spec.sources[0].selectors[0].celExpressions[0]: Invalid value: "object.x": expression must evaluate to bool, got dyn',
  ],
  [
    'a field selector that is not well formed',
    { sources: [{ ...COUNT, selectors: [{}, { fieldSelectors: ['.a', '.a[=1'] }] }] },
    'spec.sources[0].selectors[1].fieldSelectors[1]: Invalid value',
  ],
  [
    'a long field selector',
    { sources: [{ ...COUNT, selectors: [{ fieldSelectors: [`.a=${'x'.repeat(2048)}`] }] }] },
    'spec.sources[0].selectors[0].fieldSelectors[0]: Too long: may not be more than 2048 bytes',
  ],
  [
    'a selector of labels that is not well formed',
    { sources: [{ ...COUNT, selectors: [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }] }] },
    'spec.sources[0].selectors[0].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
  ],
  [
    'a scope that is not well formed',
    { scopeSelectors: [{ matchLabels: { 'a b': '' } }] },
    'spec.scopeSelectors[0].matchLabels: Invalid value: "a b"',
  ],
  [
    'a selector of namespaces that is not well formed',
    { namespaceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
    'spec.namespaceSelectors[0].matchExpressions[0].values: Required value',
  ],
])('%s is a problem', (_, spec, problem) => {
  const problems = problemsOf({ limit: 1, sources: [COUNT], ...spec })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(problem)
})

const many = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item)

test.each<readonly [string, JsonObject]>([
  ['spec.sources: Too many: 33: must have at most 32 items', { sources: many(33, COUNT) }],
  ['spec.scopeSelectors: Too many: 17: must have at most 16 items', { scopeSelectors: many(17, {}) }],
  ['spec.namespaceSelectors: Too many: 17: must have at most 16 items', { namespaceSelectors: many(17, {}) }],
  [
    'spec.sources[0].selectors: Too many: 17: must have at most 16 items',
    { sources: [{ ...COUNT, selectors: many(17, {}) }] },
  ],
  [
    'spec.sources: Too many: 65: must have at most 64 field selectors and CEL expressions together',
    {
      sources: [
        { ...COUNT, selectors: [{ fieldSelectors: many(32, '.a'), celExpressions: many(31, 'true') }] },
        ...many(2, { kind: 'Pod', cel: "quantity('1')" }),
      ],
    },
  ],
  [
    'spec: Too many: 513: must have at most 512 labels and values in its selectors together',
    {
      sources: [{ ...COUNT, selectors: [{ matchLabels: { a: 'b' } }] }],
      scopeSelectors: [{ matchExpressions: many(100, { key: 'a', operator: 'Exists' }) }],
      namespaceSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In', values: many(411, 'x') }] }],
    },
  ],
])('a quota that is too large is not compiled: %s', (problem, spec) => {
  expect(problemsOf({ limit: 1, sources: [COUNT], ...spec })).toEqual([problem])
})

test('a quota of the largest size compiles', () => {
  const { sources, selectors, expressions } = DEFAULT_BOUNDS
  const each = expressions / sources
  const source = {
    ...COUNT,
    selectors: [...many(selectors - 1, { matchLabels: { a: 'b' } }), { fieldSelectors: many(each, '.a') }],
  }
  expect(compiled({ sources: many(sources, source), scopeSelectors: many(selectors, {}) }).sources).toHaveLength(
    sources,
  )
})

test('every problem is named', () => {
  expect(
    problemsOf({
      limit: 0,
      sources: [
        { kind: 'Pod', path: 'x' },
        { kind: 'Pod', cel: '1' },
      ],
    }),
  ).toHaveLength(3)
})

test('a quota names each of its kinds once, in the order of its sources', () => {
  const sources = [COUNT, { apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }, { kind: 'Pod', path: CPU_PATH }]
  expect(compiled({ sources }).kinds).toEqual([
    { group: '', version: 'v1', kind: 'Pod' },
    { group: 'apps', version: 'v1', kind: 'Deployment' },
  ])
})

test.each([
  ['capsule.clastix.io/v1beta2', 'CustomQuota'],
  ['capsule.clastix.io/v1beta2', 'GlobalCustomQuota'],
  ['capsule.clastix.io/v1beta2', 'QuantityLedger'],
  ['v1', 'Event'],
  ['events.k8s.io/v1', 'Event'],
  ['coordination.k8s.io/v1', 'Lease'],
])(
  'a source of %s %s is a problem, whatever it reads: allot writes such objects while it counts',
  (apiVersion, kind) => {
    const [group, version] = apiVersion === 'v1' ? ['', 'v1'] : apiVersion.split('/')
    for (const named of [{ apiVersion }, { group, version }])
      for (const reading of [COUNT, { op: 'add', path: '.spec.limit' }])
        expect(
          problemsOf({ limit: 1, sources: [COUNT, { ...reading, apiVersion: undefined, ...named, kind }] }),
        ).toEqual([
          expect.stringMatching(
            /^spec\.sources\[1\]: Invalid value: ".*": must not be a kind whose objects allot writes while it counts$/,
          ),
        ])
    const other = { apiVersion: 'other.test/v1', kind, op: 'count' }
    expect(problemsOf({ limit: 1, sources: [other] })).toEqual([])
  },
)

test('the regular expressions of a quota are bounded together, and what comes after the bound is not compiled', () => {
  const selecting = (patterns: readonly string[]) => ({
    sources: [{ ...COUNT, selectors: [{ celExpressions: patterns.map((one) => `object.kind.matches("${one}")`) }] }],
  })
  const large = Array.from({ length: 4 }, (_, at) => `(a{1000}){1}b{${at}}`)
  expect(problemsOf({ limit: 1, ...selecting(large) })).toEqual([])
  const problems = problemsOf({ limit: 1, ...selecting([...large, ...large, 'a', '[']) })
  expect(problems.length).toBeGreaterThan(3)
  for (const one of problems) expect(one).toMatch(/celExpressions\[\d+\].*: the regular expressions are too large$/)
})

test.each([
  ['[^\\\\pL]', 400, 20],
  ['(?i:\\\\PL)', 100, 20],
  ['(?i:[Ā-𞤀])', 10, 2],
  ['(?i)[B-\\\\x{1E942}]', 10, 2],
])('classes that take long to compile count as many states: %s', (part, refused, accepted) => {
  const matching = (count: number) => `object.kind.matches("${part.repeat(count)}")`
  const quotaOf = (count: number) => ({ sources: [{ ...COUNT, selectors: [{ celExpressions: [matching(count)] }] }] })
  expect(problemsOf({ limit: 1, ...quotaOf(refused) })).toEqual([
    expect.stringMatching(/the regular expressions are too large$/),
  ])
  expect(problemsOf({ limit: 1, ...quotaOf(accepted) })).toEqual([])
})
