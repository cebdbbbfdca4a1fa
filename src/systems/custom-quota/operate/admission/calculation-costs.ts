import { type MatchedQuota, matchQuotas } from '../../decide/match-quotas.ts'
import { closedNamespaceText, notReadyText, unmeasurableText } from '../../decide/refusal.ts'
import { jointRefusal } from '../../../../insight/joint-refusal.ts'
import { usageWarning } from '../../../../charges/usage-warnings.ts'
import type { UsageStep } from '../../../counted/protocol/admit-all.ts'
import { isFree } from '../../../counted/protocol/reserve.ts'
import { kindKey } from '../../../counted/protocol/ledger-state.ts'
import { isNotFound } from '../../../../machinery/status.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import { denied } from '../../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import { costsLater, type FoundCosts, NO_COSTS, type RequestCosts } from '../../../counted/adapter.ts'
import type { KindOfQuotas } from '../../../counted/count/kind-counts.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import { type ReviewedObject, reviewedObject } from '../../../counted/replica/reviewed-object.ts'
import { writesObject } from '../../../counted/replica/writing-subresources.ts'
import { NAMESPACES } from '../../../../operator/cluster/keep-namespace.ts'
import type { CustomQuotaOptions } from '../options.ts'
import type { CustomQuotaTracker } from '../tracking/quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'
import { closedQuota } from './closed-quota.ts'

export interface CalculationOptions extends Pick<CustomQuotaOptions, 'untilReady' | 'warnAt'> {
  readonly client: Pick<KubeClient, 'get'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly tracker: CustomQuotaTracker
  readonly ledgers: Pick<QuotaLedgers<TrackedQuota>, 'of'>
  /** Namespaces that nothing is refused in. */
  readonly exempt: ReadonlySet<string>
  /** Reports whether allot itself makes a write that no quota may refuse. Such a write is counted when it is observed. */
  readonly isGenerated: (request: AdmissionRequest) => boolean
}

const FORBIDDEN = 403
/** How long a namespace is waited for that has just been made, and how often it is looked for. */
const NAMESPACE_WAIT_MS = 2_000
const LOOK_AGAIN_MS = 10

/** Finds the custom quotas that a request costs more, and what it costs them. */
export async function raisedCosts(
  request: AdmissionRequest,
  signal: AbortSignal,
  options: CalculationOptions,
): Promise<FoundCosts> {
  const { tracker, client, untilReady, exempt, isGenerated } = options
  const crd = (name: string) => tracker.finder.crd(name)
  if (!writesObject(request.subResource) || isGenerated(request)) return NO_COSTS
  const closed = untilReady === 'refuse' ? closedQuota(request, options) : undefined
  if (closed !== undefined) return costsLater(notReadyText(closed.ref, closed.generation))
  const kind = tracker.kinds.ofResource(request.resource)
  if (kind === undefined) return NO_COSTS
  if (kind.resource.namespaced && exempt.has(request.namespace)) return NO_COSTS
  const reviewed = await reviewedObject(request, kind.resource, { client, crd }, { signal })
  if (reviewed === undefined) return NO_COSTS
  const quotas = [...tracker.kinds.quotasOf(kind, reviewed.namespace)]
  const isSelecting = reviewed.namespace !== '' && quotas.some(({ namespaces }) => namespaces !== undefined)
  if (isSelecting && !(await isNamespaceKnown(reviewed.namespace, options, signal)))
    return costsLater(`the namespace ${JSON.stringify(reviewed.namespace)} is new, and its labels are not known yet`)
  const { matched, unmeasurable, broken } = matchQuotas(quotas, reviewed)
  const [problem] = unmeasurable
  if (problem !== undefined)
    return {
      decided: denied(unmeasurableText(reviewed.operation, reviewed.object, problem.tracked.ref, problem.error)),
    }
  const raised = matched.filter((one) => !isFree(one))
  const waiting = broken[0] ?? raised.find(({ tracked }) => !tracked.isReady)?.tracked
  if (waiting !== undefined && untilReady === 'refuse') return costsLater(notReadyText(waiting.ref, waiting.generation))
  const unmeasured = untilReady === 'refuse' ? closedIn(reviewed.namespace, raised) : undefined
  if (unmeasured !== undefined)
    return costsLater(closedNamespaceText(unmeasured.tracked.ref, reviewed.namespace, unmeasured.problem))
  const charged = waiting === undefined ? raised : raised.filter(({ tracked }) => tracked.isReady)
  return charged.length === 0 ? NO_COSTS : costsOf(charged, reviewed, kind, options)
}

/** The charges of a request to the ledgers of these quotas, and the words for their decision. */
function costsOf(
  quotas: readonly MatchedQuota<TrackedQuota>[],
  reviewed: ReviewedObject,
  target: KindOfQuotas<TrackedQuota>,
  { ledgers, warnAt }: CalculationOptions,
): RequestCosts {
  const { operation, namespace, name, uid, base } = reviewed
  const kind = kindKey(target.resource)
  const usages = new Map<TrackedQuota, UsageStep>()
  const charged = quotas.map(({ tracked, cost, oldCost }) => {
    const charge = { operation, kind, namespace, name, uid, base, cost, oldCost, id: '' }
    const onCharged = (usage: UsageStep): void => void usages.set(tracked, usage)
    return { tracked, ledger: ledgers.of(tracked).admission, charges: [charge], rise: cost.sub(oldCost), onCharged }
  })
  return {
    reviewed,
    target,
    charges: charged,
    refused: (refusals, foreseen) => {
      const { message, reason } = jointRefusal(operation, refusals, foreseen)
      return denied(message, FORBIDDEN, reason)
    },
    warnings: (dryRun) =>
      charged.flatMap(({ tracked, rise }) => {
        const usage = usages.get(tracked)
        if (usage === undefined) return []
        const { ref, compiled } = tracked
        const after = dryRun ? usage.before.add(rise) : usage.after
        return usageWarning({ ref, before: usage.before, after, limit: compiled?.limit ?? Quantity.zero }, warnAt) ?? []
      }),
  }
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

/**
 * The first of these quotas that is closed in the namespace, because an object there cannot be measured. What it costs is not known, so nothing
 * more may be used there. A request that makes such an object measurable is decided like any other.
 */
function closedIn(
  namespace: string,
  raised: readonly MatchedQuota<TrackedQuota>[],
): { readonly tracked: TrackedQuota; readonly problem: string } | undefined {
  for (const { tracked, isMended } of raised) {
    const unmeasured = isMended ? undefined : tracked.unmeasuredIn(namespace)
    if (unmeasured !== undefined) return { tracked, problem: unmeasured.problem }
  }
  return undefined
}
