/** Where the control plane gets the time and chance from; tests give others. */
export interface ServerContext {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly uuid: () => string
  /** A number in [0, 1). */
  readonly random: () => number
}
