import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { type TenantFlags, withTenantFlag } from './tenant-flags.ts'

const parsed = (...args: readonly string[]): TenantFlags['tenantsMayCreate'] =>
  withTenantFlag(new Command().exitOverride().configureOutput({ writeErr: () => undefined }))
    .parse(args, { from: 'user' })
    .opts<TenantFlags>().tenantsMayCreate

describe('--tenants-may-create', () => {
  test('names claims where it is not given', () => {
    expect(parsed()).toEqual({ claims: true, increases: false, customQuotas: false })
  })

  test.each([
    ['', { claims: false, increases: false, customQuotas: false }],
    ['increases', { claims: false, increases: true, customQuotas: false }],
    ['claims, custom-quotas', { claims: true, increases: false, customQuotas: true }],
  ])('takes "%s"', (text, values) => {
    expect(parsed('--tenants-may-create', text)).toEqual(values)
  })

  test.each(['ledgers', 'constructor', 'claims;increases'])('refuses %s, and says what there is', (text) => {
    expect(() => parsed('--tenants-may-create', text)).toThrow(
      'It must be kinds separated by commas, or empty: claims, increases, custom-quotas.',
    )
  })
})
