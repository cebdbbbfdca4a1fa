import type { ConditionTable } from '../../../api/condition-table.ts'

const LIMITS_NOTHING = {
  LimitsNothing: ['False', 'The message names limits that limit nothing on this API server.'],
} as const

/** The conditions of a ResourcePool. */
export const POOL_CONDITIONS = {
  Ready: {
    meaning: 'The pool can be carried out: its spec has no mistake, and each of its namespaces can have its quota.',
    reasons: {
      Succeeded: ['True', 'The pool was reconciled.'],
      Failed: ['False', 'The message says what is wrong, and in which namespaces.'],
    },
  },
  Exhausted: {
    meaning: 'Claims wait because the pool has less left than they ask for.',
    reasons: {
      PoolExhausted: ['True', '`status.exhaustions` has the resources.'],
      NoExhaustions: ['False', 'No claim waits for room.'],
    },
  },
  Effective: {
    meaning: 'Of allot; only there while it is False. The pool limits what it names.',
    reasons: LIMITS_NOTHING,
  },
  Stalled: {
    meaning: 'Of allot, for kstatus; only there while it is True. Somebody has to change the spec.',
    reasons: { Failed: ['True', 'As the condition Ready says.'] },
  },
} as const satisfies ConditionTable

/** The reasons for which a claim that was assigned to a pool waits. */
const IN_LINE = {
  WaitingForRoom: ['False', 'Less is free than the claim asks for.'],
  WaitingInQueue: ['False', 'The queue is ordered, and an older claim waits for the same resource.'],
  NeverFits: ['False', 'The claim asks for more than the whole pool has.'],
} as const

const WAITS = {
  WaitingForRoom: ['True', IN_LINE.WaitingForRoom[1]],
  WaitingInQueue: ['True', IN_LINE.WaitingInQueue[1]],
  NoSuchPool: ['True', 'There is no pool of that name, or it is being deleted.'],
  PoolDoesNotSelectNamespace: ['True', 'The labels of the namespace fit no selector of the pool.'],
  NoPool: ['True', 'The claim names no pool, and none that selects the namespace has all its resources.'],
  NoQuota: ['True', 'The pool cannot have its quota in the namespace.'],
  LedgerFull: ['True', 'The namespace has more claims than the pool can record.'],
} as const

const NEVER_FITS = [
  'True',
  'The claim asks for more than the whole pool has, or for a resource that it lacks.',
] as const

/** The conditions of a ResourcePoolClaim. */
export const CLAIM_CONDITIONS = {
  Ready: {
    meaning: 'The claim was assigned to a pool, or has ended. It may still wait there.',
    reasons: {
      Succeeded: ['True', 'The claim has a pool.'],
      Ended: ['True', 'The claim has ended, and nothing is left to be done.'],
      Failed: ['False', 'The message says why no pool takes the claim.'],
    },
  },
  Allocated: {
    meaning: 'Of allot: the claim has what it asks for. Only on claims with a pool.',
    reasons: { Allocated: ['True', 'The claim has its amounts.'], ...IN_LINE },
  },
  Exhausted: {
    meaning: 'The claim waits for room.',
    reasons: {
      PoolExhausted: ['True', 'The pool has less left than the claim asks for.'],
      QueueExhausted: ['True', 'Older claims wait for the same resource.'],
      NoExhaustions: ['False', 'The claim has its amounts.'],
    },
  },
  Bound: {
    meaning: 'Workloads need what the claim got.',
    reasons: {
      InUse: ['True', 'The claim cannot be changed, deleted or released.'],
      Unused: ['False', 'No workload needs the claim.'],
      Failed: ['False', 'The claim waits, so that nothing can use it.'],
    },
  },
  Expired: {
    meaning: 'Of allot: the time of the claim is over. Only on claims that end.',
    reasons: {
      Lasts: ['False', 'The message names the end.'],
      EndsSoon: ['False', 'The end is near.'],
      Frozen: ['True', 'Workloads still need the amounts, so that the claim keeps them.'],
      Ended: ['True', 'The amounts went back to the pool.'],
    },
  },
  Effective: {
    meaning: 'Of allot; only there while it is False. The amounts of the claim limit something.',
    reasons: LIMITS_NOTHING,
  },
  Reconciling: {
    meaning: 'Of allot, for kstatus; only there while it is True. The claim waits, and that may pass by itself.',
    reasons: {
      ...WAITS,
      NeverFits: NEVER_FITS,
      PoolInUse: ['True', 'The claim names another pool, and workloads use what it has of the earlier one.'],
      PoolDecides: ['True', 'The pool is still to decide about the claim.'],
    },
  },
  Stalled: {
    meaning: 'Of allot, for kstatus; only there while it is True. Somebody has to change the claim or the pool.',
    reasons: { NeverFits: NEVER_FITS },
  },
} as const satisfies ConditionTable
