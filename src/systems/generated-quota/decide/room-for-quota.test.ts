import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { roomForQuota } from './room-for-quota.ts'

const quota = (name: string, hard: Record<string, string>, used: Record<string, string>): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name, namespace: 'n' },
  spec: { hard },
  status: { hard, used },
})
const nobody = (): undefined => undefined

test('a limit that leaves no room for another quota is raised by what is missing, and nothing else of it changes', () => {
  const full = quota('full', { resourcequotas: '1', pods: '3' }, { resourcequotas: '2', pods: '3' })
  const free = quota('free', { 'count/resourcequotas': '3' }, { 'count/resourcequotas': '2' })
  const { raises, ...rest } = roomForQuota([full, free], nobody)
  expect(raises).toEqual([{ ...full, spec: { hard: { resourcequotas: '3', pods: '3' } } }])
  expect(rest).toEqual({ isAwaited: false, obstacles: [] })
})

test('a limit that is raised already and not in force yet is waited for', () => {
  const full = quota('full', { resourcequotas: '1' }, { resourcequotas: '1' })
  const raised = { ...full, spec: { hard: { resourcequotas: '2' } } }
  expect(roomForQuota([raised], nobody)).toEqual({ raises: [], isAwaited: true, obstacles: [] })
})

test('a quota that somebody else keeps is an obstacle', () => {
  const full = quota('full', { resourcequotas: '1' }, { resourcequotas: '1' })
  const { raises, obstacles } = roomForQuota([full], () => 'ResourcePool shared')
  expect([raises, obstacles]).toEqual([[], ['the ResourceQuota full of ResourcePool shared']])
})

test('once all that is raised is in force there is room for one more quota, and no limit is raised twice', () => {
  const names = fc.constantFrom('resourcequotas', 'count/resourcequotas', 'pods')
  const amounts = fc.dictionary(names, fc.nat({ max: 9 }).map(String))
  fc.assert(
    fc.property(fc.array(fc.tuple(amounts, fc.nat({ max: 9 })), { maxLength: 4 }), (given) => {
      const quotas = given.map(([hard, count], at) =>
        quota(`q${at}`, hard, Object.fromEntries(Object.keys(hard).map((name) => [name, String(count)]))),
      )
      const { raises } = roomForQuota(quotas, nobody)
      const after = quotas.map((one) => {
        const raised = raises.find(({ metadata }) => metadata.name === one.metadata.name) ?? one
        return { ...raised, status: { ...one.status, hard: raised.spec?.hard ?? {} } }
      })
      expect(roomForQuota(after, nobody)).toEqual({ raises: [], isAwaited: false, obstacles: [] })
      for (const [at, { spec, status }] of after.entries())
        for (const [name, amount] of Object.entries(spec?.hard ?? {})) {
          const before = quotas[at]?.spec?.hard?.[name]
          expect([before, String(Number(status.used?.[name]) + 1)]).toContain(amount)
        }
    }),
  )
})
