import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LATER, outcome, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating } from '../../../../test/systems/counted/scripted-ledger.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import { admitAll, type ChargedLedger } from './admit-all.ts'

describe('several ledgers', () => {
  const wide = () => setUp(5, { name: 'a' })
  const narrow = () => setUp(1, { name: 'b' })

  test('are charged all or none', async () => {
    const [a, b] = [wide(), narrow()]
    for (const { ledger } of [a, b]) await ledger.open('')
    const admit = (name: string) =>
      outcome(
        admitAll(
          [b, a].map(({ ledger }) => ({ ledger, charges: [creating(name, `u-${name}`, 1)] })),
          LATER,
          false,
        ),
      )
    expect(await Promise.all([admit('x'), admit('y')])).toEqual(['allowed', 'refused 1+1>1'])
    for (const { ledger } of [a, b]) await ledger.reconcile()
    expect([a, b].map(({ server }) => server.ledger?.status?.allocated)).toEqual(['1', '1'])
  })

  test('all decide before one of them is written', async () => {
    const [a, b] = [wide(), narrow()]
    for (const { ledger } of [a, b]) await ledger.open('')
    const { writes } = a.server
    const charges = [a, b].map(({ ledger }) => ({ ledger, charges: [creating('x', 'u1', 7)] }))
    expect(await outcome(admitAll(charges, LATER, false))).toBe('refused 0+7>5 0+7>1')
    expect(a.server.writes).toBe(writes)
  })

  /** Every two of them differ in one part of what names them, or in all. */
  const REFS: readonly BudgetRef[] = [
    { group: 'a', kind: 'A', namespace: 'a', name: 'a' },
    { group: 'b', kind: 'A', namespace: 'a', name: 'a' },
    { group: 'a', kind: 'B', namespace: 'a', name: 'a' },
    { group: 'a', kind: 'A', namespace: 'b', name: 'a' },
    { group: 'a', kind: 'A', namespace: 'a', name: 'b' },
  ]

  test('let one of the requests ahead that want the same room, in whatever order each names them, and hold room for no other', async () => {
    const wanted = fc.shuffledSubarray([...REFS.keys()], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 4 }), async (requests) => {
        const ledgers = REFS.map((ref) => ({ ref, ...setUp(1) }))
        for (const { ledger } of ledgers) await ledger.open('')
        const charged = (at: number): ChargedLedger => {
          const { ref, ledger } = ledgers[at]!
          return {
            ref,
            reserve: (charges, deadline) => ledger.reserve(charges, deadline),
            consult: (charges, deadline) => ledger.consult(charges, deadline),
            release: (id) => ledger.release(id),
          }
        }
        const outcomes = await Promise.all(
          requests.map((of, index) => {
            const charge = creating(`x${index}`, `u${index}`, 1)
            return outcome(
              admitAll(
                of.map((at) => ({ ledger: charged(at), charges: [charge] })),
                LATER,
                false,
              ),
            )
          }),
        )
        const allowed = requests.filter((_, index) => outcomes[index] === 'allowed')
        expect(allowed.length).toBeGreaterThan(0)
        for (const { ledger } of ledgers) await ledger.reconcile()
        expect(ledgers.map(({ server }) => server.ledger?.status?.allocated)).toEqual(
          ledgers.map((_, at) => String(allowed.filter((of) => of.includes(at)).length)),
        )
      }),
    )
  })
})
