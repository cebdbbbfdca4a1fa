import { expect, test } from 'vitest'
import { claimOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { claimSeries } from './claim-series.ts'

const amounts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`r-${at}`, '1']))
/** How many series each claim has, and those of namespaces. */
function counted(claims: Parameters<typeof claimSeries>[0], most: number): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, labels, value } of claimSeries(claims, most)) {
    const isOfClaim = name.startsWith('capsule_claim_')
    const key = isOfClaim ? `${labels['target_namespace']}/${labels['name']}` : `${labels['target_namespace']} left out`
    counts[key] = (counts[key] ?? 0) + (isOfClaim ? 1 : Number(value))
  }
  return counts
}

test('the claims of a namespace share their number of series, in whatever order they come', () => {
  const claims = [
    claimOf('c', amounts(50), { namespace: 'evil' }),
    claimOf('b', amounts(1), { namespace: 'evil' }),
    claimOf('a', amounts(50), { namespace: 'evil' }),
    claimOf('a', amounts(9), { namespace: 'honest' }),
  ]
  const expected = { 'evil/a': 4, 'evil/b': 2, 'evil/c': 4, 'evil left out': 94, 'honest/a': 10 }
  expect([counted(claims, 10), counted(claims.toReversed(), 10)]).toEqual([expected, expected])
})

test('a resource that no pool can have has no series, and a pool of such a name is shown as messages show it', () => {
  const odd = { ['\u001b[2J']: '1', ['x'.repeat(400)]: '1', ok: '1' }
  const samples = [...claimSeries([claimOf('c', odd, { pool: `${'p'.repeat(400)}\n` })])]
  expect(samples.flatMap(({ labels }) => labels['resource'] ?? [])).toEqual(['ok'])
  expect(samples.find(({ name }) => name === 'allot_claim_series_left_out')?.value).toBe('2')
  expect(samples.find(({ name }) => name === 'capsule_claim_pool')?.labels['pool']).toBe(`"${'p'.repeat(319)}…"`)
})

test('a claim with an invalid amount has no series, and the others have theirs', () => {
  expect(counted([claimOf('a', { cpu: 'one' }), claimOf('b', { cpu: '1' })], 10)).toEqual({ 'a/b': 2 })
})
