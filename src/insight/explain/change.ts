import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { type ResourceList, subtractWithNonNegativeResult } from '../../quantity/resource-list.ts'
import { chargeOf, excessesOf, type Outlook } from './budget-room.ts'
import { budgetsOf, titleOf } from './budgets-of.ts'
import { exceededText } from './causes.ts'
import type { Cause, Explanation } from './explanation.ts'
import type { Facts } from './facts.ts'
import { moreRoom } from './remedy/more-room.ts'

/** What ResourceQuotas charge for an object when it changes: they charge most kinds only when an object is made. */
function quotaUsage(
  oldObject: KubeObject,
  object: KubeObject,
  resource: GroupResource,
  { now }: Facts,
): (object: KubeObject) => ResourceList {
  const evaluator = QUOTA_EVALUATORS.of(resource)
  const { name = '', namespace = '' } = object.metadata
  const attributes = { ...resource, subresource: '', operation: 'UPDATE', name, namespace, dryRun: false } as const
  const isCharged = evaluator?.handles({ ...attributes, object, oldObject }) === true
  return (one) => (isCharged ? evaluator.usage(one, { now }) : {})
}

/**
 * An explanation of a stored object, with what a manifest makes of it: the budgets that count the object itself refuse a change that costs more than is free.
 * Throws QuantityError for an invalid amount.
 */
export function withChange(
  explanation: Explanation,
  stored: KubeObject,
  changed: KubeObject,
  resource: GroupResource,
  facts: Facts,
): Explanation {
  const budgets = budgetsOf(facts, [])
  const usageOf = quotaUsage(stored, changed, resource, facts)
  const full = budgets.flatMap(({ budget }): readonly Outlook[] => {
    const costOf = (object: KubeObject) =>
      chargeOf(budget, { object, demand: { resource }, cost: usageOf(object) }) ?? {}
    const requested = subtractWithNonNegativeResult(costOf(changed), costOf(stored))
    const excesses = excessesOf(budget, requested)
    return excesses.length === 0
      ? []
      : [{ budget, counts: true, requested, excesses, fits: undefined, refused: undefined }]
  })
  if (full.length === 0) return explanation
  const causes = full.map(({ budget: { ref }, excesses }): Cause => ({
    type: 'exceeded',
    refused: stored.kind,
    by: { kind: ref.kind, name: ref.name },
    text: exceededText(titleOf(ref), excesses),
    containers: [],
  }))
  const { kind, name } = explanation.object
  const known = new Set(explanation.remedies.map(({ text }) => text))
  const remedies = moreRoom({ full, unseenFull: [], budgets, facts }).filter(({ text }) => !known.has(text))
  return {
    ...explanation,
    verdict: 'blocked',
    summary:
      explanation.verdict === 'blocked' ? explanation.summary : `${kind} ${name} is blocked: its change is refused`,
    causes: [...causes, ...explanation.causes],
    remedies: [...explanation.remedies, ...remedies],
  }
}
