import type { LedgerState, OutstandingName } from './ledger-state.ts'
import { reservationsText } from './ledger-text.ts'
import type { ChargeRequest } from './reserve.ts'

/**
 * The bytes that reservations may take in a ledger. A ledger is one object, and API servers store up to 1.5 MB. Each
 * namespace has a share. All shares together have a bound, and so has everything beyond the shares. So a namespace
 * below its share is let in, unless more than a hundred namespaces fill theirs at once.
 */
export interface LedgerBounds {
  /** Of one namespace. */
  readonly share: number
  /** Of the shares of all namespaces together. */
  readonly shares: number
  /** Of all that namespaces have beyond their shares. */
  readonly beyond: number
}

export const LEDGER_BOUNDS: LedgerBounds = { share: 4 * 1024, shares: 512 * 1024, beyond: 256 * 1024 }

/** A ledger of at most this part of a bound is not measured. */
const PART = 4
/** All of a request in the text of a ledger, but for names, amounts and what else is counted. */
const FRAME = 64
/** Names like these are stored as they are; of others a character may take six bytes. */
const PLAIN = /^[\w.:-]*$/

/** Reports whether a ledger of this size keeps every bound, however namespaces share it. */
export const isShort = (bytes: number, { beyond }: LedgerBounds): boolean => bytes * PART <= beyond

/** The bytes that a request adds to a ledger at most. It is found out for every request, so it must not take long. */
export function sizeOfRequest({ namespace, name, uid, base, id, cost, oldCost }: ChargeRequest): number {
  const words = name.length + namespace.length + uid.length + base.length
  return (PLAIN.test(name) ? words : 6 * words) + id.length + cost.toString().length + oldCost.toString().length + FRAME
}

/** The bytes that a name takes with its reservations in a stored ledger, or less. */
export const sizeOf = (name: OutstandingName): number => storedBytes(reservationsText(name))

/** The sizes of the reservations of a ledger, by namespace. */
export class LedgerSize {
  readonly #bounds: LedgerBounds
  readonly #sizes = new Map<string, number>()
  #shares = 0
  #beyond = 0

  constructor({ names }: Pick<LedgerState, 'names'>, bounds: LedgerBounds) {
    this.#bounds = bounds
    for (const name of names.values()) this.add(name.namespace, sizeOf(name))
  }

  in(namespace: string): number {
    return this.#sizes.get(namespace) ?? 0
  }

  /** Reports whether a namespace may use these bytes more. */
  hasRoom(namespace: string, bytes: number): boolean {
    const { share, shares, beyond } = this.#bounds
    const before = this.in(namespace)
    const after = before + bytes
    const moreShare = Math.min(after, share) - Math.min(before, share)
    const moreBeyond = Math.max(after, share) - Math.max(before, share)
    return (
      (moreShare <= 0 || this.#shares + moreShare <= shares) && (moreBeyond <= 0 || this.#beyond + moreBeyond <= beyond)
    )
  }

  add(namespace: string, bytes: number): void {
    const { share } = this.#bounds
    const before = this.in(namespace)
    const after = before + bytes
    this.#sizes.set(namespace, after)
    this.#shares += Math.min(after, share) - Math.min(before, share)
    this.#beyond += Math.max(after, share) - Math.max(before, share)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTED = 0x20
const LAST_ASCII = 0x7e
/** API servers write these as `\u003c`. */
const ESCAPED: ReadonlySet<number> = new Set([0x26, 0x3c, 0x3e])

/** The bytes of a text in the JSON that API servers store, or more. */
function storedBytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PRINTED || code > LAST_ASCII || ESCAPED.has(code)) bytes += 6
    else bytes += code === QUOTE || code === BACKSLASH ? 2 : 1
  }
  return bytes
}
