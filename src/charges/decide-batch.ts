import type { LimitedResource } from '../api/resource-quota/resource-quota-configuration.ts'
import type { ResourceList } from '../quantity/resource-list.ts'
import { type Charge, decide, type Decision } from './decide.ts'
import type { Attributes, Measuring } from './evaluator.ts'
import { type QuotaState, withUsed } from './resource-quota/quota-budget.ts'
import { type Replacement, type Shift, shiftUsage } from './usage-shift.ts'

export interface BatchInput extends Measuring {
  /** All quotas of the namespace, as last read; their order decides which refusal comes first. */
  readonly quotas: readonly QuotaState[]
  /** Requests of that namespace, in the order in which they came. */
  readonly requests: readonly Attributes[]
  readonly limitedResources?: readonly LimitedResource[]
  /**
   * What each request stores in place of what, for a caller that stores objects and usage in one transaction: usage then
   * follows the objects down as well as up. Without it usage only rises, and comes down by counting.
   */
  readonly replacements?: readonly Replacement[]
}

/** A quota whose usage changes: write `used` to its status, provided that it still is at `quota.resourceVersion`. */
export interface QuotaChange {
  /** As it was read. */
  readonly quota: QuotaState
  readonly used: ResourceList
}

/**
 * One attempt at a batch. Decisions are final only once the changes they rest on are written: see `pending`. A value; the
 * caller does the I/O and asks `retryBatch` for the next attempt.
 */
export interface BatchAttempt {
  readonly requests: readonly Attributes[]
  /** One for each request, in their order. */
  readonly decisions: readonly Decision[]
  /** The writes this attempt needs, at most one for each quota. */
  readonly changed: readonly QuotaChange[]
  /** For each request the quotas, name to uid, that it has been charged to by writes of earlier attempts. */
  readonly held: readonly Held[]
  readonly limitedResources: readonly LimitedResource[]
  /** Did a replacement change usage by an amount that cannot be told? Then the quotas must be counted anew. */
  readonly uncertain: boolean
}

type Held = ReadonlyMap<string, string>

const NONE: Held = new Map()

/**
 * Decides requests one after another against a running copy of the quotas (reference section 3, "Concurrency and CAS"), so
 * that all that is admitted together fits together. A dry run is decided alike but does not raise the running copy.
 */
export function decideBatch({
  quotas,
  requests,
  limitedResources = [],
  replacements,
  ...measuring
}: BatchInput): BatchAttempt {
  const undecided = { requests, decisions: [], held: requests.map(() => NONE), limitedResources }
  return attempt(undecided, quotas, measuring, replacements)
}

/**
 * The next attempt after some writes failed, with all quotas read again. A refusal stays; what was written stays decided;
 * whoever is left is evaluated against every quota again, but is not charged twice where its charge has been written.
 * (Upstream evaluates everyone against the failed quotas only, and so admits what another quota had refused.)
 */
export function retryBatch(
  previous: BatchAttempt,
  {
    written,
    quotas,
    ...measuring
  }: Measuring & { readonly written: ReadonlySet<string>; readonly quotas: readonly QuotaState[] },
): BatchAttempt {
  const open = new Set(pending(previous, written))
  const uids = new Map(previous.changed.map(({ quota }) => [quota.name, quota.uid]))
  const held = previous.held.map(
    (before, index) => new Map([...before, ...newlyHeld(previous.decisions[index], written, uids)]),
  )
  const decisions = previous.decisions.map((decision, index) => (open.has(index) ? undefined : decision))
  return attempt({ ...previous, decisions, held }, quotas, measuring)
}

/** The indices of the admitted requests of which some charge has not been written. */
export function pending({ requests, decisions, held }: BatchAttempt, written: ReadonlySet<string>): readonly number[] {
  return [...requests.keys()].filter((index) => {
    const decision = decisions[index]
    if (decision?.verdict !== 'admitted' || requests[index]?.dryRun === true) return false
    return decision.charges.some(({ quota }) => !written.has(quota) && held[index]?.has(quota) !== true)
  })
}

/**
 * The quotas whose written usage contains charges of requests that were refused after all, or that the caller has given up
 * on: too high, never too low, until they are counted again. Taking charges back would race with that recount. `written`:
 * the quotas that this attempt has written.
 */
export function overcharged(
  { decisions, held }: BatchAttempt,
  written: ReadonlySet<string>,
  abandoned: readonly number[] = [],
): readonly string[] {
  const names = decisions.flatMap((decision, index) => {
    const before = [...(held[index] ?? NONE).keys()]
    if (decision.verdict === 'denied') return before
    if (!abandoned.includes(index)) return []
    return [...before, ...decision.charges.map(({ quota }) => quota).filter((quota) => written.has(quota))]
  })
  return [...new Set(names)].toSorted()
}

interface Undecided extends Omit<BatchAttempt, 'decisions' | 'changed' | 'uncertain'> {
  /** Undefined or missing where the request has still to be decided. */
  readonly decisions: readonly (Decision | undefined)[]
}

function attempt(
  undecided: Undecided,
  quotas: readonly QuotaState[],
  measuring: Measuring,
  replacements: readonly Replacement[] = [],
): BatchAttempt {
  const { requests, limitedResources } = undecided
  const held = undecided.held.map((known, index) =>
    undecided.decisions[index] === undefined ? stillHeld(known, quotas) : known,
  )
  const running = [...quotas]
  let uncertain = false
  const decisions = requests.map((attributes, index) => {
    const known = undecided.decisions[index]
    if (known !== undefined) return known
    const decision = decide({
      quotas: running,
      attributes,
      limitedResources,
      ...measuring,
      held: new Set(held[index]?.keys()),
    })
    if (decision.verdict === 'denied' || attributes.dryRun) return decision
    const replacement = replacements[index]
    // What replaces nothing changes usage by just what it is charged.
    const shifts = replacement?.oldObject === undefined ? decision.charges : shiftUsage(running, replacement, measuring)
    if (shifts === undefined) uncertain = true
    charge(running, shifts ?? decision.charges)
    return decision
  })
  const changed = quotas.flatMap((quota, index) => {
    const { used } = running[index] ?? quota
    return used === quota.used ? [] : [{ quota, used }]
  })
  return { requests, decisions, changed, held, limitedResources, uncertain }
}

function charge(running: QuotaState[], charges: readonly (Charge | Shift)[]): void {
  for (const { quota: name, used } of charges) {
    const index = running.findIndex((quota) => quota.name === name)
    const state = running[index]
    if (state !== undefined) running[index] = withUsed(state, used)
  }
}

function newlyHeld(
  decision: Decision | undefined,
  written: ReadonlySet<string>,
  uids: Held,
): readonly (readonly [string, string])[] {
  if (decision?.verdict !== 'admitted') return []
  return decision.charges
    .filter(({ quota }) => written.has(quota))
    .flatMap(({ quota }) => {
      const uid = uids.get(quota)
      return uid === undefined ? [] : [[quota, uid] as const]
    })
}

/** A charge is gone with its quota, were there a new one of the same name. */
function stillHeld(held: Held, quotas: readonly QuotaState[]): Held {
  if (held.size === 0) return held
  const uids = new Map(quotas.map(({ name, uid }) => [name, uid]))
  return new Map([...held].filter(([name, uid]) => uids.get(name) === uid))
}
