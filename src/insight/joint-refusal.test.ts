import { expect, test } from 'vitest'
import { Quantity } from '../quantity/quantity.ts'
import type { Denied } from '../charges/decide.ts'
import { jointRefusal } from './joint-refusal.ts'
import type { LedgerRefusal } from '../systems/counted/protocol/ledger-errors.ts'

const { zero } = Quantity
const one = Quantity.parse('1')
const excesses = [{ resource: 'cpu', requested: one, used: one, hard: one }]

function refusedBy(group: string, kind: string, name: string): LedgerRefusal {
  const amounts = { requested: one, used: one, usedByOthers: one, reserved: zero, reservedByOthers: zero, limit: one }
  return { reason: 'exceeded', code: 403, budget: { group, kind, namespace: 'n', name }, excesses, ...amounts }
}

const karmada = refusedBy('quota.karmada.io', 'KarmadaQuota', 'q')
const custom = refusedBy('capsule.clastix.io', 'CustomQuota', 'c')
const native = {
  refusals: [{ reason: 'exceeded', budget: { group: '', kind: 'ResourceQuota', namespace: 'n', name: 'r' }, excesses }],
} as unknown as Denied
const exceeded = (name: string): string => `exceeded quota: ${name}, requested: cpu=1, used: cpu=1, limited: cpu=1`
const limit =
  'creating resource exceeds limit for CustomQuota "c" (requested=1, currentUsed=1, available=0, limit=1, inflightReserved=0)'

test('a refusal names the quotas of all systems that refuse, and has the reason of KarmadaQuotas where one of them refuses', () => {
  expect(jointRefusal('CREATE', [karmada], undefined)).toEqual({ message: exceeded('q'), reason: 'QuotaExceeded' })
  expect(jointRefusal('CREATE', [custom], undefined)).toEqual({ message: `${limit}; at most 0 would fit` })
  expect(jointRefusal('CREATE', [karmada, custom], native)).toEqual({
    message: `${limit}; also refused by KarmadaQuotas: ${exceeded('q')}; also refused by ResourceQuotas: ${exceeded('r')}; at most 0 would fit`,
    reason: 'QuotaExceeded',
  })
  expect(jointRefusal('CREATE', [karmada], native).message).toBe(`${exceeded('q')}; ${exceeded('r')}`)
})
