import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDNS1123Subdomain } from '../../machinery/names.ts'
import { readClusterResourceQuota } from './cluster-resource-quota.ts'
import type { GroupQuota } from './group-quota.ts'
import { readHierarchicalResourceQuota } from './hierarchical-resource-quota.ts'
import { migratedName } from './migrated-name.ts'

interface Origin {
  readonly namespace: string | undefined
  readonly name: string
  readonly limit: string
}

const isRead = (one: object): one is GroupQuota => 'origin' in one

/** The name that a limit gets when nothing else is in the run. */
function nameOf({ namespace, name, limit }: Origin): string {
  const read =
    namespace === undefined
      ? readClusterResourceQuota({
          apiVersion: 'quota.openshift.io/v1',
          kind: 'ClusterResourceQuota',
          metadata: { name },
          spec: { selector: { labels: { matchLabels: { a: 'b' } } }, quota: { hard: { [limit]: '1' } } },
        })
      : readHierarchicalResourceQuota({
          apiVersion: 'hnc.x-k8s.io/v1alpha2',
          kind: 'HierarchicalResourceQuota',
          metadata: { namespace, name },
          spec: { hard: { [limit]: '1' } },
        })
  if (!isRead(read)) throw new Error('not read')
  return migratedName(read.origin, limit)
}

/** Texts of few parts and separators, so that many pairs differ only in where they are divided. */
const joined = (separators: readonly string[], maxLength: number) =>
  fc
    .array(
      fc.tuple(fc.constantFrom(...separators), fc.constantFrom('a', 'pods', 'count', 'hrq', 'B', 'x'.repeat(120))),
      {
        minLength: 1,
        maxLength,
      },
    )
    .map((parts) => parts.map(([separator, part], at) => `${at === 0 ? '' : separator}${part}`).join(''))
const origin: fc.Arbitrary<Origin> = fc.record({
  namespace: fc.option(
    joined(['-'], 2).filter((text) => /^[-a-z]{1,35}$/.test(text)),
    { nil: undefined },
  ),
  name: joined(['-', '--', '.'], 3).map((text) => text.toLowerCase()),
  limit: joined(['-', '--', '.', '/', '_', '-/'], 3),
})

describe('the names of quotas that are carried over', () => {
  test('are valid and differ wherever kind, namespace, name or limit differ, whatever else is in the run', () => {
    fc.assert(
      fc.property(fc.uniqueArray(origin, { selector: (one) => JSON.stringify(one), maxLength: 40 }), (origins) => {
        const names = origins.map(nameOf)
        expect(new Set(names).size).toBe(origins.length)
        for (const name of names) expect(isDNS1123Subdomain(name), name).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test.for<readonly [string, Origin]>([
    ['crq.team.services.loadbalancers', { namespace: undefined, name: 'team', limit: 'services.loadbalancers' }],
    ['hrq.team.a-b.pods', { namespace: 'team', name: 'a-b', limit: 'pods' }],
    ['hrq.team-a.b.pods', { namespace: 'team-a', name: 'b', limit: 'pods' }],
    ['crq.a.count--pods', { namespace: undefined, name: 'a', limit: 'count/pods' }],
    ['crq.a-count.pods', { namespace: undefined, name: 'a-count', limit: 'pods' }],
  ])('say kind, namespace, name and limit: %s', ([name, of]) => {
    expect(nameOf(of)).toBe(name)
  })

  test('have a hash where the parts cannot be read from them', () => {
    expect(nameOf({ namespace: undefined, name: 'team.v2', limit: 'requests.example.com/GPU' })).toMatch(
      /^crq-[0-9a-f]{16}\.team\.v2\.requests\.example\.com-gpu$/,
    )
  })
})
