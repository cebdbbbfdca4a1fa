/** The refusals of an object, which did not grow because of them. */
export interface RefusalRow {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  /** The latest. */
  readonly message: string
  /** How often it was refused. */
  readonly count: number
  /** When it was refused first and last, as the API server writes times. */
  readonly firstSeen: string
  readonly lastSeen: string
}
