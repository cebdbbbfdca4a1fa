import { describe, expect, test } from 'vitest'
import { LATER, outcome, setUp } from '../../../test/charges/ledger/admission-set-up.ts'
import { creating } from '../../../test/charges/ledger/scripted-ledger.ts'
import { admitAll } from './admit-all.ts'

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
    for (const { ledger } of [a, b]) await ledger.tidy()
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
})
