import { karmadaQuota } from '../systems/karmada-quota/api/karmada-quota.ts'
import { QUOTA_EXCEEDED } from '../systems/karmada-quota/api/names.ts'
import { exceededText as customText, type WriteOperation } from '../systems/custom-quota/decide/refusal.ts'
import type { Denied } from '../charges/decide.ts'
import type { LedgerRefusal } from '../systems/counted/protocol/ledger-errors.ts'
import { exceededText, refusalSentences } from '../charges/refusal-text.ts'

export interface JointRefusal {
  readonly message: string
  /** Undefined: the usual one. */
  readonly reason?: string
}

/**
 * Why a request is refused that ledgers of custom quotas and KarmadaQuotas have no room for. It names all quotas that refuse; those of
 * `foreseen` are ResourceQuotas. Karmada's scheduler knows a KarmadaQuota by the reason.
 */
export function jointRefusal(
  operation: WriteOperation,
  refusals: readonly LedgerRefusal[],
  foreseen: Denied | undefined,
): JointRefusal {
  const isKarmada = ({ budget }: LedgerRefusal): boolean => budget.group === karmadaQuota.group
  const karmada = refusals.filter(isKarmada).map(({ budget, excesses }) => exceededText(budget.name, excesses))
  const [first, ...others] = refusals.filter((one) => !isKarmada(one))
  const native = foreseen === undefined ? [] : refusalSentences(foreseen)
  if (first === undefined) return { message: [...karmada, ...native].join('; '), reason: QUOTA_EXCEEDED }
  const message = customText(
    operation,
    [first, ...others],
    [
      ...karmada.map((sentence) => `KarmadaQuotas: ${sentence}`),
      ...native.map((sentence) => `ResourceQuotas: ${sentence}`),
    ],
  )
  return karmada.length === 0 ? { message } : { message, reason: QUOTA_EXCEEDED }
}
