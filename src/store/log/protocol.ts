import type { LogBatch, LogRow } from './log.ts'
import type { LogOptions } from './database.ts'
import type { LogFaults } from './faults.ts'
import type { StoreErrorCode } from '../record/store-error.ts'

/** The data that the worker of a log is started with. It answers once when it has opened, then once per request, in order. */
export interface LogWorkerData {
  readonly directory: string
  readonly faults: LogFaults
  readonly options: LogOptions
}

export type LogRequest =
  | { readonly type: 'read' }
  | { readonly type: 'append'; readonly batch: LogBatch }
  | { readonly type: 'take-reserve' }
  | { readonly type: 'check' }
  | { readonly type: 'close' }

export interface LogReply {
  readonly floor?: number
  /** Whether the disk space for deletions is still held. */
  readonly hasReserve?: boolean
  /** The loss that was accepted. */
  readonly lost?: string
  readonly rows?: readonly LogRow[]
  readonly error?: { readonly code: StoreErrorCode; readonly message: string }
}
