import { isObserved } from '../protocol/fold.ts'
import type { LedgerViews } from '../protocol/kind-view.ts'
import type { OutstandingName } from '../protocol/ledger-state.ts'
import { type LedgerStatus, readLedger } from '../protocol/ledger-status.ts'
import type { Clock } from '../../../kube/time/clock.ts'

/**
 * The promises of a former ledger: its reservations, or `unknown`. They are unknown if it was closed, cannot be read,
 * or was not written by allot.
 */
type Promises = readonly OutstandingName[] | 'unknown'

interface Former {
  readonly promises: Promises
  /** On the monotonic clock: when it went. */
  readonly since: number
}

/**
 * Reports each ledger that is deleted or emptied, with the text of its place and its last status. `isForeign`: somebody
 * else than allot wrote that status.
 */
export interface GoingLedgers {
  readonly onGone: (handler: (place: string, status: LedgerStatus | undefined, isForeign?: boolean) => void) => unknown
}

export interface FormerLedgersOptions {
  readonly ledgers: GoingLedgers
  readonly clock: Pick<Clock, 'monotonic'>
  /** After so many milliseconds the API server stores nothing more that the ledger allowed. */
  readonly patience: number
  /** Do the same objects count towards both parts of ledgers? Left out: where both are the same kind, in whatever version. */
  readonly shareObjects?: (part: string, other: string) => boolean
}

/**
 * The reservations of ledgers that were deleted or emptied, as this replica saw it. A quota that is created again under
 * the same name must not give their room away. The API server may still store the requests that the former ledger
 * allowed.
 */
export class FormerLedgers {
  readonly #options: FormerLedgersOptions
  /** By the place of the ledger: what a ledger says of its quota may have been changed. */
  readonly #former = new Map<string, Former[]>()

  constructor(options: FormerLedgersOptions) {
    this.#options = options
    options.ledgers.onGone((place, status, isForeign = false) =>
      this.#note(place, isForeign ? 'unknown' : promisesOf(status)),
    )
  }

  /**
   * Reports whether a request may still be stored that a former ledger at this place allowed and that the new quota
   * counts.
   */
  mayStillStore(place: string, views: LedgerViews | undefined): boolean {
    this.#forget()
    const { shareObjects = isSameKind } = this.#options
    return this.#former.get(place)?.some(({ promises }) => isAwaited(promises, views, shareObjects)) === true
  }

  #note(place: string, promises: Promises): void {
    this.#forget()
    if (promises.length === 0) return
    this.#former.set(place, [...(this.#former.get(place) ?? []), { promises, since: this.#options.clock.monotonic() }])
  }

  #forget(): void {
    const { clock, patience } = this.#options
    const until = clock.monotonic() - patience
    for (const [key, all] of this.#former) {
      const left = all.filter(({ since }) => since > until)
      if (left.length === 0) this.#former.delete(key)
      else if (left.length < all.length) this.#former.set(key, left)
    }
  }
}

function promisesOf(status: LedgerStatus | undefined): Promises {
  const read = readLedger(status)
  if (read.type === 'unreadable') return 'unknown'
  if (read.type === 'unwritten') return read.reservations.length > 0 ? 'unknown' : []
  const { names, advances, settling } = read.state
  // It does not say which requests were allowed on an advance.
  return settling !== '' || advances.size > 0 ? 'unknown' : [...names.values()]
}

function isAwaited(
  promises: Promises,
  views: LedgerViews | undefined,
  shareObjects: (part: string, other: string) => boolean,
): boolean {
  if (promises === 'unknown' || views === undefined) return true
  return promises.some((name) => {
    const counted = [...views.kinds].flatMap(([part, view]) => (shareObjects(part, name.kind) ? [view] : []))
    return (
      counted.length > 0 &&
      !name.reservations.every((reservation) => counted.some((view) => isObserved(view, name, reservation)))
    )
  })
}

/** The new quota may read the kind in another version. An object has the same uid and resourceVersion in all of them. */
const isSameKind = (kind: string, other: string): boolean => withoutVersion(kind) === withoutVersion(other)

function withoutVersion(key: string): string {
  const [group = '', , kind = ''] = key.split('/')
  return `${group}/${kind}`
}
