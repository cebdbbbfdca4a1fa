import { Quantity, QuantityError } from '../../../quantity/quantity.ts'
import {
  EMPTY_LEDGER,
  excessOf,
  type HeldAdvance,
  type LedgerState,
  type Lowering,
  type NamespaceWait,
  nameKey,
  type OutstandingName,
  type Part,
  type Reservation,
} from './ledger-state.ts'

/** The form in which ledgers are written. */
const FORM = '1'
/** No name contains either, JSON writes both as they are, and other texts have them escaped. */
const RECORD = '%'
const FIELD = '/'
/** As long as the number of a kind ever is. */
const MOST_KINDS = 9_999
/**
 * Where advances are written: as names of the replicas in a namespace that no namespace is called like. Versions before
 * advances understand them as reservations.
 */
const ADVANCES = '+'
/** Stands behind the cost of a reservation that several requests share. */
const SHARED = '*'

/** A text that cannot be read as a ledger: one of a later version, or one that was damaged. */
export class LedgerTextError extends Error {
  override readonly name = 'LedgerTextError'
}

/**
 * Writes a ledger into one text of records, some fifty bytes for each reservation. A reader must understand records
 * that begin with a lower case letter. It keeps unknown records that begin with an upper case letter.
 *
 *     1                                                the form
 *     p/generation/selection/revision/observed/kind    a part; kinds are counted from 0
 *     s/text                                           settling
 *     l/namespace/count                                lapses
 *     W/namespace/strikes/rounds                       a namespace that waits after lapses
 *     C/generation/since{/amount/limit}                limits that are being lowered
 *     n/kind's number/namespace                        where the names that follow are
 *     o/name/contained{/uid/base/cost/id}           a name with its reservations
 */
export function ledgerText(state: LedgerState): string {
  const { parts, lapses, waits, settling, lowering, extensions } = state
  const names = [...state.names.values(), ...state.advances.values().map(nameOf)]
  const kinds = [...new Set([...parts.keys(), ...names.map(({ kind }) => kind)])]
  const records = [FORM]
  for (const kind of kinds) {
    const part = parts.get(kind)
    const { generation = '', selection = '', revision = '' } = part ?? {}
    records.push(
      ['p', generation, escaped(selection), escaped(revision), part?.observed.toString() ?? '', escaped(kind)].join(
        FIELD,
      ),
    )
  }
  if (settling !== '') records.push(['s', escaped(settling)].join(FIELD))
  for (const [namespace, count] of lapses) records.push(['l', escaped(namespace), count].join(FIELD))
  for (const [namespace, { strikes, rounds }] of waits)
    records.push(['W', escaped(namespace), strikes, rounds].join(FIELD))
  if (lowering !== undefined) {
    const limits = Object.entries(lowering.limits).flatMap(([name, limit]) => [escaped(name), limit.toString()])
    records.push(['C', lowering.generation, escaped(lowering.since), ...limits].join(FIELD))
  }
  const places = Map.groupBy(names, ({ kind, namespace }) => `${kinds.indexOf(kind)}${FIELD}${escaped(namespace)}`)
  for (const [place, there] of places) {
    records.push(['n', place].join(FIELD))
    for (const name of there) records.push(nameText(name))
  }
  return [...records, ...extensions].join(RECORD)
}

/** An advance in the form of a name with one reservation. */
const nameOf = ({ kind, owner, id, amount }: HeldAdvance): OutstandingName => ({
  kind,
  namespace: ADVANCES,
  name: owner,
  contained: Quantity.zero,
  reservations: [{ uid: id, base: '', cost: amount, id, isShared: false }],
})

function nameText({ name, contained, reservations }: OutstandingName): string {
  return ['o', escaped(name), contained.toString(), ...reservations.flatMap(fieldsOf)].join(FIELD)
}

/** Returns the longest text that a name can add to a ledger: its record, and the record of its place. */
export function reservationsText(name: OutstandingName): string {
  return [['n', MOST_KINDS, escaped(name.namespace)].join(FIELD), nameText(name), ''].join(RECORD)
}

function fieldsOf({ uid, base, cost, id, isShared }: Reservation): readonly string[] {
  return [compactUid(escaped(uid)), escaped(base), isShared ? cost.toString() + SHARED : cost.toString(), escaped(id)]
}

/** Reads what `ledgerText` writes. Throws LedgerTextError. */
export function readLedgerText(text: string): LedgerState {
  const [form, ...records] = text.split(RECORD)
  if (form !== FORM)
    throw new LedgerTextError(
      `status.outstanding has the form ${JSON.stringify(form?.slice(0, 20))}, and this version of allot reads ${FORM}: run the version that wrote it, or a later one`,
    )
  const reading = new Reading()
  for (const record of records) reading.take(record)
  return reading.state
}

class Reading {
  readonly #parts = new Map<string, Part>()
  readonly #names = new Map<string, OutstandingName>()
  readonly #advances = new Map<string, HeldAdvance>()
  readonly #lapses = new Map<string, number>()
  readonly #waits = new Map<string, NamespaceWait>()
  readonly #extensions: string[] = []
  readonly #kinds: string[] = []
  #settling = ''
  #lowering: Lowering | undefined
  #place: { readonly kind: string; readonly namespace: string } | undefined

  get state(): LedgerState {
    return {
      ...EMPTY_LEDGER,
      parts: this.#parts,
      names: this.#names,
      advances: this.#advances,
      lapses: this.#lapses,
      waits: this.#waits,
      settling: this.#settling,
      lowering: this.#lowering,
      extensions: this.#extensions,
    }
  }

  take(record: string): void {
    const [type = '', ...written] = record.split(FIELD)
    const fields = written.map((field) => (field.startsWith('!') ? fullUid(field) : unescaped(field)))
    const reader = this.#readers[type]
    if (reader !== undefined) reader(fields, record)
    else if (/^[A-Z]/.test(record)) this.#extensions.push(record)
    else
      throw new LedgerTextError(
        `status.outstanding holds a record that this version of allot does not know: ${JSON.stringify(record.slice(0, 100))}`,
      )
  }

  readonly #readers: Readonly<Record<string, (fields: readonly string[], record: string) => void>> = {
    p: ([generation = '', selection = '', revision = '', observed = '', key = ''], record) => {
      if (key === '') throw damaged(record)
      this.#kinds.push(key)
      if (generation === '') return
      this.#parts.set(key, {
        generation: count(generation, record),
        selection,
        revision,
        observed: quantity(observed, record),
      })
    },
    s: ([settling = '']) => void (this.#settling = settling),
    l: ([namespace = '', lapses = ''], record) => void this.#lapses.set(namespace, count(lapses, record)),
    W: ([namespace = '', strikes = '', rounds = ''], record) =>
      void this.#waits.set(namespace, { strikes: count(strikes, record), rounds: count(rounds, record) }),
    C: ([generation = '', since = '', ...fields], record) => {
      if (fields.length === 0 || fields.length % 2 !== 0) throw damaged(record)
      const limits = Array.from({ length: fields.length / 2 }, (_, index): readonly [string, Quantity] => [
        fields[2 * index] ?? '',
        quantity(fields[2 * index + 1] ?? '', record),
      ])
      this.#lowering = { generation: count(generation, record), since, limits: Object.fromEntries(limits) }
    },
    n: ([index = '', namespace = ''], record) => {
      const kind = this.#kinds[count(index, record)]
      if (kind === undefined) throw damaged(record)
      this.#place = { kind, namespace }
    },
    o: ([name = '', contained = '', ...fields], record) => {
      if (this.#place === undefined || fields.length === 0 || fields.length % 4 !== 0) throw damaged(record)
      const { kind, namespace } = this.#place
      const reservations: Reservation[] = []
      for (let at = 0; at < fields.length; at += 4) {
        const [uid = '', base = '', cost = '', id = ''] = fields.slice(at, at + 4)
        const isShared = cost.endsWith(SHARED)
        const amount = quantity(isShared ? cost.slice(0, -1) : cost, record)
        reservations.push({ uid, base, cost: amount, id, isShared })
      }
      const known: OutstandingName = { kind, namespace, name, contained: quantity(contained, record), reservations }
      if (namespace !== ADVANCES) this.#names.set(nameKey(kind, namespace, name), known)
      else
        this.#advances.set(name, {
          kind,
          owner: name,
          id: reservations.at(-1)?.id ?? '',
          amount: excessOf(known),
        })
    },
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '~': '~~', [RECORD]: '~p', [FIELD]: '~s', '!': '~e' }
const ESCAPED = new Map(Object.entries(ESCAPES).map(([plain, written]) => [written, plain]))

/** A text without the signs that have a meaning here. */
function escaped(text: string): string {
  return text.replaceAll(/[~%/!]/g, (sign) => ESCAPES[sign] ?? sign)
}

function unescaped(text: string): string {
  return text.includes('~') ? text.replaceAll(/~./g, (written) => ESCAPED.get(written) ?? written) : text
}

function count(text: string, record: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw damaged(record)
  return value
}

function quantity(text: string, record: string): Quantity {
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof QuantityError) throw damaged(record)
    throw error
  }
}

const damaged = (record: string): LedgerTextError =>
  new LedgerTextError(`status.outstanding holds a damaged record: ${JSON.stringify(record.slice(0, 100))}`)

/** A uid as API servers make them. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const COMPACT = /^![0-9A-Za-z_-]{22}$/
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A uid in 23 instead of 36 characters: `!` and the digits of a UUID to the base 64. Any other text stays as it is. */
export function compactUid(uid: string): string {
  if (!UUID.test(uid)) return uid
  // With one digit more there are 33: three of them are two to the base 64.
  const hex = `${uid.replaceAll('-', '')}0`
  let text = '!'
  for (let at = 0; at < hex.length; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3), 16)
    text += DIGITS.charAt(bits >> 6) + DIGITS.charAt(bits & 63)
  }
  return text
}

/** The uid that `compactUid` made shorter. */
export function fullUid(text: string): string {
  if (!COMPACT.test(text)) return text
  let hex = ''
  for (let at = 1; at < text.length; at += 2) {
    const bits = (DIGITS.indexOf(text.charAt(at)) << 6) | DIGITS.indexOf(text.charAt(at + 1))
    hex += bits.toString(16).padStart(3, '0')
  }
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hex) ?? []
  return groups.join('-')
}
