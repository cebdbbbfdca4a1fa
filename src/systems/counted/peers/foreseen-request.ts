import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { Denied } from '../../../charges/decide.ts'
import type { Attributes } from '../../../charges/evaluator.ts'

/** How a request is waited for. */
export interface AwaitedReview {
  readonly signal: AbortSignal
  /** How many milliseconds are left to answer. */
  readonly withinMs: number
}

/** A request that ResourceQuotas have been asked about. */
export type ForeseenRequest =
  | { readonly type: 'refused'; readonly decision: Denied; readonly attributes: Attributes }
  /** The quotas cannot be decided now, so that nothing may be reserved for the request. */
  | { readonly type: 'later'; readonly message: string }
  /** `end` is to be called once: does the request go on to the API server's own admission? */
  | { readonly type: 'open'; readonly end: (goesOn: boolean) => void }

/** Predicts whether the ResourceQuotas of a namespace will refuse a request, before room of other quotas is reserved for it. */
export interface Foresight {
  /** Undefined where no ResourceQuota concerns the request. */
  readonly of: (request: AdmissionRequest, review: AwaitedReview) => Promise<ForeseenRequest | undefined> | undefined
}
