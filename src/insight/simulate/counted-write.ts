import type { BudgetRef } from '../../charges/budget.ts'
import type { Denied } from '../../charges/decide.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ApiError } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import { decideCharges } from '../../systems/counted/protocol/ledger-budget.ts'
import type { LedgerRefusal } from '../../systems/counted/protocol/ledger-errors.ts'
import { type ChargeRequest, isFree } from '../../systems/counted/protocol/reserve.ts'
import type { WriteOperation } from '../../systems/custom-quota/decide/refusal.ts'

/** A write that quotas which count objects decide on. */
export interface CountedWrite {
  readonly operation: WriteOperation
  readonly object: KubeObject
  readonly oldObject: KubeObject | undefined
  /** What the ResourceQuotas of the namespace refuse. */
  readonly native: Denied | undefined
}

/** Quotas of one system that count objects in a world. */
export interface CountingQuotas {
  /** What the webhook of the system answers. */
  readonly decide: (write: CountedWrite) => CountedDecision
  /** Writes the usage into the statuses of quotas. */
  readonly settle: () => void
  /** Why the usage of a quota is not known; undefined where it is, and for quotas of other systems. */
  readonly doubtOf: (quota: KubeObject) => string | undefined
}

/** The doubt about a quota without status, which apparently no operator counts. */
export const UNCOUNTED = 'nobody has counted it yet'
export const UNKNOWN_SUM = 'not all objects that it counts could be read'

/** Was the object made in the simulation? */
export const isMade = ({ metadata: { uid = '' } }: KubeObject): boolean => uid.startsWith('simulated-')

/** What the webhook of one system makes of a write. */
export interface CountedDecision {
  /** The webhook, where the write costs any of its quotas more. */
  readonly webhook: string | undefined
  /** Why the webhook refuses the write, whatever room there is. */
  readonly error: ApiError | undefined
  readonly refusals: readonly LedgerRefusal[]
  /** What the writer is told where nothing refuses the write. */
  readonly warnings: readonly string[]
}

export const NOT_COUNTED: CountedDecision = { webhook: undefined, error: undefined, refusals: [], warnings: [] }

/** A quota whose objects are counted. */
interface CountedBudget {
  readonly ref: BudgetRef
  readonly hard: ResourceList
  /** Possibly below 0. */
  readonly used: ResourceList
}

interface Charged {
  readonly object: KubeObject
  readonly operation: WriteOperation
  /** What the object costs, by limit (`kind`), and what it has cost. `counted`: what of it is used already; default: `oldCost`. */
  readonly charges: readonly (Pick<ChargeRequest, 'kind' | 'cost' | 'oldCost'> & { readonly counted?: Quantity })[]
}

const itself = (kind: string): string => kind

/** Why a ledger on which nothing else is under way refuses a write; undefined where it does not. */
export function refusalBy(
  { ref, hard, used }: CountedBudget,
  { object, operation, charges }: Charged,
): LedgerRefusal | undefined {
  const { namespace = '', name = '', uid = '' } = object.metadata
  const prepared = charges
    .filter((one) => !isFree(one))
    .map(({ kind, cost, oldCost, counted = oldCost }) => {
      const request = { operation, kind, namespace, name, uid, base: '', cost, oldCost, id: '' }
      const reservation = { uid, base: '', cost, id: '', isShared: false }
      const after = { kind, namespace, name, contained: counted, reservations: [reservation] }
      return { request, key: '', before: undefined, after, isTaken: false }
    })
  const [decision] = decideCharges({ hard, used }, [{ prepared, dryRun: false }], itself)
  if (decision?.verdict !== 'denied') return undefined
  const { excesses } = decision
  const [excess] = excesses
  const charged = charges.find(({ kind }) => kind === excess.resource)
  return {
    reason: 'exceeded',
    code: 403,
    budget: ref,
    excesses,
    requested: charged?.cost ?? Quantity.zero,
    used: excess.used,
    usedByOthers: excess.used.sub(charged?.oldCost ?? Quantity.zero),
    reserved: Quantity.zero,
    reservedByOthers: Quantity.zero,
    limit: excess.hard,
  }
}
