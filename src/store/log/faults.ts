/** The faults that a test injects into the log. */
export interface LogFaults {
  /** `OFF`: never fsync. */
  readonly synchronous?: 'OFF'
  /** The batches that fail before they are committed, counted from 1, with the SQLite error code they fail with. */
  readonly failBatches?: readonly { readonly batch: number; readonly errcode: number }[]
  /** After so many pages the write-ahead log is moved into the database and begun anew. */
  readonly checkpointPages?: number
  /** The disk is full as long as this file is there and the reserve has not been given free. */
  readonly fullWhile?: string
  /** The database may not grow beyond so many pages: a disk that is full. */
  readonly maxPages?: number
}
