import { DEFINITION_LABEL } from '../../../systems/quota-increase/api/increase-names.ts'
import { quotaIncrease } from '../../../systems/quota-increase/api/quota-increase.ts'
import { POOL_LABEL } from '../../../systems/resource-pool/api/pool-names.ts'
import { resourcePoolClaim } from '../../../systems/resource-pool/api/resource-pool-claim.ts'
import type { ResourceQuota } from '../../../api/resource-quota/resource-quota.ts'
import type { Excess } from '../../../charges/refusal.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import type { BudgetView, Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import type { Situation } from './situation.ts'

/** More room: from the pool or the base quota that the quota comes from, else from whoever writes the quota. */
export function moreRoom({ outlooks, facts }: Situation): readonly Remedy[] {
  return outlooks.flatMap(({ budget, excesses }) => {
    if (excesses.length === 0) return []
    const quota = facts.quotas.find(({ metadata }) => metadata.name === budget.ref.name)
    const origin = quota === undefined ? undefined : originOf(quota)
    if (origin?.kind === 'ResourcePool') return [claimed(origin.name, excesses, facts)]
    if (origin?.kind === 'QuotaDefinition') return [increased(excesses, facts)]
    const hard = Object.fromEntries(excesses.map((one) => [one.resource, one.used.add(one.requested).toString()]))
    const said = Object.entries(hard).map(([name, amount]) => `${name} ${amount}`)
    return [
      {
        type: 'raise' as const,
        text: `have quota ${budget.ref.name} raised to ${said.join(', ')}`,
        command: `${facts.kubectl} patch ${shellWord(`resourcequota/${budget.ref.name}`)} --type=merge --patch ${shellWord(JSON.stringify({ spec: { hard } }))}`,
        needs: { verb: 'patch', group: '', resource: 'resourcequotas', name: budget.ref.name },
      },
    ]
  })
}

/** Where a generated quota comes from. */
export function originOf({ metadata: { labels = {}, ownerReferences = [] } }: ResourceQuota): BudgetView['from'] {
  const definition = labels[DEFINITION_LABEL]
  if (definition !== undefined) return { kind: 'QuotaDefinition', name: definition }
  if (labels[POOL_LABEL] === undefined) return undefined
  const owner = ownerReferences.find(({ kind }) => kind === 'ResourcePool')
  return { kind: 'ResourcePool', name: owner?.name ?? labels[POOL_LABEL] }
}

const lacking = (excesses: readonly Excess[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    excesses.map(({ resource, used, requested, hard }) => [resource, used.add(requested).sub(hard).canonical()]),
  )

function claimed(pool: string, excesses: readonly Excess[], { namespace }: Facts): Remedy {
  const claim = lacking(excesses)
  const { group, version, kind, resource } = resourcePoolClaim
  return {
    type: 'claim',
    text: `claim ${amountsText(claim)} from pool ${pool}`,
    manifest: {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { generateName: `${pool}-`, namespace },
      spec: { pool, claim },
    },
    needs: { verb: 'create', group, resource, name: '' },
  }
}

function increased(excesses: readonly Excess[], { namespace }: Facts): Remedy {
  const hard = lacking(excesses)
  const { group, version, kind, resource } = quotaIncrease
  return {
    type: 'increase',
    text: `request an increase of ${amountsText(hard)}`,
    manifest: {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { generateName: 'more-', namespace },
      spec: { hard },
    },
    needs: { verb: 'create', group, resource, name: '' },
  }
}

const amountsText = (amounts: Readonly<Record<string, string>>): string =>
  Object.entries(amounts)
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ')
