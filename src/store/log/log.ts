import type { StoreEvent } from '../record/event.ts'

/**
 * One version as the log keeps it; a deletion (`deleted` is 1) is a row of its own with the last state as its text. On a full disk
 * its text is `{}`: the floor of the same transaction lies at it, so that nobody is shown it.
 */
export type LogRow = readonly [
  revision: number,
  bucket: string,
  key: string,
  created: number,
  deleted: number,
  text: string,
]

/** Rows that nobody can ask for any more, and the floor of the history that their removal implies. */
export interface Sweep {
  readonly floor: number
  readonly revisions: readonly number[]
}

/** A batch of writes that becomes durable as a whole or not at all. */
export interface LogBatch {
  readonly rows: readonly LogRow[]
  readonly sweep: Sweep | undefined
}

/** Whether the disk space for deletions is still held. Without it the disk is full. */
export interface LogSpace {
  readonly hasReserve: boolean
}

/** Where committed writes survive the process. */
export interface Log {
  /** Resolves once the batch is durable; rejects with a StoreError when it is not: `failed` or `gone` when nothing will be again. */
  append(batch: LogBatch): Promise<LogSpace>
  /** Takes the disk space for deletions if the disk has it again. */
  takeReserve(): Promise<LogSpace>
  /** Rejects with a StoreError when nothing will be written any more: the files are not those that were opened. */
  check(): Promise<void>
  /** Rejects with a StoreError when what was acknowledged is not kept. */
  close(): Promise<void>
}

/** A log that forgets: for stores in memory. */
export const memoryLog: Log = {
  append: () => Promise.resolve({ hasReserve: true }),
  takeReserve: () => Promise.resolve({ hasReserve: true }),
  check: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

export function toLogRow({ type, revision, record }: StoreEvent, full: boolean): LogRow {
  const deleted = type === 'deleted'
  return [revision, record.bucket, record.key, record.created, deleted ? 1 : 0, deleted && full ? '{}' : record.text]
}
