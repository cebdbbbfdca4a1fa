import { closedNamespaceText, notReadyText, unmeasurableText } from '../../decide/custom-quota-refusal.ts'
import type { LedgerCharge } from '../../../counted/protocol/admit-all.ts'
import { jointRefusal } from '../../../../insight/joint-refusal.ts'
import { refusalError } from '../../../../charges/refusal-text.ts'
import { type UsageChange, usageWarning } from '../../decide/usage-warnings.ts'
import type { LedgerRefusal } from '../../../counted/protocol/ledger-errors.ts'
import { isFree } from '../../../counted/protocol/reserve.ts'
import { isNotFound } from '../../../../machinery/status.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  retryLater,
} from '../../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/admission-request.ts'
import type { ChargesOfSystem } from '../../../counted/foresight/charged-together.ts'
import type { ForeseenRequest } from '../../../counted/foresight/foreseen-request.ts'
import type { NativeRefusals } from '../../../counted/foresight/native-refusals.ts'
import { NAMESPACES } from '../../../../operator/cluster/keep-namespace.ts'
import { writesObject } from '../../../counted/replica/writing-subresources.ts'
import type { CustomQuotaOptions } from '../custom-quota-options.ts'
import type { KindOfQuotas } from '../../../counted/count/kind-counts.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import { closedQuota } from './closed-quota.ts'
import { closedIn, isReady, type MatchedQuota, matchQuotas } from './match-quotas.ts'
import { takenNameText } from '../../../counted/replica/taken-name.ts'
import { type ReviewedObject, reviewedObject } from '../../../counted/replica/reviewed-object.ts'

/** The outcome of asking the ledgers of all quotas that count an object. */
export type ChargeOutcome =
  | { readonly type: 'admitted'; readonly changes: readonly UsageChange[] }
  | { readonly type: 'denied'; readonly refusals: readonly [LedgerRefusal, ...LedgerRefusal[]] }
  /** Not decided: the ledgers could not be read or written in time, or hold too much of this namespace. */
  | { readonly type: 'later'; readonly message: string }

/** An object that costs some quotas more by a request. */
export interface RaisedCosts {
  readonly reviewed: ReviewedObject
  readonly kind: KindOfQuotas<TrackedQuota>['resource']
  /** All of them are charged or none. */
  readonly quotas: readonly MatchedQuota[]
}

export interface ChargedRequest extends RaisedCosts {
  /** The charges of the request to quotas of other systems: all ledgers are charged, or none. */
  readonly others: readonly LedgerCharge[]
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
  /** Reports whether allot itself makes a write that no quota may refuse. Such a write is counted when it is observed. */
  readonly isGenerated: (request: AdmissionRequest) => boolean
  readonly charge: (request: ChargedRequest) => Promise<ChargeOutcome>
  /** Tells whether the ResourceQuotas of the namespace refuse a request. */
  readonly native: Pick<NativeRefusals, 'of'>
  /** The charges of a request to quotas of other systems. */
  readonly others: (request: AdmissionRequest, signal: AbortSignal) => Promise<ChargesOfSystem>
}

type Costs =
  | { readonly decided: AdmissionDecision }
  | ({ readonly decided?: undefined; readonly counted: KindOfQuotas<TrackedQuota> } & RaisedCosts)

const FORBIDDEN = 403
const CONFLICT = 409
/** How soon a client may try again what could not be decided. */
const RETRY_SECONDS = 1
/** How long a namespace is waited for that has just been made, and how often it is looked for. */
const NAMESPACE_WAIT_MS = 2_000
const LOOK_AGAIN_MS = 10

/** Finds the quotas that a request costs more, and what it costs them; or the answer, where that cannot be charged or need not be. */
export async function raisedCosts(
  request: AdmissionRequest,
  signal: AbortSignal,
  options: Pick<CalculationOptions, 'tracker' | 'client' | 'clock' | 'untilReady' | 'exempt' | 'isGenerated'>,
): Promise<Costs> {
  const { tracker, client, untilReady, exempt, isGenerated } = options
  const crd = (name: string) => tracker.finder.crd(name)
  if (!writesObject(request.subResource) || isGenerated(request)) return NOTHING
  const closed = untilReady === 'refuse' ? closedQuota(request, options) : undefined
  if (closed !== undefined) return later(notReadyText(closed.ref, closed.generation))
  const kind = tracker.kinds.ofResource(request.resource)
  if (kind === undefined) return NOTHING
  if (kind.resource.namespaced && exempt.has(request.namespace)) return NOTHING
  const reviewed = await reviewedObject(request, kind.resource, { client, crd }, { signal })
  if (reviewed === undefined) return NOTHING
  const quotas = [...tracker.kinds.quotasOf(kind, reviewed.namespace)]
  const isSelecting = reviewed.namespace !== '' && quotas.some(({ namespaces }) => namespaces !== undefined)
  if (isSelecting && !(await isNamespaceKnown(reviewed.namespace, options, signal)))
    return later(`the namespace ${JSON.stringify(reviewed.namespace)} is new, and its labels are not known yet`)
  const { matched, unmeasurable, broken } = matchQuotas(quotas, reviewed)
  const [problem] = unmeasurable
  if (problem !== undefined)
    return {
      decided: denied(unmeasurableText(reviewed.operation, reviewed.object, problem.tracked.ref, problem.error)),
    }
  const raised = matched.filter((one) => !isFree(one))
  const waiting = broken[0] ?? raised.find(({ tracked }) => !isReady(tracked))?.tracked
  if (waiting !== undefined && untilReady === 'refuse') return later(notReadyText(waiting.ref, waiting.generation))
  const unmeasured = untilReady === 'refuse' ? closedIn(reviewed.namespace, raised) : undefined
  if (unmeasured !== undefined)
    return later(closedNamespaceText(unmeasured.tracked.ref, reviewed.namespace, unmeasured.problem))
  const charged = waiting === undefined ? raised : raised.filter(({ tracked }) => isReady(tracked))
  return charged.length === 0 ? NOTHING : { reviewed, counted: kind, kind: kind.resource, quotas: charged }
}

const NOTHING: Costs = { decided: allowed() }
const later = (message: string): Costs => ({ decided: retryLater(message, RETRY_SECONDS) })

/** Decides on user objects for all custom quotas that count them. Every replica answers, whether it leads or not. */
export function calculationHandler(options: CalculationOptions) {
  const { client, clock, native } = options
  return async (request: AdmissionRequest, signal: AbortSignal, withinMs: number): Promise<AdmissionDecision> => {
    const costs = await raisedCosts(request, signal, options)
    if (costs.decided !== undefined) return costs.decided
    const { reviewed, counted, kind, quotas } = costs
    const others = await options.others(request, signal)
    const taken = await takenNameText(client, counted, reviewed, { signal })
    const began = clock.monotonic()
    const foreseen = taken === undefined ? await native.of(request, { signal, withinMs }) : undefined
    let isOnItsWay = false
    try {
      // A request that goes no further holds no room.
      const isStopped = taken !== undefined || foreseen?.type === 'refused' || others.decided !== undefined
      const dryRun = request.dryRun || isStopped
      const left = withinMs - (clock.monotonic() - began)
      const charges = others.decided === undefined ? others.charges : []
      const charge = { reviewed, kind, quotas, others: charges, dryRun, withinMs: left, signal }
      const outcome = await options.charge(charge)
      isOnItsWay = outcome.type === 'admitted' && !dryRun
      const decision = answer(outcome, foreseen, reviewed, options)
      if (decision.verdict === 'denied') return decision
      return taken === undefined ? (others.decided ?? decision) : denied(taken, CONFLICT, 'AlreadyExists')
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
  if (outcome.type === 'denied') {
    const { message, reason } = jointRefusal(operation, outcome.refusals, refused?.decision)
    return denied(message, FORBIDDEN, reason)
  }
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
  { client, tracker, clock }: Pick<CalculationOptions, 'client' | 'tracker' | 'clock'>,
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
