import type { Registry } from '@prometheus-io/client'
import type { KubeObject } from '../machinery/object.ts'
import type { Clock } from '../kube/clock.ts'
import type { KubeClient } from '../kube/kube-client.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { AdmissionDecision } from '../runtime/admission-decision.ts'
import type { AdmissionRequest } from '../runtime/admission-request.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Need } from './access.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import type { Hook } from './webhook-configuration.ts'

/** What every system of the operator is given to work with. */
export interface OperatorContext {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
  readonly reconciles: ReconcileMetrics
  readonly recorder: EventRecorder
  /** Where the operator's own objects live. */
  readonly systemNamespace: string
  /** The name that the API server knows the operator by; undefined until it has been heard. */
  readonly ownName: () => string | undefined
}

/** A webhook and who decides its reviews. */
export interface AnsweredHook extends Hook {
  readonly handle: (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionDecision>
}

/** A system that runs in this process. Every replica has its caches and answers its webhooks; one replica leads. */
export interface RunningSystem {
  readonly hooks: readonly AnsweredHook[]
  /** Resolves when everything that decisions need is known. */
  whenSynced(): Promise<void>
  /** What keeps it from deciding now, if anything, in a few words. */
  problem(): string | undefined
  /** Reconciles until the signal aborts; resolves when nothing is under way any more. */
  lead(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** One of the systems that allot unites, as the operator runs it. */
export interface OperatorSystem {
  readonly name: string
  readonly definitions: readonly KubeObject[]
  readonly needs: readonly Need[]
  start(context: OperatorContext): RunningSystem
}
