import type { ConditionTable } from '../../../api/condition-table.ts'

const LOST = 'The ledger was lost. The quota opens when requests of before can no longer be stored.'
const CHANGED =
  'The spec counts more than before. The quota opens when requests of before can no longer be stored; the message says when.'
const TOO_MANY = 'The namespace has as many CustomQuotas as it may. The quota counts nothing and refuses nothing.'

/** The conditions of a CustomQuota and of a GlobalCustomQuota. */
export const QUOTA_CONDITIONS = {
  Ready: {
    meaning: 'The quota is counted, and the API server asks about all that it counts.',
    reasons: {
      Succeeded: ['True', 'The quota works.'],
      Failed: ['False', 'The message says what is wrong: in the spec, with a kind, with rights, or with objects.'],
      LedgerLost: ['False', LOST],
      SpecChanged: ['False', CHANGED],
      TooManyQuotas: ['False', TOO_MANY],
    },
  },
  Effective: {
    meaning: 'Of allot; only there while it is False. The quota limits something.',
    reasons: {
      CountsNothing: ['False', 'The quota, or a source of it, can count nothing whatever there is.'],
      PathFindsNothing: ['False', 'A path finds nothing in any object that there is.'],
    },
  },
  Enforced: {
    meaning: 'Of allot; only there while it is False. The quota refuses what exceeds it.',
    reasons: {
      EnforcementOff: ['False', 'The operator runs with a flag by which quotas only count.'],
      ExemptNamespace: ['False', 'Nothing is refused in the namespace of the quota.'],
      ExemptKind: ['False', 'A kind that the quota counts is never refused.'],
      UncoveredKind: ['False', 'The configured rules leave out a kind that the quota counts.'],
      UncoveredNamespace: ['False', 'The configured rules leave out namespaces in which the quota counts.'],
    },
  },
  Measured: {
    meaning: 'Of allot; only there while it is False. The quota can measure each object that it counts.',
    reasons: {
      UnmeasurableObjects: ['False', 'The quota refuses what would use more in the namespaces that the message names.'],
    },
  },
  Reconciling: {
    meaning: 'Of allot, for kstatus; only there while it is True. The quota is not ready, and that passes by itself.',
    reasons: {
      Failed: ['True', 'As the condition Ready says.'],
      LedgerLost: ['True', LOST],
      SpecChanged: ['True', CHANGED],
    },
  },
  Stalled: {
    meaning: 'Of allot, for kstatus; only there while it is True. Somebody has to change the quota or something else.',
    reasons: { Failed: ['True', 'As the condition Ready says.'], TooManyQuotas: ['True', TOO_MANY] },
  },
} as const satisfies ConditionTable
