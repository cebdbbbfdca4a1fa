import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { LimitRow } from '../top/limit-row.ts'
import type { LimitReading } from './limit-reading.ts'
import type { UsageHistory } from './usage-history.ts'

type Named = Pick<LimitRow, 'kind' | 'namespace' | 'name'>

const keyOf = ({ kind, namespace, name }: Named): string => JSON.stringify([kind, namespace, name])

/** The objects that rows are about, by which a history knows limits. */
export class RowObjects {
  readonly #uids: ReadonlyMap<string, string>

  constructor(objects: Iterable<Pick<KubeObject, 'kind' | 'metadata'>>) {
    this.#uids = new Map(
      [...objects].map(({ kind, metadata: { namespace = '', name = '', uid = '' } }) => [
        keyOf({ kind, namespace, name }),
        uid,
      ]),
    )
  }

  /** The rows that have been counted, as a history notes them. */
  *readings(rows: Iterable<LimitRow>): Generator<LimitReading> {
    for (const row of rows) {
      const { kind, namespace, name, resource, used, hard } = row
      if (used === undefined) continue
      const amounts = { used: Quantity.parse(used), hard: Quantity.parse(hard) }
      yield { kind, namespace, name, uid: this.#uidOf(row), resource, ...amounts }
    }
  }

  /** A row with the time until its limit is used up, where the history tells of one. */
  estimated(row: LimitRow, history: Pick<UsageHistory, 'of'>): LimitRow {
    const limits = history.of(this.#uidOf(row))
    const seconds = limits.find(({ resource }) => resource === row.resource)?.exhaustedInSeconds
    return seconds === undefined ? row : { ...row, exhaustedInSeconds: seconds }
  }

  #uidOf(row: Named): string {
    return this.#uids.get(keyOf(row)) ?? ''
  }
}
