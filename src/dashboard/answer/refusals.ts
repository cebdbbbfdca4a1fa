import type { Event } from '../../builtin/core-v1.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { compareText } from '../../machinery/text/compare-text.ts'
import { cutText, inOneLine } from '../../machinery/text/shown-text.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'

/** The reason of the Events that tell of refusals. */
export const REFUSED = 'QuotaExceeded'
/** So many are given, the newest first: of many namespaces the newest of each, then the next. */
const MOST = 500
/** The longest parts of a row. */
const MOST_MESSAGE = 1024
const MOST_NAME = 253
const CLOCKS_DIFFER_MS = 60_000

/** A refusal, by the object that it kept from growing. */
export interface RefusalRow {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly message: string
  /** How often it has happened. */
  readonly count: number
  /** When it happened last, as the API server writes times. */
  readonly last: string
}

/** The refusals of a namespace, or of all, as far as the viewer may read their Events. */
export const refusals: Responder = async ({ viewer, client, parameters, signal, now }) => {
  const visible = new VisibleObjects(client, await viewer.kinds(), signal)
  const rows = await readRefusals(visible, parameters.namespace(), now)
  return { code: 200, value: { format: 1, rows, notSeen: inOrder(visible.notSeen) } }
}

/** The newest refusals of a namespace; of all namespaces where it is empty. `now`: milliseconds since the epoch. Rejects as `KubeClient` does. */
export async function readRefusals(
  visible: VisibleObjects,
  namespace: string,
  now: number,
): Promise<readonly RefusalRow[]> {
  const events = await visible.list('', 'events', { namespace, fieldSelector: `reason=${REFUSED}` })
  return newestOf(events.map((event) => rowOf(event, now)))
}

/** No namespace takes the places of others, however many Events it has. */
export function newestOf(rows: readonly RefusalRow[], most = MOST): readonly RefusalRow[] {
  const newestFirst = (all: readonly RefusalRow[]) => all.toSorted((a, b) => compareText(b.last, a.last))
  const byNamespace = [...Map.groupBy(newestFirst(rows), ({ namespace }) => namespace).values()]
  const chosen: RefusalRow[] = []
  for (let place = 0; chosen.length < most; place++) {
    const next = newestFirst(byNamespace.flatMap((all) => all[place] ?? []))
    if (next.length === 0) break
    chosen.push(...next.slice(0, most - chosen.length))
  }
  return newestFirst(chosen)
}

/** Tenants may write Events, too, of whatever shape. */
export function rowOf(event: Event, now: number): RefusalRow {
  const { lastTimestamp, eventTime, count, message, involvedObject, metadata } = event
  const { kind, name } = objectOf(involvedObject)
  const { namespace, creationTimestamp } = objectOf(metadata)
  return {
    namespace: textOf(namespace),
    kind: shown(kind, MOST_NAME),
    name: shown(name, MOST_NAME),
    message: shown(message, MOST_MESSAGE),
    count: typeof count === 'number' ? count : 1,
    last: [lastTimestamp, eventTime].map(textOf).find((one) => isPast(one, now)) ?? textOf(creationTimestamp),
  }
}

const shown = (text: unknown, most: number): string => inOneLine(cutText(textOf(text), most))

/** A time that has been: whoever writes Events chooses the others. The clock of another machine may be a little ahead. */
const isPast = (time: string, now: number): boolean => Date.parse(time) <= now + CLOCKS_DIFFER_MS
