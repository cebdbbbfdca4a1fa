import { KEPT_SCALE, type LimitHistory } from '../../insight/history/usage-history.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { compareText } from '../../machinery/text/compare.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { readQuotas } from '../../reading/read-quotas.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'
import type { RecordedUsage } from './recorded-usage.ts'

/** The most samples of an answer: some megabytes. */
const MOST_SAMPLES = 50_000
/** So many limits at a time, so that a long answer does not keep others waiting. */
const AT_A_TIME = 100

/** What was used of the quotas of a namespace in the last hours; of all quotas and pools without one. What will be used up first comes first. */
export const history: Responder = async ({ viewer, fairLists, parameters, usage, turn, signal }) => {
  const namespace = parameters.namespace()
  const visible = new VisibleObjects(fairLists, await viewer.kinds(), signal)
  const [{ resourceQuotas, customQuotas, karmadaQuotas }, pools] = await Promise.all([
    readQuotas(visible, namespace),
    namespace === '' ? visible.list(resourcePool.group, resourcePool.resource) : [],
  ])
  const objects: readonly KubeObject[] = [...resourceQuotas, ...customQuotas, ...karmadaQuotas, ...pools]
  const limits = objects.flatMap((object) => recordedOf(object, usage))
  const shown = new Map<LimitHistory, object>()
  let samples = 0
  for (const limit of inTurns(limits)) {
    const row = rowOf(limit, usage)
    samples += row.samples.length
    if (samples > MOST_SAMPLES) break
    shown.set(limit, row)
    if (shown.size % AT_A_TIME === 0) await turn()
  }
  const rows = [...shown.keys()].toSorted(bySoonest).map((limit) => shown.get(limit))
  const isWhole = rows.length === limits.length
  return { code: 200, value: { format: 1, since: usage.since, rows, isWhole, notSeen: inOrder(visible.notSeen) } }
}

/** What was recorded of the very object that the viewer has been given. */
function recordedOf({ kind, metadata }: KubeObject, usage: RecordedUsage): readonly LimitHistory[] {
  const { uid = '', namespace = '', name = '' } = metadata
  return usage.of(uid).filter((limit) => limit.kind === kind && limit.namespace === namespace && limit.name === name)
}

function rowOf(limit: LimitHistory, usage: RecordedUsage) {
  const { kind, namespace, name, resource, format, exhaustedInSeconds } = limit
  const amount = (billionths: bigint): string => Quantity.ofScaled(billionths, KEPT_SCALE, format).canonical()
  return {
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    resource,
    samples: limit
      .points()
      .map(({ at, used, hard }) => ({ at: usage.timeOf(at), used: amount(used), hard: amount(hard) })),
    ...(exhaustedInSeconds === undefined ? {} : { exhaustedInSeconds }),
  }
}

/** The first limit of each namespace, then the second ones, and so on: no namespace takes the places of others, however many limits it has. */
function inTurns(limits: readonly LimitHistory[]): readonly LimitHistory[] {
  const byNamespace = Map.groupBy(limits.toSorted(bySoonest), ({ namespace }) => namespace)
  const places = [...byNamespace.values()].flatMap((all) => all.map((limit, place) => ({ limit, place })))
  return places.toSorted((a, b) => a.place - b.place || bySoonest(a.limit, b.limit)).map(({ limit }) => limit)
}

/** What will be used up first, then by the share that is used. A limit of 0 that nothing uses comes last: it mostly forbids on purpose. */
function bySoonest(a: LimitHistory, b: LimitHistory): number {
  const closed = Number(isClosed(a)) - Number(isClosed(b))
  if (closed !== 0) return closed
  const [first, second] = [a.exhaustedInSeconds ?? Infinity, b.exhaustedInSeconds ?? Infinity]
  if (first !== second) return first - second
  return isClosed(a) ? compareText(keyOf(a), keyOf(b)) : byShare(a, b) || compareText(keyOf(a), keyOf(b))
}

function byShare({ latest: a }: LimitHistory, { latest: b }: LimitHistory): number {
  const difference = b.used * a.hard - a.used * b.hard
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

const isClosed = ({ latest: { used, hard } }: LimitHistory): boolean => hard <= 0n && used <= hard

const keyOf = ({ namespace, kind, name, resource }: LimitHistory): string => [namespace, kind, name, resource].join('/')
