import type { AdmissionRequest } from './request.ts'

/** Tells those who may ask webhooks from strangers who know a path. */
export interface CallerCheck {
  /** Is it the address of somebody who may ask? */
  readonly isProven: (address: string) => boolean
  /** Takes notice of a review that anybody may send, and that may prove its sender; false where it is another. `webhook`: the path at which it came. */
  readonly isProbe: (request: AdmissionRequest, address: string, webhook: string) => boolean
  /** Resolves, within this time, whether a caller is to be answered. The signal aborts when it does not wait any more. */
  readonly admits: (address: string, withinMs: number, left: AbortSignal) => Promise<boolean>
}
