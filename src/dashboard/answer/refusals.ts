import type { Event } from '../../builtin/core-v1.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { compareText } from '../../machinery/text/compare-text.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'

/** The reason of the Events that tell of refusals. */
export const REFUSED = 'QuotaExceeded'
/** So many are given, the newest first. */
const MOST = 500

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
export const refusals: Responder = async ({ viewer, client, parameters, signal }) => {
  const visible = new VisibleObjects(client, await viewer.kinds(), signal)
  const rows = await readRefusals(visible, parameters.namespace())
  return { code: 200, value: { format: 1, rows, notSeen: inOrder(visible.notSeen) } }
}

/** The newest refusals of a namespace; of all namespaces where it is empty. Rejects as `KubeClient` does. */
export async function readRefusals(visible: VisibleObjects, namespace: string): Promise<readonly RefusalRow[]> {
  const events = await visible.list('', 'events', { namespace, fieldSelector: `reason=${REFUSED}` })
  return events
    .map(rowOf)
    .toSorted((a, b) => compareText(b.last, a.last))
    .slice(0, MOST)
}

/** Tenants may write Events, too, of whatever shape. */
function rowOf(event: Event): RefusalRow {
  const { lastTimestamp, eventTime, count, message, involvedObject, metadata } = event
  const { kind, name } = objectOf(involvedObject)
  const { namespace, creationTimestamp } = objectOf(metadata)
  return {
    namespace: textOf(namespace),
    kind: textOf(kind),
    name: textOf(name),
    message: textOf(message),
    count: typeof count === 'number' ? count : 1,
    last: textOf(lastTimestamp) || textOf(eventTime) || textOf(creationTimestamp),
  }
}
