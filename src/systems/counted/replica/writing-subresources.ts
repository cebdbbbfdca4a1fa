/** Subresources that write a field of the object itself, or through which its `scale` is written. */
export const WRITING_SUBRESOURCES: ReadonlySet<string> = new Set([
  'scale',
  'resize',
  'ephemeralcontainers',
  'finalize',
  'approval',
])

/** Does a request for this subresource, or for none (''), write what quotas count and may refuse? A status is reported, never refused. */
export const writesObject = (subresource: string): boolean =>
  subresource === '' || WRITING_SUBRESOURCES.has(subresource)
