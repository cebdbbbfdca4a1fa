import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Attributes } from '../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { limitOf, partOf } from './ledger-amounts.ts'
import { type ChargePlan, planCharges, type PlannedQuota } from './plan-charges.ts'
import { QuotaRule } from './quota-rule.ts'

const NOW = { now: 0 }

const quota = (name: string, limits: readonly string[], scopes: readonly string[] = []): PlannedQuota => ({
  ref: { group: '', kind: 'ResourceQuota', namespace: 'n', name },
  rule: new QuotaRule(
    limits,
    scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })),
    QUOTA_EVALUATORS,
  ),
})
const service = (ports: number, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'n', name: 's', resourceVersion },
  spec: { type: 'NodePort', ports: Array.from({ length: ports }, (_, at) => ({ port: at + 1 })) },
})
const pod = (requests: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'n', name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
})
const request = (resource: string, object: KubeObject, oldObject?: KubeObject): Attributes => ({
  group: '',
  resource,
  subresource: '',
  operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
  name: object.metadata.name ?? '',
  namespace: 'n',
  object,
  dryRun: false,
  ...(oldObject === undefined ? {} : { oldObject }),
})
const worded = (plan: ChargePlan<PlannedQuota>): readonly string[] =>
  plan.type === 'refused'
    ? plan.decision.refusals.map(({ reason }) => reason)
    : plan.charges.flatMap(({ quota: { ref }, charges }) =>
        charges.map(({ limit, cost, oldCost }) => `${ref.name}: ${limit} ${oldCost.toString()} to ${cost.toString()}`),
      )

describe('the charges of a request to quotas with ledgers', () => {
  test('a create is charged in full to each quota that counts it, under each of its limits, whatever the limits are', () => {
    const quotas = [
      quota('a', ['requests.cpu', 'pods']),
      quota('b', ['pods'], ['BestEffort']),
      quota('c', ['services']),
    ]
    expect(worded(planCharges(quotas, request('pods', pod({ cpu: '100k' })), NOW))).toEqual([
      'a: pods 0 to 1',
      'a: requests.cpu 0 to 100k',
    ])
  })

  test('of an update the limits are charged that rise, from what the replaced object uses', () => {
    const quotas = [quota('a', ['services', 'services.nodeports'])]
    expect(worded(planCharges(quotas, request('services', service(3), service(1)), NOW))).toEqual([
      'a: services.nodeports 1 to 3',
    ])
    expect(worded(planCharges(quotas, request('services', service(1), service(3)), NOW))).toEqual([])
    // An update that creates its object has an old one that is not stored.
    expect(worded(planCharges(quotas, request('services', service(1), service(1, '')), NOW))).toEqual([
      'a: services 0 to 1',
      'a: services.nodeports 0 to 1',
    ])
  })

  test('a request that lacks values which a quota demands is refused, whatever is used', () => {
    expect(worded(planCharges([quota('a', ['requests.cpu'])], request('pods', pod({})), NOW))).toEqual([
      'missing-values',
    ])
  })
})

test.each([
  ['', 'pods', 'requests.cpu'],
  ['apps', 'deployments', 'count/deployments.apps'],
  ['resource.k8s.io', 'resourceclaims', 'requests.example.com/gpu'],
])('the part of a ledger for %s %s names the limit %s', (group, resource, limit) => {
  expect(limitOf(partOf({ group, resource }, limit))).toBe(limit)
})
