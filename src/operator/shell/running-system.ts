import type { LimitReading } from '../../insight/history/limit-reading.ts'
import type { Controller, ReconcileRequest } from './controller.ts'

/** Asks a controller of the same system for a look at an object. */
export type Enqueue = (controller: string, request: ReconcileRequest) => void

/** A system that runs in this process. Every replica has its caches and answers its webhooks; one replica leads. */
export interface RunningSystem {
  /** Makes the controllers for one term in which this replica leads. */
  readonly controllers: (enqueue: Enqueue) => readonly Controller[]
  /**
   * Returns the reason why the webhook rules of this system may be incomplete, as after the start. Undefined when they
   * are complete. Left out: they always are.
   */
  readonly pendingRules?: () => string | undefined
  /** The limits of the system with what is used of them now, as its caches have them; left out: it has none. */
  readonly readings?: () => Iterable<LimitReading>
  /** Ends what the system does besides its controllers; left out: nothing. */
  readonly stop?: () => Promise<void>
}
