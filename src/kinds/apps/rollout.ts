/** One ReplicaSet of a Deployment, as a rollout sees it. */
export interface Version {
  readonly name: string
  /** The desired number of replicas. */
  readonly replicas: number
  readonly available: number
}

export interface Rollout {
  /** The replicas of the Deployment. */
  readonly replicas: number
  /** How many pods there may be above that, and how many below. */
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** Replicas are numbers of 32 bits, and so is what is computed from them. */
const MOST = 2 ** 31 - 1
const inRange = (count: number): number => Math.min(count, MOST)

/** A percentage of the replicas, rounded up or down, or a plain number; no more than 32 bits hold. */
export function share(value: unknown, replicas: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return inRange(value)
  const percent = /^(\d+)%$/.exec(typeof value === 'string' ? value : '')?.[1]
  if (percent === undefined) return 0
  // Whole numbers throughout: replicas and percentages are.
  const hundredths = BigInt(inRange(Number(percent))) * BigInt(replicas)
  return inRange(Number(round === 'up' ? (hundredths + 99n) / 100n : hundredths / 100n))
}

/** How many pods there may be at most during a rollout. */
export const withSurge = (replicas: number, surge: number): number => inRange(replicas + surge)

/** Limits of a rollout as they are in force: a rollout that may neither surge nor lack a pod could not move. */
export function rolloutOf(replicas: number, maxSurge: unknown, maxUnavailable: unknown): Rollout {
  const surge = share(maxSurge ?? '25%', replicas, 'up')
  const unavailable = share(maxUnavailable ?? '25%', replicas, 'down')
  return {
    replicas,
    maxSurge: surge,
    maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas),
  }
}

const sum = (versions: readonly Version[], of: (version: Version) => number): number =>
  versions.reduce((total, version) => total + of(version), 0)

/** How many replicas the new version may have now (upstream `NewRSNewReplicas`). */
export function newReplicas({ replicas, maxSurge }: Rollout, fresh: Version, old: readonly Version[]): number {
  if (fresh.replicas >= replicas) return replicas
  const missing = withSurge(replicas, maxSurge) - fresh.replicas - sum(old, (version) => version.replicas)
  return missing <= 0 ? fresh.replicas : fresh.replicas + Math.min(missing, replicas - fresh.replicas)
}

/**
 * Returns the replicas of old versions that must shrink, by name (upstream `reconcileOldReplicaSets`): first what is not
 * available anyway, then as much as availability allows, the oldest first.
 */
export function shrunk(
  { replicas, maxUnavailable }: Rollout,
  fresh: Version,
  old: readonly Version[],
): ReadonlyMap<string, number> {
  const result = new Map<string, number>()
  const all = sum(old, (version) => version.replicas) + fresh.replicas
  const needed = replicas - maxUnavailable
  let spare = all - needed - Math.max(0, fresh.replicas - fresh.available)
  for (const { name, replicas: has, available } of old) {
    const unhealthy = Math.min(Math.max(has - available, 0), Math.max(spare, 0))
    if (unhealthy > 0) result.set(name, has - unhealthy)
    spare -= unhealthy
  }
  let surplus = sum(old, (version) => Math.min(version.available, version.replicas)) + fresh.available - needed
  for (const { name, replicas: has } of old) {
    const kept = result.get(name) ?? has
    const less = Math.min(kept, Math.max(surplus, 0))
    if (less > 0) result.set(name, kept - less)
    surplus -= less
  }
  return result
}

/**
 * Returns the replicas of each version after the Deployment was scaled during a rollout. The difference is shared in
 * proportion to their replicas, the largest first. The rest of the rounding goes to the largest.
 */
export function proportional(total: number, versions: readonly Version[]): ReadonlyMap<string, number> {
  const before = sum(versions, (version) => version.replicas)
  const ordered = versions.toSorted((a, b) => b.replicas - a.replicas)
  if (before === 0 || before === total) return new Map()
  const shares = ordered.map(
    ({ name, replicas }) => [name, Number((BigInt(replicas) * BigInt(total)) / BigInt(before))] as const,
  )
  const left = total - shares.reduce((all, [, count]) => all + count, 0)
  return new Map(shares.map(([name, count], index) => [name, index === 0 ? count + left : count]))
}
