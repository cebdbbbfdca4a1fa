import type { ResourcePoolClaim } from '../../api/claim.ts'
import { type FieldError, forbidden, invalid } from '../../../../machinery/field-error.ts'
import { parseGoDuration } from '../../../../machinery/go/duration.ts'
import { boundAtOf, durationOf, endOf } from './claim.ts'
import { momentOf } from '../../../../machinery/text/time.ts'

const CANNOT_RENEW = 'the claim has ended and cannot be renewed; create another one'

/** Returns the errors in the fields that say when a claim ends, as far as they are new. `now`: milliseconds since the epoch. */
export function claimEndErrors(
  claim: ResourcePoolClaim,
  old: ResourcePoolClaim | undefined,
  now: number,
): readonly FieldError[] {
  const { expiresAt, ttlAfterBound } = claim.spec
  const changed = (['expiresAt', 'ttlAfterBound'] as const).filter((field) => claim.spec[field] !== old?.spec[field])
  if (old !== undefined && endOf(old, now).isOver)
    return changed.map((field) => forbidden(`spec.${field}`, CANNOT_RENEW))
  return [
    ...(changed.includes('expiresAt') && expiresAt !== undefined ? timeErrors(expiresAt, now) : []),
    ...(changed.includes('ttlAfterBound') && ttlAfterBound !== undefined
      ? durationErrors(ttlAfterBound, boundAtOf({ spec: claim.spec, status: old?.status }), now)
      : []),
  ]
}

function timeErrors(expiresAt: string, now: number): readonly FieldError[] {
  const moment = momentOf(expiresAt)
  // A text that is no time is refused by the schema, in the API server's words.
  return moment === undefined || moment > now ? [] : [invalid('spec.expiresAt', expiresAt, 'must be in the future')]
}

function durationErrors(ttl: string, boundAt: string | undefined, now: number): readonly FieldError[] {
  const nanos = parseGoDuration(ttl)
  if (typeof nanos === 'string') return [invalid('spec.ttlAfterBound', ttl, nanos)]
  if (nanos <= 0n) return [invalid('spec.ttlAfterBound', ttl, 'must be greater than 0')]
  const bound = momentOf(boundAt)
  if (bound === undefined || bound + (durationOf(ttl) ?? 0) > now) return []
  return [invalid('spec.ttlAfterBound', ttl, `must end in the future: workloads first used the claim at ${boundAt}`)]
}
