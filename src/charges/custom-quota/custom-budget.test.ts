import { expect, test } from 'vitest'
import { compiled, CPU_PATH, podWith } from '../../../test/charges/custom-quotas.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { decide, type Decision } from '../decide.ts'
import { AMOUNT, customQuotaBudget, CustomQuotaRule } from './custom-budget.ts'
import { MeasureError } from './measure-error.ts'

const ref = { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'harbour', name: 'cranes' }
const rule = new CustomQuotaRule(
  compiled({ sources: [{ kind: 'Pod', path: CPU_PATH }], scopeSelectors: [{ matchLabels: { counted: 'yes' } }] }),
)
const COUNTED = { labels: { counted: 'yes' } }
const stored = { ...COUNTED, resourceVersion: '1' }

function decided(used: string, object: KubeObject, oldObject?: KubeObject): Decision {
  return decide({
    budgets: [customQuotaBudget(ref, Quantity.parse('3'), Quantity.parse(used), rule)],
    attributes: {
      group: '',
      resource: 'pods',
      subresource: '',
      operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
      name: 'crane',
      namespace: 'harbour',
      object,
      ...(oldObject === undefined ? {} : { oldObject }),
      dryRun: false,
    },
    now: 0,
  })
}

test.each<readonly [string, string, KubeObject, KubeObject | undefined, string | undefined]>([
  ['a pod that fits', '2', podWith('1', COUNTED), undefined, '3'],
  ['an update that fits', '3', podWith('2', stored), podWith('2', stored), undefined],
  ['an update that takes more', '1', podWith('3', stored), podWith('1', stored), '3'],
  ['an update that takes less, of a quota over its limit', '9', podWith('1', stored), podWith('2', stored), undefined],
  ['a pod that is not counted', '3', podWith('9'), undefined, undefined],
])('%s is admitted', (_, used, object, oldObject, after) => {
  const decision = decided(used, object, oldObject)
  expect(decision.verdict).toBe('admitted')
  if (decision.verdict !== 'admitted') return
  expect(decision.charges.map((charge) => charge.used[AMOUNT]?.toString())).toEqual(after === undefined ? [] : [after])
})

test('a pod that does not fit is refused with the amounts, and so is a label that brings it in', () => {
  for (const oldObject of [undefined, podWith('2', { resourceVersion: '1' })]) {
    const decision = decided('2', podWith('2', stored), oldObject)
    expect(decision).toMatchObject({ verdict: 'denied', refusals: [{ reason: 'exceeded', budget: ref }] })
  }
})

test('what cannot be measured is an error of its own type', () => {
  expect(() => decided('2', podWith('much', COUNTED))).toThrow(MeasureError)
})
