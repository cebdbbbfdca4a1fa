/** Subresources that write a field of the object itself, or through which its `scale` is written. */
export const WRITING_SUBRESOURCES: ReadonlySet<string> = new Set([
  'scale',
  'resize',
  'ephemeralcontainers',
  'finalize',
  'approval',
])

/**
 * Reports whether a request for this subresource, or for the object itself (''), writes fields that quotas count. A
 * status is only reported and never refused.
 */
export const writesObject = (subresource: string): boolean =>
  subresource === '' || WRITING_SUBRESOURCES.has(subresource)
