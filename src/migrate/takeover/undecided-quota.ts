/** The part of a custom quota that says whether allot decides for it. */
interface WatchedQuota {
  readonly uid: string
  /** The resources that it counts. */
  readonly counts: readonly string[]
}

/**
 * A quota for which allot does not decide yet: it has not written its ledger, or its webhooks are not asked about what it counts. Only those that were
 * ready before count: anyone may make one that never is.
 */
export const undecidedQuota = <T extends WatchedQuota>(
  quotas: readonly T[],
  ready: readonly string[],
  counted: ReadonlySet<string>,
  asked: ReadonlySet<string>,
): T | undefined =>
  quotas.find(
    ({ uid, counts }) => ready.includes(uid) && (!counted.has(uid) || counts.some((resource) => !asked.has(resource))),
  )
