import { DEFINITION_LABEL } from '../../../systems/quota-increase/api/increase-names.ts'
import { quotaIncrease } from '../../../systems/quota-increase/api/quota-increase.ts'
import { POOL_LABEL } from '../../../systems/resource-pool/api/pool-names.ts'
import { resourcePoolClaim } from '../../../systems/resource-pool/api/claim.ts'
import { customQuota } from '../../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../../../systems/karmada-quota/api/karmada-quota.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { GroupResource } from '../../../machinery/status.ts'
import { LIMIT } from '../../budgets/custom-quota.ts'
import { type Outlook, times } from '../budget-room.ts'
import { titleOf } from '../budgets-of.ts'
import type { Excess } from '../../../charges/refusal.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import type { Priced } from '../costs.ts'
import type { BudgetView, Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { formatResourceList } from '../../../quantity/resource-list.ts'
import type { PastRefusal } from '../past-refusal.ts'
import { plannedKey } from '../planned-limits.ts'
import type { Situation } from './situation.ts'
import { lackingInRollout, outlookOf } from '../whole-rollout.ts'

/** So many quotas are named that have no room for the later pods of a rollout. */
const MOST_LATER = 20

/**
 * Raises the quota: by its pool or its base quota if it has one, otherwise by its author. `allowed`: the pods as LimitRanges that refuse them allow
 * them, for which there has to be room, too.
 */
export function moreRoom(
  situation: Pick<Situation, 'full' | 'unseenFull' | 'budgets' | 'facts'> &
    Partial<Pick<Situation, 'pods' | 'surge' | 'demands' | 'outlooks'>>,
  allowed?: Priced,
): readonly Remedy[] {
  const { full, unseenFull, budgets, facts, demands = [], pods, surge, outlooks = [] } = situation
  const whole = (one: Outlook, of: Priced | undefined): readonly Excess[] =>
    of === undefined || surge === undefined ? one.excesses : lackingInRollout(one, of, surge, facts)
  const lacks = (one: Outlook): readonly Excess[] => {
    if (allowed === undefined) return whole(one, pods)
    const next = demands.map((each) => (each === pods ? allowed : each))
    return largest([...whole(one, pods), ...whole(outlookOf(one.budget, next, facts), allowed)])
  }
  const isLeast = (name: string): boolean => demands.some((one) => one.missing > 0 && one.unknown(name).length > 0)
  // A quota that has room for the next pod of a rollout may have none for a later one.
  const later = outlooks.filter((one) => one.excesses.length === 0 && lacks(one).length > 0).slice(0, MOST_LATER)
  const seen = [...full, ...later].flatMap((one) => {
    const { budget } = one
    const excesses = lacks(one)
    const source = budgets.find(({ budget: { ref } }) => ref === budget.ref)?.source
    const origin = source === undefined ? undefined : originOf(source)
    if (origin?.kind === 'ResourcePool') return [claimed(origin.name, excesses, isLeast, facts)]
    if (origin?.kind === 'QuotaDefinition') return [increased(excesses, isLeast, facts)]
    return [raised(budget.ref, excesses, isLeast, facts)]
  })
  // What was refused is one of those that are missing.
  const { missing = 1 } = demands.find((one) => one.missing > 0 && one.demand.maker !== undefined) ?? {}
  return [...seen, ...unseenFull.flatMap((one) => raisedUnseen(one, missing))]
}

/** The largest excess of each limit. */
function largest(excesses: readonly Excess[]): readonly Excess[] {
  const found = new Map<string, Excess>()
  for (const one of excesses) {
    const known = found.get(one.resource)
    if (known === undefined || one.requested.cmp(known.requested) > 0) found.set(one.resource, one)
  }
  return [...found.values()].toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}

/** How much there is of it is not known. A budget of another program is left out: nobody knows how it is raised. */
function raisedUnseen({ kind, quota, requested }: PastRefusal['exceeded'][number], missing: number): readonly Remedy[] {
  const of = QUOTA_KINDS[kind]
  if (of === undefined) return []
  const asked = formatResourceList(times(requested, missing))
  const more = amountsText(asked) || (missing === 1 ? 'one' : String(missing))
  const isOne = Object.keys(asked).length === 0 ? missing === 1 : asked[LIMIT] === undefined || asked[LIMIT] === '1'
  const text = `have ${titleOf({ kind, name: quota })}, which you may not read, raised so that ${more} more ${isOne ? 'fits' : 'fit'}`
  return [{ type: 'raise', text, needs: { verb: 'patch', group: of.group, resource: of.resource, name: quota } }]
}

/** The kinds of quotas, by their names. */
const QUOTA_KINDS: Readonly<Record<string, GroupResource>> = {
  ResourceQuota: { group: '', resource: 'resourcequotas' },
  [customQuota.kind]: customQuota,
  [globalCustomQuota.kind]: globalCustomQuota,
  [karmadaQuota.kind]: karmadaQuota,
}

function raised(ref: BudgetRef, excesses: readonly Excess[], isLeast: IsLeast, { kubectl, planned }: Facts): Remedy {
  const sums = Object.fromEntries(
    excesses.map(({ resource, used, requested }) => [resource, used.add(requested).toString()]),
  )
  const said = amountsText(sums, isLeast)
  const spec = sums[LIMIT] === undefined ? { hard: sums } : { limit: sums[LIMIT] }
  const needs = { verb: 'patch', group: ref.group, resource: QUOTA_KINDS[ref.kind]?.resource ?? '', name: ref.name }
  // What is not there yet cannot be patched, and what is there gets the amounts of its manifest.
  if (planned?.has(plannedKey(ref)) === true)
    return { type: 'raise', text: `have ${titleOf(ref)} raised to ${said} in its manifest`, needs }
  return {
    type: 'raise',
    text: `have ${titleOf(ref)} raised to ${said}`,
    command: `${kubectl} patch ${shellWord(`${ref.kind.toLowerCase()}/${ref.name}`)} --type=merge --patch ${shellWord(JSON.stringify({ spec }))}`,
    needs,
  }
}

/** Where a generated quota comes from. */
export function originOf({ metadata: { labels = {}, ownerReferences } }: KubeObject): BudgetView['from'] {
  const definition = labels[DEFINITION_LABEL]
  if (definition !== undefined) return { kind: 'QuotaDefinition', name: definition }
  if (labels[POOL_LABEL] === undefined) return undefined
  const owner = ownerReferences?.find(({ kind }) => kind === 'ResourcePool')
  return { kind: 'ResourcePool', name: owner?.name ?? labels[POOL_LABEL] }
}

const lacking = (excesses: readonly Excess[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    excesses.map(({ resource, used, requested, hard }) => [resource, used.add(requested).sub(hard).canonical()]),
  )

function claimed(pool: string, excesses: readonly Excess[], isLeast: IsLeast, { namespace }: Facts): Remedy {
  const claim = lacking(excesses)
  const { group, version, kind, resource } = resourcePoolClaim
  return {
    type: 'claim',
    text: `claim ${amountsText(claim, isLeast)} from pool ${pool}`,
    manifest: {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { generateName: `${pool}-`, namespace },
      spec: { pool, claim },
    },
    needs: { verb: 'create', group, resource, name: '' },
  }
}

function increased(excesses: readonly Excess[], isLeast: IsLeast, { namespace }: Facts): Remedy {
  const hard = lacking(excesses)
  const { group, version, kind, resource } = quotaIncrease
  return {
    type: 'increase',
    text: `request an increase of ${amountsText(hard, isLeast)}`,
    manifest: {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { generateName: 'more-', namespace },
      spec: { hard },
    },
    needs: { verb: 'create', group, resource, name: '' },
  }
}

/** Is more needed of it than anybody knows, because nobody knows what an injected container costs? */
type IsLeast = (name: string) => boolean

/** The limit of a custom quota has no name of its own. */
const amountsText = (amounts: Readonly<Record<string, string>>, isLeast: IsLeast = () => false): string =>
  Object.entries(amounts)
    .map(([name, amount]) => `${isLeast(name) ? 'at least ' : ''}${name === LIMIT ? amount : `${name} ${amount}`}`)
    .join(', ')
