import type { Denied } from '../../charges/decide.ts'
import type { AnsweredHook } from '../../operator/shell/registered-webhooks.ts'
import type { AskedNamespaces, AskedResource } from '../../operator/webhook/configuration.ts'
import { type AdmissionDecision, allowed, retryLater } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { LedgerCharge } from './protocol/admit-all.ts'
import type { ControllerSource, ReconcileResult } from '../../operator/shell/controller.ts'
import type { QuantityLedger } from './api/quantity-ledger.ts'
import { type LedgerRefusal, type LedgerUnavailable, RETRY_SECONDS } from './protocol/ledger-errors.ts'
import type { ReviewedObject } from './replica/reviewed-object.ts'
import type { BudgetRef } from '../../charges/budget.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import type { LedgerViews } from './protocol/kind-view.ts'
import type { LedgerOptions } from './protocol/ledger-options.ts'
import type { LedgerState } from './protocol/ledger-state.ts'
import type { LedgerStatus } from './protocol/ledger-status.ts'
import type { CountedQuota, CountedTarget } from './counted-quota.ts'
import type { FoundKind, KindFinder } from './kind-finder.ts'
import type { KindCounts, Measured, QuotaPart } from './count/kind-counts.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { CacheView } from '../../operator/shell/shared-watch.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'

/** The quotas of one system as this replica knows them; `QuotaTracker` has them. */
export interface TrackedQuotas<T extends CountedQuota> {
  readonly all: Iterable<T>
  readonly kinds: KindCounts<T>
  readonly finder: Pick<KindFinder, 'crdOf'>
  /** The quotas of a namespace in the order of their names. */
  readonly in: (namespace: string) => readonly T[]
  /** Reports a change of a quota that only the caller knows. */
  readonly noteChange: (key: string) => void
  /** Looks for the kinds of a quota. */
  readonly resolve: (key: string) => void
  /** Counts how often quotas, or the kinds that they count, have changed. */
  changes: number
}

/** How the quotas of one system are found, compiled and counted. */
export interface QuotaTracking<T extends CountedQuota> {
  /** All quotas of the system, by their kinds. */
  readonly quotas: ReadonlyMap<string, CacheView<T['quota']>>
  /** Compiles a quota. */
  readonly compile: (quota: T['quota']) => T
  /** Takes a newer state of a quota that counts the same, before the quota itself has it. */
  readonly update: (tracked: T, quota: T['quota']) => void
  /** Reports whether the newer state counts the same objects at the same costs. Its limits may differ. */
  readonly countsAlike: (old: T['quota'], quota: T['quota']) => boolean
  /**
   * Reports whether each object keeps its cost in the newer state, or costs nothing in all states. Left out: unknown.
   */
  readonly countsNoMore?: (old: T['quota'], quota: T['quota']) => boolean
  /** Takes over from the former spec of a quota. */
  readonly succeed?: (former: T, tracked: T) => void
  /** Reports whether the quota is not tracked. */
  readonly isIgnored?: (quota: T['quota']) => boolean
  /** Reports whether the quota is known and counts nothing. */
  readonly isSetAside?: (quota: T['quota']) => boolean
  /** Why a kind that cannot be counted keeps the quota from being counted; undefined where it does not. */
  readonly problemOf: (tracked: T, found: FoundKind<T['kinds'][number]>) => string | undefined
  /** The amounts that the objects of a resource count towards. */
  readonly partsOf: (tracked: T, resource: ServerResource) => readonly QuotaPart[]
  /** Begins to measure an object; gives its cost for each quota that counts its kind, or undefined where that quota does not count it. */
  readonly measure: (object: KubeObject, resource: ServerResource) => (tracked: T) => Measured | undefined
  /** Called when quotas begin to be followed, and when that ends. */
  readonly begun?: (tracker: TrackedQuotas<T>) => void
  readonly ended?: () => Promise<void> | void
  /** Called with a quota, or a new spec of one, before its kinds are looked for. */
  readonly added?: (tracked: T) => void
  /** Called with a quota, or a former spec of one, that counts no more. */
  readonly dropped?: (tracked: T) => void
  /** Called with a quota that is gone, after all handlers. */
  readonly gone?: (tracked: T) => void
  /** Must the kinds that were found be looked for again soon, since something else is not known yet? */
  readonly mustWait?: (found: readonly FoundKind<T['kinds'][number]>[]) => boolean
  /** Called with all kinds of a quota as they were found. */
  readonly found?: (tracked: T, found: readonly FoundKind<T['kinds'][number]>[]) => void
}

/** How the ledgers of the quotas of one system are kept. */
export interface QuotaLedgering<T extends CountedQuota> {
  /** The kind of a quota, as the API server has it. */
  readonly kindOf: (tracked: Pick<T, 'ref'>) => ResourceKind
  /** The limits of a quota, by amount. */
  readonly limitsOf: (tracked: T) => ResourceList
  /** The properties of the ledgers of one system. */
  readonly options: Pick<LedgerOptions, 'amountOf' | 'share' | 'createMs'>
  /** Whether replicas reserve advances. Only for ledgers of one amount. */
  readonly holdsAhead?: boolean
  /** Returns the status that holds a state, in place of the old one. */
  readonly statusOf: (written: WrittenLedger, old: LedgerStatus | undefined) => LedgerStatus
  /** Reports whether a status shows the amounts of a state. Left out: the status is not checked. */
  readonly shows?: (status: LedgerStatus | undefined, written: Pick<WrittenLedger, 'state' | 'limits'>) => boolean
  /** The rest of the views of a counted quota besides the counts. Undefined while unknown. */
  readonly viewsOf: (tracked: T) => Omit<LedgerViews, 'kinds'> | undefined
  /** Brings up to date what the counts of a quota depend on besides objects. `parts`: those of its ledger. */
  readonly catchUp?: (tracked: T, parts: LedgerState['parts'], signal: AbortSignal) => Promise<void>
  /** Whether the quota itself holds the ledger. Then a read of the ledger reads the limits, too. */
  readonly isInQuota?: boolean
}

/** A ledger that is to be written. */
export interface WrittenLedger {
  readonly key: string
  readonly ref: BudgetRef
  readonly limits: ResourceList
  readonly state: LedgerState
  /** The time now and the time when reservations of now are expected to be over, as RFC 3339. */
  readonly now: string
  readonly expiresAt: string
}

/** How the API server is asked about what the quotas of one system count. */
export interface QuotaAsking<T extends CountedQuota> {
  /** The quotas, as messages name them: `KarmadaQuotas`. */
  readonly plural: string
  /** The webhook, but for its rules. */
  readonly hookOf: (handle: AnsweredHook['handle']) => Omit<AnsweredHook, 'rules' | 'asked' | 'exempt'>
  /** All that is to be asked about for these quotas. */
  readonly asked: (quotas: Iterable<T>) => readonly AskedResource[]
  /** The keys and namespaces of what is to be asked about for one quota; undefined while that is not known. */
  readonly askedFor: (tracked: T) => readonly (readonly [key: string, namespaces: AskedNamespaces])[] | undefined
  /** Returns why it is not known yet what is to be asked about; left out: it always is. */
  readonly pending?: () => string | undefined
}

/** A request that costs quotas more. All of their ledgers are charged or none. */
export interface RequestCosts {
  readonly decided?: undefined
  readonly reviewed: Pick<ReviewedObject, 'operation' | 'namespace' | 'name' | 'uid'>
  /** What counts the object. */
  readonly target: Pick<CountedTarget, 'resource' | 'counted'>
  /** The ids of the reservations are left open. */
  readonly charges: readonly LedgerCharge[]
  /** Words a refusal. `foreseen`: why ResourceQuotas refuse the request as well. */
  readonly refused: (refusals: Refusals, foreseen: Denied | undefined) => AdmissionDecision
  /** The warnings of a request that is allowed: called once its charges are made. */
  readonly warnings?: (dryRun: boolean) => readonly string[]
}

export type Refusals = readonly [LedgerRefusal, ...LedgerRefusal[]]

/** The costs of requests for the quotas of one system. */
export interface QuotaCharging {
  /** Finds what a request costs; or the answer, where that cannot be charged or need not be. */
  readonly costsOf: (request: AdmissionRequest, signal: AbortSignal) => Promise<FoundCosts> | FoundCosts
}

export type FoundCosts = { readonly decided: AdmissionDecision } | RequestCosts

/** Of a request that no quota of the system counts. */
export const NO_COSTS: FoundCosts = { decided: allowed() }
/** Of a request that cannot be charged yet. */
export const costsLater = (message: string): FoundCosts => ({ decided: retryLater(message, RETRY_SECONDS) })

/**
 * The reason why a quota is not ready: its kinds are not found, its objects not counted, or its webhook rules not in
 * force.
 */
export type Wait = 'kinds' | 'count' | 'rules' | Hindrance
/** An obstacle: the spec has a mistake, or objects cannot be counted for a while. */
export type Hindrance = 'mistake' | 'outage'

export interface LedgerOutcome {
  /** After how many milliseconds the ledger is to be looked at again. */
  readonly again: number | undefined
  /** Why the ledger cannot be decided on. */
  readonly error?: LedgerUnavailable
}

/** The work of the leader for the quotas of one system, besides their ledgers. */
export interface QuotaReporting<T extends CountedQuota> {
  /** The controller, as logs, metrics and the marks of its writes have it. */
  readonly name: string
  readonly sources?: readonly ControllerSource[]
  /** The key of the quota that has to look at its ledger after a change of a QuantityLedger. */
  readonly concerned?: (old: QuantityLedger | undefined, current: QuantityLedger | undefined) => string | undefined
  /** Called for a quota that is gone or being deleted. */
  readonly gone?: (key: string, tracked: T | undefined, signal: AbortSignal) => Promise<ReconcileResult>
  /** Called before anything else; gives the result where nothing else is to be done. */
  readonly prepare?: (tracked: T, signal: AbortSignal) => Promise<ReconcileResult | undefined>
  /** Called where another object has the place of the ledger, and does not go. */
  readonly stuck?: (tracked: T, signal: AbortSignal) => Promise<void>
  readonly hindrance?: (tracked: T) => Hindrance | undefined
  /** Called for a quota that is not ready yet. */
  readonly waits: (
    tracked: T,
    waiting: { readonly wait: Wait; readonly forMs: number },
    signal: AbortSignal,
  ) => Promise<ReconcileResult>
  /** Called before the ledger of a quota is brought up to the counts. */
  readonly willBringUp?: (tracked: T) => Promise<void>
  /** Called after that. */
  readonly broughtUp: (tracked: T, outcome: LedgerOutcome, signal: AbortSignal) => Promise<ReconcileResult>
}
