/** The content of an Event about an object. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** The component that reports it. */
  readonly component: string
}
