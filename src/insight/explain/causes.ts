import { refusalSentences } from '../../charges/refusal-text.ts'
import type { MissingValue } from '../../charges/evaluator.ts'
import type { Excess, Refusal } from '../../charges/refusal.ts'
import { MOST_VIOLATIONS } from '../../charges/limit-range/limit-violations.ts'
import { rangeViolations } from '../../charges/limit-range/range-violations.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Budget } from '../../charges/budget.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import { titleOf } from './budgets-of.ts'
import type { Outlook } from './budget-room.ts'
import { refusalsOf } from './budget-room.ts'
import type { Priced } from './costs.ts'
import { lacks, type NextPod, sideOf } from './next-pod.ts'
import { costliestContainers } from './costliest-containers.ts'
import type { Cause } from './explanation.ts'
import type { Facts } from './facts.ts'
import { podLevelAmount } from './pod-level.ts'

/** One cause for each budget and each LimitRange that refuses what has to be made. */
export function causesOf(
  demands: readonly Priced[],
  outlooks: readonly Outlook[],
  limitRanges: readonly KubeObject[],
  now: number,
): readonly Cause[] {
  const needed = demands.filter(({ missing }) => missing > 0)
  const budgets = outlooks.map(({ budget }) => budget)
  return [
    ...needed.flatMap((one) => refusedAnyway(one, budgets, { limitRanges, now })),
    ...outlooks.flatMap((one) => (one.refused === undefined ? [] : [exceeded(one, one.refused)])),
  ]
}

type Rules = Pick<Facts, 'limitRanges' | 'now'>

/** The reasons to refuse an object that do not depend on room. */
const refusedAnyway = (one: Priced, budgets: readonly Budget[], { limitRanges, now }: Rules): readonly Cause[] => [
  ...rejection(one),
  ...otherRefusals(one, budgets, now),
  ...violations(one, limitRanges),
]

/**
 * Returns why the next pod of a workload that lacks none would be refused: a LimitRange, or a quota that demands values,
 * may be newer than the pods that run.
 */
export function refusedLater(demands: readonly Priced[], budgets: readonly Budget[], rules: Rules): readonly Cause[] {
  const pods = demands.findLast(({ parts }) => parts !== undefined)
  if (pods === undefined || pods.demand.wanted === 0 || pods.missing > 0) return []
  return refusedAnyway(pods, budgets, rules).filter(({ type }) => type === 'limit-range' || type === 'missing-values')
}

export const isRefusedAnyway = (one: Priced, budgets: readonly Budget[], rules: Rules): boolean =>
  refusedAnyway(one, budgets, rules).length > 0

/** No quota is in the way: the API server refuses the pod for its classes before it asks any. */
const rejection = ({ demand, parts }: Priced): readonly Cause[] =>
  parts?.rejection === undefined
    ? []
    : [
        {
          type: 'rejected',
          refused: demand.next.kind,
          by: { kind: '', name: '' },
          text: `the API server says: ${parts.rejection}`,
          containers: [],
        },
      ]

function exceeded({ budget, excesses }: Outlook, refused: Priced): Cause {
  const named = new Set(excesses.flatMap(({ resource }) => containersWith(refused, resource)))
  return {
    type: 'exceeded',
    refused: refused.demand.next.kind,
    by: { kind: budget.ref.kind, name: budget.ref.name },
    text: exceededText(titleOf(budget.ref), excesses),
    containers: [...named].map((name) => ({ name, injected: refused.parts?.injected.has(name) === true })),
  }
}

/** Why a budget has no room. The source may be a quota or a refusal. */
export const exceededText = (title: string, excesses: readonly Excess[]): string =>
  `${title}: ${excesses.map(excessText).join('; ')}`

const excessText = ({ resource, used, hard, requested }: Excess): string =>
  `${resource === LIMIT ? '' : `${resource} `}${used.toString()} of ${hard.toString()} used, ${requested.toString()} more requested`

function containersWith({ parts }: Priced, name: string): readonly string[] {
  if (parts === undefined) return []
  const { side, resource } = sideOf(name)
  if (podLevelAmount(parts.pod, side, resource) !== undefined) return []
  return costliestContainers(parts.pod, side, resource).map(({ container }) => container)
}

function otherRefusals({ object, demand, parts }: Priced, budgets: readonly Budget[], now: number): readonly Cause[] {
  return refusalsOf(budgets, object, demand.resource, now).flatMap((given): readonly Cause[] => {
    const refusal = given.reason === 'missing-values' ? { ...given, missing: lackingOf(given.missing, parts) } : given
    const isMissing = refusal.reason === 'missing-values'
    if (isMissing && refusal.missing.length === 0) return []
    const names = isMissing ? [...new Set(refusal.missing.flatMap(({ containers }) => containers))] : []
    return [
      {
        type: isMissing ? 'missing-values' : 'undecided',
        refused: demand.next.kind,
        by: budgetOf(refusal),
        text: isMissing ? missingText(refusal, parts) : undecidedText(refusal),
        containers: names.map((name) => ({ name, injected: parts?.injected.has(name) === true })),
      },
    ]
  })
}

/** What a refusal does not say of a container that nobody has seen is not known to be missing. */
const lackingOf = (missing: readonly MissingValue[], parts: Priced['parts']): readonly MissingValue[] =>
  missing.flatMap(({ resource: name, containers }) => {
    const { side, resource } = sideOf(name)
    const lacking = containers.filter(
      (container) => parts === undefined || lacks(parts, { name: container }, side, resource) === true,
    )
    return lacking.length === 0 ? [] : [{ resource: name, containers: lacking }]
  })

function missingText(
  { budget, missing }: Extract<Refusal, { reason: 'missing-values' }>,
  parts: NextPod | undefined,
): string {
  const named = (name: string): string => {
    if (name === '') return NAMELESS
    return parts?.injected.has(name) === true ? `the injected ${name}` : name
  }
  const values = missing.map(
    ({ resource, containers }) => `${resource} (missing in ${containers.map(named).join(', ')})`,
  )
  return `quota ${budget.name}: each container must specify ${values.join('; ')}`
}

/** A container that a refusal tells of without a name. */
const NAMELESS = 'a container that admission injected or changed'

/** Quotas that count by a measure of their own say themselves what is wrong. */
const undecidedText = (refusal: Refusal): string =>
  refusal.reason === 'scope-error' && refusal.budget.kind !== 'ResourceQuota'
    ? refusal.message
    : refusalSentences({ refusals: [refusal] }).join('; ')

function budgetOf(refusal: Refusal): Cause['by'] {
  const { kind, name } = 'budget' in refusal ? refusal.budget : { kind: '', name: '' }
  return { kind, name }
}

function violations(
  { object, demand: { resource, next } }: Priced,
  limitRanges: readonly KubeObject[],
): readonly Cause[] {
  return limitRanges.flatMap((range) => {
    const found = [
      ...new Set(rangeViolations(range, resource.group === '' ? resource.resource : '', object).take(MOST_VIOLATIONS)),
    ]
    if (found.length === 0 || !['pods', 'persistentvolumeclaims'].includes(resource.resource)) return []
    const name = range.metadata.name ?? ''
    return [
      {
        type: 'limit-range' as const,
        refused: next.kind,
        by: { kind: 'LimitRange', name },
        text: `LimitRange ${name}: ${found.join('; ')}`,
        containers: [],
      },
    ]
  })
}
