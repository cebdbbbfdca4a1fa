import type { ClockSteps } from '../../runtime/time/clock-steps.ts'
import type { ObjectIndexes } from '../storing/object-indexes.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { EventWriter } from '../event/writer.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'

/**
 * All that workload controllers see of the server, and all that they do to it. Nothing of the server knows the controllers, so
 * a server without them is complete.
 */
export interface WorkloadPort {
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>
  readonly indexes: Pick<ObjectIndexes, 'of'>
  readonly registry: Pick<Registry, 'all' | 'ofBucket'>
  readonly operations: Pick<ObjectOperations, 'create' | 'remove' | 'update'>
  readonly events: Pick<EventWriter, 'record'>
  readonly serverContext: Pick<ServerContext, 'now' | 'random'>
  /** The steps of the clock of `serverContext`. */
  readonly clockSteps: ClockSteps
  /** Reports that a controller failed on the object with a key, and will try again. */
  readonly onError: (controller: string) => (key: string, error: unknown) => void
}

export interface RunningWorkloads {
  /** Resolves when the controllers write no more. */
  stop(): Promise<void>
}

/** Starts the workload controllers on a server; resolves when they watch it. */
export type StartWorkloads = (port: WorkloadPort) => Promise<RunningWorkloads>
