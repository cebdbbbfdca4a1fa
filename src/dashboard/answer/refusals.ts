import type { Event } from '../../builtin/core-v1.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { compareText } from '../../machinery/text/compare.ts'
import { cutText, inOneLine } from '../../machinery/text/shown.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'
import type { RefusalRow } from './refusal-row.ts'

/** The reason of the Events that tell of refusals. */
export const REFUSED = 'QuotaExceeded'
/** So many are given: the newest of each namespace, then the next of each. */
const MOST = 500
/** The longest parts of a row. */
const MOST_MESSAGE = 1024
const MOST_NAME = 253
/** The largest count that an Event has. */
const MOST_COUNT = 2 ** 31 - 1
const CLOCKS_DIFFER_MS = 60_000

/** The refusals of a namespace, or of all, as far as the viewer may read their Events. */
export const refusals: Responder = async ({ viewer, fairLists, parameters, signal, now }) => {
  const visible = new VisibleObjects(fairLists, await viewer.kinds(), signal)
  const { rows, isWhole } = await readRefusals(visible, parameters.namespace(), now)
  return { code: 200, value: { format: 1, rows, isWhole, notSeen: inOrder(visible.notSeen) } }
}

interface Refusals {
  readonly rows: readonly RefusalRow[]
  /** Are these all? */
  readonly isWhole: boolean
}

/** The newest refusals of a namespace, or of all namespaces in turns where it is empty. `now`: milliseconds since the epoch. Rejects as `KubeClient` does. */
export async function readRefusals(visible: VisibleObjects, namespace: string, now: number): Promise<Refusals> {
  const events = await visible.list('', 'events', { namespace, fieldSelector: `reason=${REFUSED}` })
  const all = folded(events.map((event) => rowOf(event, now)))
  return { rows: newestOf(all), isWhole: all.length <= MOST }
}

/** One row for each object, however many Events tell of it: each message, of which amounts are part, has one of its own. */
export function folded(rows: readonly RefusalRow[]): readonly RefusalRow[] {
  const byObject = Map.groupBy(rows, ({ namespace, kind, name }) => JSON.stringify([namespace, kind, name]))
  return [...byObject.values()].flatMap((all) => {
    const newest = newestFirst(all)[0]
    if (newest === undefined) return []
    const count = all.reduce((sum, one) => sum + one.count, 0)
    const firstSeen = all.map((one) => one.firstSeen).reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a))
    return [{ ...newest, count, firstSeen }]
  })
}

/** Namespaces take turns, so that no beginning of the list belongs to the one that has most Events. */
export function newestOf(rows: readonly RefusalRow[], most = MOST): readonly RefusalRow[] {
  const byNamespace = [...Map.groupBy(newestFirst(rows), ({ namespace }) => namespace).values()]
  const chosen: RefusalRow[] = []
  for (let place = 0; chosen.length < most; place++) {
    const next = newestFirst(byNamespace.flatMap((all) => all[place] ?? []))
    if (next.length === 0) break
    chosen.push(...next.slice(0, most - chosen.length))
  }
  return chosen
}

function newestFirst(rows: readonly RefusalRow[]): readonly RefusalRow[] {
  return rows.toSorted((a, b) => Date.parse(b.lastSeen) - Date.parse(a.lastSeen) || compareText(a.name, b.name))
}

/** Tenants may write Events, too, of whatever shape. */
export function rowOf(event: Event, now: number): RefusalRow {
  const { firstTimestamp, lastTimestamp, eventTime, count, series, message, involvedObject, metadata } = event
  const { kind, name } = objectOf(involvedObject)
  const { namespace, creationTimestamp } = objectOf(metadata)
  const timeOf = (times: readonly unknown[]): string =>
    notAfter(now, times.map(textOf).find((one) => mayHaveBeen(one, now)) ?? textOf(creationTimestamp))
  const lastSeen = timeOf([lastTimestamp, objectOf(series).lastObservedTime, eventTime])
  const firstSeen = timeOf([firstTimestamp, eventTime])
  return {
    namespace: textOf(namespace),
    kind: shown(kind, MOST_NAME),
    name: shown(name, MOST_NAME),
    message: shown(message, MOST_MESSAGE),
    count: countOf(count ?? objectOf(series).count),
    firstSeen: Date.parse(firstSeen) < Date.parse(lastSeen) ? firstSeen : lastSeen,
    lastSeen,
  }
}

const countOf = (count: unknown): number =>
  typeof count === 'number' && Number.isInteger(count) && count > 0 ? Math.min(count, MOST_COUNT) : 1

const shown = (text: unknown, most: number): string => inOneLine(cutText(textOf(text), most))

/** Whoever writes Events chooses their times. The clock of another machine may be a little ahead. */
const mayHaveBeen = (time: string, now: number): boolean => Date.parse(time) <= now + CLOCKS_DIFFER_MS

const notAfter = (now: number, time: string): string => (Date.parse(time) > now ? new Date(now).toISOString() : time)
