import { StoreTooLarge } from '../../store/store-error.ts'
import { LARGEST_OBJECT } from '../../store/write.ts'
import { keyOf } from '../storing/outcome.ts'
import type { WriteReview } from '../storing/review.ts'
import type { Engine } from './engine.ts'

/** Another version of a custom resource may have a shorter name. */
const SLACK = 1024

/**
 * Throws `StoreTooLarge` for an object that cannot be stored, before admission, validation and managed fields take their time
 * for it. `prepared` makes the object as its kind wants it, to which the rest of the write can only add; a mutating webhook
 * could take something away, so where one is asked nothing is refused. `basis`: the bytes of what a patch changes.
 */
export function refuseOversized(
  { admission }: Engine,
  review: WriteReview,
  prepared: () => WriteReview['object'],
  basis = 0,
): void {
  const { sentBytes, resource, namespace, name } = review
  if (sentBytes === undefined || sentBytes + basis <= LARGEST_OBJECT || admission.mayMutate(review)) return
  const object = prepared()
  // Managed fields are made anew.
  const { managedFields: _sent, ...metadata } = object.metadata
  const bytes = Buffer.byteLength(JSON.stringify({ ...object, metadata }))
  if (bytes > LARGEST_OBJECT + SLACK)
    throw new StoreTooLarge(0, resource.bucket, keyOf(resource, namespace, name), bytes, LARGEST_OBJECT)
}
