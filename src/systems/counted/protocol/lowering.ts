import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { LedgerState, Lowering } from './ledger-state.ts'

/** Returns limits with the lower of both where both have one. */
export function lowest(a: ResourceList, b: ResourceList): ResourceList {
  const limits = { ...a }
  for (const [name, limit] of Object.entries(b)) {
    const known = limits[name]
    if (known === undefined || limit.cmp(known) < 0) limits[name] = limit
  }
  return limits
}

/**
 * The ledger with limits that an update of the quota is about to lower. Of several updates the lowest limits and the last generation hold, and
 * the time of the last.
 */
export function withLowering(state: LedgerState, { generation, since, limits }: Lowering): LedgerState {
  const { lowering } = state
  return {
    ...state,
    lowering:
      lowering === undefined
        ? { generation, since, limits }
        : { generation: Math.max(generation, lowering.generation), since, limits: lowest(lowering.limits, limits) },
  }
}

/**
 * The lowering of a ledger with these parts: undefined once every part was counted by the generation that it waits for. From then on
 * replicas that know an earlier generation decide nothing.
 */
export function openLowering({ lowering, parts }: Pick<LedgerState, 'lowering' | 'parts'>): Lowering | undefined {
  if (lowering === undefined) return undefined
  return parts.values().every(({ generation }) => generation >= lowering.generation) ? undefined : lowering
}

/** Names a lowering among all of a ledger. */
export function loweringText({ generation, since, limits }: Lowering): string {
  return [
    String(generation),
    since,
    ...Object.entries(limits).map(([name, limit]) => `${name}=${limit.toString()}`),
  ].join('/')
}
