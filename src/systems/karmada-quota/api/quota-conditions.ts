import type { ConditionTable } from '../../../api/condition-table.ts'

/** The conditions of a KarmadaQuota. One that works has neither. */
export const KARMADA_QUOTA_CONDITIONS = {
  Reconciling: {
    meaning: 'Of allot, for kstatus; only there while it is True. The quota does not work yet, and that passes.',
    reasons: {
      Counting: ['True', 'The bindings are being counted, or the API server does not ask about them yet.'],
      NotCounted: ['True', 'The bindings cannot be counted now; the message says why.'],
      Closed: ['True', 'Requests get 429 until those of before can no longer be stored.'],
    },
  },
  Stalled: {
    meaning: 'Of allot, for kstatus; only there while it is True. Somebody has to change the quota.',
    reasons: { Invalid: ['True', 'The spec has mistakes, which the message names.'] },
  },
} as const satisfies ConditionTable
