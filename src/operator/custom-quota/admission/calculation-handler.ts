import {
  closedNamespaceText,
  exceededText,
  notReadyText,
  unmeasurableText,
} from '../../../charges/custom-quota/custom-quota-refusal.ts'
import { refusalError, refusalSentences } from '../../../charges/refusal-text.ts'
import { type UsageChange, usageWarning } from '../../../charges/custom-quota/usage-warnings.ts'
import type { LedgerRefusal } from '../../../charges/ledger/ledger-errors.ts'
import { isFree } from '../../../charges/ledger/reserve.ts'
import { isNotFound } from '../../../machinery/status.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  retryLater,
} from '../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/admission-request.ts'
import type { ForeseenRequest } from '../../foresight/foreseen-request.ts'
import type { NativeRefusals } from '../../foresight/native-refusals.ts'
import { NAMESPACES } from '../../keep-namespace.ts'
import { writesObject } from '../../ledger/writing-subresources.ts'
import type { CustomQuotaOptions } from '../custom-quota-options.ts'
import type { KindOfQuotas } from '../tracking/kind-counts.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import { closedQuota } from './closed-quota.ts'
import { closedIn, isReady, type MatchedQuota, matchQuotas } from './match-quotas.ts'
import { takenNameText } from '../../ledger/taken-name.ts'
import { type ReviewedObject, reviewedObject } from '../../ledger/reviewed-object.ts'

/** The outcome of asking the ledgers of all quotas that count an object. */
export type ChargeOutcome =
  | { readonly type: 'admitted'; readonly changes: readonly UsageChange[] }
  | { readonly type: 'denied'; readonly refusals: readonly [LedgerRefusal, ...LedgerRefusal[]] }
  /** Not decided: the ledgers could not be read or written in time, or hold too much of this namespace. */
  | { readonly type: 'later'; readonly message: string }

/** A request that raises what its object costs some quotas. */
export interface ChargedRequest {
  readonly reviewed: ReviewedObject
  readonly kind: KindOfQuotas['resource']
  /** All of them are charged or none. */
  readonly quotas: readonly MatchedQuota[]
  readonly dryRun: boolean
  /** How many milliseconds are left to answer. */
  readonly withinMs: number
  readonly signal: AbortSignal
}

export interface CalculationOptions extends Pick<CustomQuotaOptions, 'untilReady' | 'warnAt'> {
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly tracker: CustomQuotaTracker
  /** Namespaces that nothing is refused in. */
  readonly exempt: ReadonlySet<string>
  readonly charge: (request: ChargedRequest) => Promise<ChargeOutcome>
  /** Tells whether the ResourceQuotas of the namespace refuse a request. */
  readonly native: Pick<NativeRefusals, 'of'>
}

const CONFLICT = 409
/** How soon a client may try again what could not be decided. */
const RETRY_SECONDS = 1
/** How long a namespace is waited for that has just been made, and how often it is looked for. */
const NAMESPACE_WAIT_MS = 2_000
const LOOK_AGAIN_MS = 10

/** Decides on user objects for all custom quotas that count them. Every replica answers, whether it leads or not. */
export function calculationHandler(options: CalculationOptions) {
  const { tracker, client, clock, untilReady, exempt, native } = options
  const crd = (name: string) => tracker.crds.get('', name)
  return async (request: AdmissionRequest, signal: AbortSignal, withinMs: number): Promise<AdmissionDecision> => {
    if (!writesObject(request.subResource)) return allowed()
    const closed = untilReady === 'refuse' ? closedQuota(request, options) : undefined
    if (closed !== undefined) return retryLater(notReadyText(closed.ref, closed.generation), RETRY_SECONDS)
    const kind = tracker.kinds.ofResource(request.resource)
    if (kind === undefined) return allowed()
    if (kind.resource.namespaced && exempt.has(request.namespace)) return allowed()
    const reviewed = await reviewedObject(request, kind.resource, { client, crd }, { signal })
    if (reviewed === undefined) return allowed()
    const quotas = [...tracker.kinds.quotasOf(kind, reviewed.namespace)]
    const isSelecting = reviewed.namespace !== '' && quotas.some(({ namespaces }) => namespaces !== undefined)
    if (isSelecting && !(await isNamespaceKnown(reviewed.namespace, options, signal)))
      return retryLater(
        `the namespace ${JSON.stringify(reviewed.namespace)} is new, and its labels are not known yet`,
        RETRY_SECONDS,
      )
    const { matched, unmeasurable, broken } = matchQuotas(quotas, reviewed)
    const [problem] = unmeasurable
    if (problem !== undefined)
      return denied(unmeasurableText(reviewed.operation, reviewed.object, problem.tracked.ref, problem.error))
    const raised = matched.filter((one) => !isFree(one))
    const waiting = broken[0] ?? raised.find(({ tracked }) => !isReady(tracked))?.tracked
    if (waiting !== undefined && untilReady === 'refuse')
      return retryLater(notReadyText(waiting.ref, waiting.generation), RETRY_SECONDS)
    const unmeasured = untilReady === 'refuse' ? closedIn(reviewed.namespace, raised) : undefined
    if (unmeasured !== undefined)
      return retryLater(
        closedNamespaceText(unmeasured.tracked.ref, reviewed.namespace, unmeasured.problem),
        RETRY_SECONDS,
      )
    const charged = waiting === undefined ? raised : raised.filter(({ tracked }) => isReady(tracked))
    if (charged.length === 0) return allowed()
    const taken = await takenNameText(client, kind, reviewed, { signal })
    const began = clock.monotonic()
    const foreseen = taken === undefined ? await native.of(request, { signal, withinMs }) : undefined
    let isOnItsWay = false
    try {
      // A request that goes no further holds no room.
      const dryRun = request.dryRun || taken !== undefined || foreseen?.type === 'refused'
      const left = withinMs - (clock.monotonic() - began)
      const charge = { reviewed, kind: kind.resource, quotas: charged, dryRun, withinMs: left, signal }
      const outcome = await options.charge(charge)
      isOnItsWay = outcome.type === 'admitted' && !dryRun
      const decision = answer(outcome, foreseen, reviewed, options)
      return taken === undefined || decision.verdict === 'denied' ? decision : denied(taken, CONFLICT, 'AlreadyExists')
    } finally {
      if (foreseen?.type === 'open') foreseen.settle(isOnItsWay)
    }
  }
}

function answer(
  outcome: ChargeOutcome,
  foreseen: ForeseenRequest | undefined,
  { operation }: ReviewedObject,
  { warnAt }: CalculationOptions,
): AdmissionDecision {
  const refused = foreseen?.type === 'refused' ? foreseen : undefined
  if (outcome.type === 'denied')
    return denied(exceededText(operation, outcome.refusals, refused && refusalSentences(refused.decision)))
  if (refused !== undefined) return deniedAs(refusalError(refused.attributes, refused.decision, 'all'))
  if (outcome.type === 'later') return retryLater(outcome.message, RETRY_SECONDS)
  return allowed(outcome.changes.map((change) => usageWarning(change, warnAt)).filter((text) => text !== undefined))
}

/**
 * Is the namespace known, so that it is known whether quotas select it? A new one is waited for: only when its event has come does a
 * count contain all namespaces up to it. One that does not exist is refused by the API server.
 */
async function isNamespaceKnown(
  namespace: string,
  { client, tracker, clock }: CalculationOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const isKnown = (): boolean => tracker.namespaces.get('', namespace) !== undefined
  if (isKnown()) return true
  try {
    await client.get(NAMESPACES, { namespace: '', name: namespace }, { signal })
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
  const deadline = clock.monotonic() + NAMESPACE_WAIT_MS
  while (!isKnown() && clock.monotonic() < deadline) await clock.sleep(LOOK_AGAIN_MS, signal)
  return isKnown()
}
