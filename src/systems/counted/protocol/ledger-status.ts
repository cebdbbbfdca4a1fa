import type { LedgerReservation, QuantityLedgerStatus } from '../api/quantity-ledger.ts'
import type { ResourceListJson } from '../../../api/definition/collection.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { LedgerViews } from './kind-view.ts'
import { fold } from './fold.ts'
import {
  EMPTY_LEDGER,
  type LedgerState,
  nameKey,
  type OutstandingName,
  reservedOf,
  type Reservation,
  totalOf,
  UNKNOWN_BASE,
} from './ledger-state.ts'
import { LedgerTextError, ledgerText, readLedgerText } from './ledger-text.ts'

/**
 * The status of a QuantityLedger, with fields that this version does not know. A quota that keeps its ledger in its own status has
 * its limits and its usage there too.
 */
export type LedgerStatus = Partial<QuantityLedgerStatus> & {
  readonly hard?: ResourceListJson
  readonly used?: ResourceListJson
}

/** The result of reading the status of a ledger. */
export type ReadLedger =
  | { readonly type: 'ledger'; readonly state: LedgerState }
  /** allot has not written it: it is new, was emptied, or is Capsule's. `reservations` are those of Capsule. */
  | { readonly type: 'unwritten'; readonly reservations: readonly LedgerReservation[] }
  /** It must not be decided on and not be written. `message` says why and what to do. */
  | { readonly type: 'unreadable'; readonly message: string }

/** Reads the status of a ledger. */
export function readLedger(status: LedgerStatus | undefined): ReadLedger {
  if (status?.outstanding === undefined || status.outstanding === '')
    return { type: 'unwritten', reservations: status?.reservations ?? [] }
  try {
    return { type: 'ledger', state: readLedgerText(status.outstanding) }
  } catch (error) {
    if (error instanceof LedgerTextError) return { type: 'unreadable', message: error.message }
    throw error
  }
}

/**
 * Returns the first state of a ledger that allot has not written. `settling` is '' only if no earlier ledger of the
 * quota can have allowed a request. Otherwise it is a text that no ledger had before, and the quota is closed until
 * such requests are over. Reservations of Capsule count until their time is over.
 */
export function firstLedger(
  reservations: readonly LedgerReservation[],
  views: LedgerViews,
  settling: string,
): LedgerState {
  const names = new Map<string, OutstandingName>()
  for (const { id, usage, objectRef } of reservations) {
    const { apiGroup = '', kind: kindName, namespace = '', name = '', uid = '' } = objectRef
    const kind = views.kinds.keys().find((key) => key.startsWith(`${apiGroup}/`) && key.endsWith(`/${kindName}`))
    if (kind === undefined) continue
    const key = nameKey(kind, namespace, name)
    const known = names.get(key)?.reservations ?? []
    const one: Reservation = { uid, base: UNKNOWN_BASE, cost: Quantity.fromJson(usage), id, isShared: true }
    names.set(key, { kind, namespace, name, contained: Quantity.zero, reservations: [...known, one] })
  }
  return fold({ ...EMPTY_LEDGER, names, settling }, views)
}

/** The parts of a ledger's status that are for people. */
export interface LedgerReaders {
  /** The quota in one word, as ids of reservations have it. */
  readonly quotaKey: string
  /** The time now and the time when reservations of now are expected to be over, as RFC 3339. Nothing is decided by them. */
  readonly now: string
  readonly expiresAt: string
}

/** More reservations are not listed one by one: the API server validates each field of each, which makes a write of the ledger dearer. */
const MOST_LISTED = 1

/** The status that holds a state. Fields of the old status that allot does not use stay as they are. */
export function ledgerStatus(
  state: LedgerState,
  old: LedgerStatus | undefined,
  { quotaKey, now, expiresAt }: LedgerReaders,
): LedgerStatus {
  const known = new Map(old?.reservations?.map((one) => [one.id, one]))
  return {
    ...old,
    ...amountsOf(state),
    reservations: listed(state).map(([name, { uid, base, cost, id: own }]): LedgerReservation => {
      // A reservation of Capsule has it already.
      const id = base === UNKNOWN_BASE ? own : `${own}/${quotaKey}`
      const [group = '', version = '', kind = ''] = name.kind.split('/')
      const delta = cost.sub(name.contained)
      const place = name.namespace === '' ? {} : { namespace: name.namespace }
      return (
        known.get(id) ?? {
          id,
          usage: cost.toString(),
          delta: (delta.sign() < 0 ? Quantity.zero : delta).toString(),
          objectRef: {
            apiGroup: group,
            apiVersion: version === '' ? '*' : version,
            kind,
            ...place,
            name: name.name,
            uid,
          },
          createdAt: now,
          updatedAt: now,
          expiresAt,
        }
      )
    }),
    outstanding: ledgerText(state),
  }
}

/** Reports whether a status shows the amounts of a state. Another client may have written the status. */
export function showsAmounts(status: LedgerStatus | undefined, state: LedgerState): boolean {
  const { reserved, allocated } = amountsOf(state)
  return status?.reserved === reserved && status.allocated === allocated
}

function amountsOf(state: LedgerState): { readonly reserved: string; readonly allocated: string } {
  const total = totalOf(state)
  return {
    reserved: reservedOf(state).toString(),
    allocated: (total.sign() < 0 ? Quantity.zero : total).toString(),
  }
}

/** The first reservations, as many as people are shown. */
function listed({ names }: LedgerState): readonly (readonly [OutstandingName, Reservation])[] {
  const first: (readonly [OutstandingName, Reservation])[] = []
  for (const name of names.values())
    for (const reservation of name.reservations) {
      if (first.length === MOST_LISTED) return first
      first.push([name, reservation])
    }
  return first
}
