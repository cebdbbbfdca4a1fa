import { unclassified } from '../../../schema/patch/error.ts'
import { type ApiError, failure } from '../../../machinery/status.ts'
import type { StoreError } from '../../../store/record/store-error.ts'

/** Returns the error for a failed write: it may be tried again, unless the object is too large or the store is lost. */
export function storeFailure({ code, message, advice }: StoreError): ApiError {
  // A real server passes on what etcd says: 500 without a reason.
  if (code === 'too-large') return unclassified('etcdserver: request is too large')
  return code === 'failed' || code === 'gone' || code === 'closed'
    ? failure(503, 'ServiceUnavailable', `${message}. ${advice}`)
    : failure(500, 'InternalError', `${message}. ${advice}`)
}
