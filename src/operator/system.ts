import type { Registry } from '@prometheus-io/client'
import type { Need } from '../install/rbac/need.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Clock } from '../kube/time/clock.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import type { EventRecorder } from '../kube/events/event-recorder.ts'
import type { Logger } from '../runtime/process/logger.ts'
import type { LedgerSeal } from './cluster/ledger-seal.ts'
import type { RunningSystem } from './shell/running-system.ts'
import type { SystemCaches } from './shell/shared-caches.ts'
import type { WebhookRules } from './shell/registered-webhooks.ts'

/** The parts of the operator that every system is given. */
export interface OperatorContext {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
  readonly recorder: EventRecorder
  /** Views of the kinds that are watched for all systems together. */
  readonly caches: SystemCaches
  /** The webhooks of all systems, which each may add, change and remove at any time. */
  readonly webhooks: WebhookRules
  /** Where the operator's own objects live. */
  readonly systemNamespace: string
  /** The namespaces in which nothing is refused. */
  readonly exempt: ReadonlySet<string>
  /** Distinguishes ledgers that a replica wrote. */
  readonly seal: LedgerSeal
  /** The name that the API server knows the operator by; undefined until it has been heard. */
  readonly ownName: () => string | undefined
}

/** One of the systems that allot unites, as the operator runs it. */
export interface OperatorSystem {
  readonly name: string
  readonly crds: readonly KubeObject[]
  readonly needs: readonly Need[]
  /** What it asks for itself, and works without; left out: nothing. */
  readonly wishes?: readonly Need[]
  /** Asks for the caches and webhooks that the system needs. */
  start(context: OperatorContext): RunningSystem
}
