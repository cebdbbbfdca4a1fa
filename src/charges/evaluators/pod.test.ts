import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import type { ResourceQuotaSpec } from '../../kinds/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { formatResourceList, quantityOf, removeZeros } from '../../quantity/resource-list.ts'
import { podEvaluator } from './pod.ts'
import { countUsage } from '../count-usage.ts'
import { countingRule } from '../../systems/resource-quota/decide/quota-rule.ts'
import { QUOTA_EVALUATORS } from './table.ts'

const FILE = 'kubernetes/pod-usage.json'
const NOW = Date.parse('2021-01-13T12:00:00Z')

interface Named {
  readonly name: string
}
interface Vectors {
  readonly podUsage: readonly (Named & { pod: JsonObject; usage: Record<string, string>; now?: string })[]
  readonly podResources: readonly (Named & { pod: JsonObject; quotaUsage: Record<string, string> })[]
  readonly constraints: readonly (Named & {
    pod: JsonObject
    required: string[]
    expectError_1_33?: string
    expectError_1_20?: string
  })[]
  readonly usageStats: readonly (Named & { pods: JsonObject[]; used: Record<string, string> } & ResourceQuotaSpec)[]
  readonly matchingResources: readonly { evaluator: string; input: string[]; expect: string[] }[]
}

const data = vectors<Vectors>(FILE)
const name = (value: Named): string => value.name
const asPod = (raw: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, ...raw })
const usageOf = (raw: JsonObject, now = NOW): Record<string, string> =>
  formatResourceList(podEvaluator.usage(asPod(raw), { now }))

eachCase(`${FILE}#podUsage`, data.podUsage, name, (value) => {
  expect(usageOf(value.pod, Date.parse(value.now ?? '2021-01-13T12:00:00Z'))).toEqual(value.usage)
})

eachCase(`${FILE}#podResources`, data.podResources, name, (value) => {
  expect(usageOf(value.pod)).toEqual(value.quotaUsage)
})

eachCase(`${FILE}#constraints`, data.constraints, name, (value) => {
  const missing = podEvaluator.missing?.(value.required, asPod(value.pod)) ?? []
  const listed = missing.map(({ resource, containers }) => `${resource} for: ${containers.join(',')}`).join('; ')
  // The old form names no containers; those of its one case have no name.
  const expected = value.expectError_1_33 ?? `${value.expectError_1_20} for: `
  expect(listed === '' ? '' : `must specify ${listed}`).toBe(expected)
})

eachCase(`${FILE}#usageStats`, data.usageStats, name, (value) => {
  const hard = Object.fromEntries(['pods', 'count/pods', 'cpu', 'requests.cpu', 'limits.cpu'].map((one) => [one, '9']))
  const { scopes = [], scopeSelector = {} } = value
  const rule = countingRule(
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: {},
      spec: { hard, scopes, scopeSelector },
    },
    QUOTA_EVALUATORS,
  )
  const total = countUsage(rule, podEvaluator, value.pods.map(asPod), { now: NOW })
  const used = Object.entries(value.used).filter(([, amount]) => amount !== '0')
  expect(formatResourceList(removeZeros(total))).toEqual(Object.fromEntries(used))
})

eachCase(
  `${FILE}#matchingResources`,
  data.matchingResources,
  (value) => value.evaluator,
  (value) => {
    expect(value.input.filter(podEvaluator.counts).toSorted()).toEqual(value.expect.toSorted())
  },
)

const amount = fc.integer({ min: 0, max: 4000 }).map((milli) => `${milli}m`)
const container = fc.record({
  name: fc.constantFrom('a', 'b'),
  restartPolicy: fc.constantFrom('Always', undefined),
  resources: fc.record({ requests: fc.record({ cpu: amount, memory: amount }, { requiredKeys: [] }) }),
})
const pod = fc.record({
  containers: fc.array(container, { minLength: 1, maxLength: 3 }),
  initContainers: fc.array(container, { maxLength: 3 }),
})

test('a pod never costs less when a container asks for more', () => {
  fc.assert(
    fc.property(pod, amount, fc.nat(), (spec, extra, pick) => {
      const lists = ['initContainers', 'containers'] as const
      const list =
        lists[pick % 2] === 'containers' || spec.initContainers.length === 0 ? 'containers' : 'initContainers'
      const chosen = pick % spec[list].length
      const before = podEvaluator.usage(asPod({ spec }), { now: NOW })
      const raised = spec[list].map((one, index) => {
        if (index !== chosen) return one
        const milli = Number.parseInt(one.resources.requests.cpu ?? '0', 10) + Number.parseInt(extra, 10)
        return { ...one, resources: { requests: { ...one.resources.requests, cpu: `${milli}m` } } }
      })
      const after = podEvaluator.usage(asPod({ spec: { ...spec, [list]: raised } }), { now: NOW })
      for (const [resource, cost] of Object.entries(before)) {
        expect(quantityOf(after, resource)?.cmp(cost) ?? -1).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: 200 },
  )
})
