import type { ConditionTable } from '../../../api/condition-table.ts'

/** The conditions of a QuotaIncrease. An increase that applies has neither. */
export const INCREASE_CONDITIONS = {
  Reconciling: {
    meaning: 'Of allot, for kstatus; only there while it is True. The increase does not apply, and that may pass.',
    reasons: { Unselected: ['True', 'No definition of base quotas selects the namespace.'] },
  },
  Stalled: {
    meaning: 'Of allot, for kstatus; only there while it is True. Somebody has to change something.',
    reasons: {
      Invalid: ['True', 'The increase can never apply; the message says why.'],
      QuotaBlocked: ['True', 'The namespace cannot have the base quota that the increase raises.'],
    },
  },
} as const satisfies ConditionTable
