import { describe, expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { compileQuota } from './compile-quota.ts'
import { MeasureError } from './measure-error.ts'
import { costOf } from './object-cost.ts'
import { uncountedText, unmeasurableText } from './refusal.ts'

const HELD = 'c2VjcmV0'
const QUOTA = { group: 'g', kind: 'CustomQuota', namespace: 'n', name: 'q' }

const WAYS = [
  ['a selector by path', { op: 'count', selectors: [{ fieldSelectors: ['.data[?(@.name=="x")]'] }] }],
  ['a selector by CEL', { op: 'count', selectors: [{ celExpressions: ['int(object.data.password) > 0'] }] }],
  ['an amount by path', { op: 'add', path: '.data.password' }],
  ['an amount by CEL', { op: 'add', cel: 'quantity(object.data.password)' }],
] as const

/** All texts about an object that cannot be measured. */
function textsOf(kind: string, way: object): readonly string[] {
  const spec = quotaSpec({ limit: 3, sources: [{ apiVersion: 'v1', kind, ...way } as never] })
  const compiled = compileQuota(spec, { strictPaths: false })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled))
  const object = { apiVersion: 'v1', kind, metadata: { namespace: 'n', name: 'o' }, data: { password: HELD } }
  try {
    costOf(compiled.quota, object)
  } catch (error) {
    if (!(error instanceof MeasureError)) throw error
    return [uncountedText(object, error), unmeasurableText('CREATE', object, QUOTA, error)]
  }
  throw new Error('the object can be measured')
}

describe.each(WAYS)('of %s', (_, way) => {
  test('that fails for a Secret nothing is told of what it holds [security/measured-secrets]', () => {
    for (const text of textsOf('Secret', way)) {
      expect(text).not.toContain(HELD)
      expect(text).toContain('because it would show what the Secret holds')
    }
  })

  test('that fails for another kind the reason is told', () => {
    for (const text of textsOf('ConfigMap', way)) expect(text).not.toContain('the Secret')
  })
})
