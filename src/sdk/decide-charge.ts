import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { LimitedResource } from '../systems/resource-quota/api/configuration.ts'
import { decide as decideRequest, type Decision } from '../charges/decide.ts'
import { lookupAmong } from '../charges/lookup.ts'
import { QUOTA_EVALUATORS } from '../charges/evaluators/table.ts'
import { limitedTo } from '../systems/resource-quota/decide/limited-resources.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { refusalText, type Wording } from '../charges/refusal-text.ts'
import type { GroupResource } from '../machinery/status.ts'
import { type GivenObject, type GivenQuota, readGiven, readGivenQuota } from './given-object.ts'
import { InputError } from './input-error.ts'
import { resourceOf } from './resource-of.ts'

/** A request to decide, and the quotas of its namespace. */
export type Question = Circumstances & (Writing | Deletion)

interface Circumstances {
  /**
   * The quotas, with their status: what they enforce is `status.hard`, what is left `status.used`. One without a status
   * enforces nothing yet, as in a cluster. Those of other namespaces than the object's do not count.
   */
  readonly quotas: readonly GivenQuota[]
  /** The resource of the object, where `resourceOf` does not know it. */
  readonly resource?: GroupResource
  /** For example `resize`; empty for the object itself. */
  readonly subresource?: string
  /** The resources that need a quota that covers them (`--limited-resources`). */
  readonly limitedResources?: readonly LimitedResource[]
  /** Milliseconds since the epoch, default now. */
  readonly now?: number
  /** The objects that a resource claim's cost depends on: the device classes it names; for one made for a pod, that pod and its claims. */
  readonly related?: readonly GivenObject[]
}

interface Writing {
  readonly operation: 'CREATE' | 'UPDATE'
  /** As it would be stored: defaulted, and with its values. */
  readonly object: GivenObject
  /** The object that it replaces; an UPDATE needs it. */
  readonly oldObject?: GivenObject
}

/** Quotas refuse no deletion. */
interface Deletion {
  readonly operation: 'DELETE'
  readonly object?: undefined
  readonly oldObject: GivenObject
}

const OPERATIONS: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE']

/**
 * Decides a request as `allot up` does: admitted with what it takes of each quota, or denied with every reason. Nothing is
 * written. Throws InputError for an invalid question, and QuantityError when a quota holds an invalid amount.
 */
export function decide(question: Question): Decision {
  const { operation, subresource = '', limitedResources = [] } = question
  if (!OPERATIONS.includes(operation))
    throw new InputError('operation', `must be one of ${OPERATIONS.join(', ')}, not ${JSON.stringify(operation)}`)
  const isKnown = question.resource !== undefined
  const old = question.oldObject === undefined ? undefined : readGiven(question.oldObject, 'oldObject', isKnown)
  const object = operation === 'DELETE' ? old : readGiven(question.object, 'object', isKnown)
  if (object === undefined) throw new InputError('oldObject', 'must be an object, not nothing')
  const quotas = question.quotas.map((quota, index) => readGivenQuota(quota, `quotas[${index}]`))
  const related = (question.related ?? []).map((one, index) => readGiven(one, `related[${index}]`))
  const { name = '', namespace = '' } = object.metadata
  return decideRequest({
    budgets: quotas
      .filter((quota) => sharesNamespace(quota, namespace))
      .map((quota) => quotaBudget(quota, QUOTA_EVALUATORS)),
    attributes: {
      ...(question.resource ?? resourceOf(object)),
      subresource,
      operation,
      name,
      namespace,
      object,
      ...(old === undefined ? {} : { oldObject: old }),
      dryRun: true,
    },
    coverage: limitedTo(limitedResources, QUOTA_EVALUATORS),
    now: question.now ?? Date.now(),
    lookup: lookupAmong(related, resourceOf),
  })
}

/** Manifests often leave the namespace to the client that applies them: an object without one fits any. */
const sharesNamespace = ({ metadata }: ResourceQuota, namespace: string): boolean =>
  namespace === '' || (metadata.namespace ?? '') === '' || metadata.namespace === namespace

/** A decision as one sentence; `first` gives only the reason that Kubernetes would give, `all` every reason. */
export function explain(decision: Decision, wording: Wording = 'all'): string {
  if (decision.verdict === 'denied') return refusalText(decision, wording)
  const charges = decision.charges.map(({ budget, requested }) => {
    const amounts = Object.entries(requested).map(([name, amount]) => `${name}=${amount.toString()}`)
    return `${budget.name}: ${amounts.toSorted().join(',')}`
  })
  return charges.length === 0 ? 'admitted, costs nothing' : `admitted, takes of quota ${charges.join('; ')}`
}
