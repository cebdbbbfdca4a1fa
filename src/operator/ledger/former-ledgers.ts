import type { QuantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import { isObserved } from '../../charges/ledger/fold.ts'
import type { KindView, LedgerViews } from '../../charges/ledger/kind-view.ts'
import type { OutstandingName } from '../../charges/ledger/ledger-state.ts'
import { readLedger } from '../../charges/ledger/ledger-status.ts'
import type { ObjectName } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { LedgerCache } from './ledger-cache.ts'

/** The promises of a ledger that went: its reservations, or `unknown` where it was closed itself, cannot be read, or was not written by allot. */
type Promises = readonly OutstandingName[] | 'unknown'

interface Former {
  readonly promises: Promises
  /** On the monotonic clock: when it went. */
  readonly since: number
}

export interface FormerLedgersOptions {
  readonly ledgers: { readonly view: Pick<LedgerCache['view'], 'onChange'> } & Pick<LedgerCache, 'isForeign'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** After so many milliseconds the API server stores nothing more that the ledger allowed. */
  readonly patience: number
}

/**
 * The reservations of ledgers that went or were emptied, as this replica saw it. A quota that is made anew under the name of a deleted one must not
 * give their room away: the API server may still store the requests that the former ledger allowed.
 */
export class FormerLedgers {
  readonly #options: FormerLedgersOptions
  /** By the place of the ledger: what a ledger says of its quota may have been changed. */
  readonly #former = new Map<string, Former[]>()

  constructor(options: FormerLedgersOptions) {
    this.#options = options
    options.ledgers.view.onChange((old, current) => {
      if (old !== undefined && (current === undefined || (isWritten(old) && !isWritten(current)))) this.#note(old)
    })
  }

  /** May a request still be stored that a former ledger at this place allowed, and that the new quota would count? */
  mayStillStore(place: ObjectName, views: LedgerViews | undefined): boolean {
    this.#forget()
    return this.#former.get(placeKey(place))?.some(({ promises }) => isAwaited(promises, views)) === true
  }

  #note(ledger: QuantityLedger): void {
    this.#forget()
    const promises = this.#options.ledgers.isForeign(ledger) ? 'unknown' : promisesOf(ledger)
    if (promises.length === 0) return
    const key = placeKey(ledger.metadata)
    this.#former.set(key, [...(this.#former.get(key) ?? []), { promises, since: this.#options.clock.monotonic() }])
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

const placeKey = ({ namespace = '', name = '' }: Partial<ObjectName>): string => `${namespace}/${name}`

const isWritten = ({ status }: QuantityLedger): boolean => (status?.outstanding ?? '') !== ''

function promisesOf({ status }: QuantityLedger): Promises {
  const read = readLedger(status)
  if (read.type === 'unreadable') return 'unknown'
  if (read.type === 'unwritten') return read.reservations.length > 0 ? 'unknown' : []
  return read.state.settling === '' ? [...read.state.names.values()] : 'unknown'
}

function isAwaited(promises: Promises, views: LedgerViews | undefined): boolean {
  if (promises === 'unknown' || views === undefined) return true
  return promises.some((name) => {
    const counted = viewsOf(name, views)
    return (
      counted.length > 0 &&
      !name.reservations.every((reservation) => counted.some((view) => isObserved(view, name, reservation)))
    )
  })
}

/** The new quota may read the kind in another version. An object has the same uid and resourceVersion in all of them. */
function viewsOf({ kind }: OutstandingName, { kinds }: LedgerViews): readonly KindView[] {
  const unversioned = withoutVersion(kind)
  return [...kinds].flatMap(([key, view]) => (withoutVersion(key) === unversioned ? [view] : []))
}

function withoutVersion(key: string): string {
  const [group = '', , kind = ''] = key.split('/')
  return `${group}/${kind}`
}
