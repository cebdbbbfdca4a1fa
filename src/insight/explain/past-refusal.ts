import type { ReplicaSet } from '../../builtin/apps-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, statusOf, textAt, textOf } from '../../machinery/read.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { add, max, parseResourceList, quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { type Facts, madeBy } from './facts.ts'

/** What the API server said when a workload could make no object. */
export interface PastRefusal {
  readonly message: string
  /** Does it come from the ResourceQuotas or the LimitRanges of the namespace, and from nothing else? */
  readonly isByQuota: boolean
  /** The values that a quota demands and a container lacks. */
  readonly missing: readonly { readonly resource: string; readonly container: string }[]
  /** What it says of each quota that had no room. */
  readonly exceeded: readonly { readonly quota: string; readonly requested: ResourceList }[]
  /** What the object would have cost, as far as a condition says. An event may be older than the template. */
  readonly requested: ResourceList
}

const DEMANDED = /must specify (.*)$/
const REQUESTED = /exceeded quota: ([^,]+), requested: (.*?), used: /g
const BY_QUOTA =
  /(?:exceeded quota|failed quota|status unknown for quota): (?<quota>[^,:]+)|(?:usage|ratio) per (?:Container|Pod|PersistentVolumeClaim) is /g

/**
 * The last refusal of what a workload makes: its condition says it, else its latest event. It is text of Kubernetes, which tells of containers that
 * webhooks put into pods.
 */
export function pastRefusal(maker: KubeObject, facts: Facts): PastRefusal | undefined {
  const failed = objectsOf(statusOf<ReplicaSet>(maker).conditions).find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  )
  const message = failed === undefined ? latestFailure(maker, facts) : textOf(failed.message)
  if (message === '') return undefined
  const [, demands = ''] = DEMANDED.exec(message) ?? []
  const missing = demands.split('; ').flatMap((demand) => {
    const [resource = '', containers = ''] = demand.split(' for: ')
    const names = containers.split(',').filter((name) => name !== '')
    return names.map((container) => ({ resource, container }))
  })
  const exceeded = [...message.matchAll(REQUESTED)].map(([, quota = '', list = '']) => ({
    quota,
    requested: Object.fromEntries(
      list
        .split(',')
        .map(amountIn)
        .filter((one) => one !== undefined),
    ),
  }))
  return {
    message,
    isByQuota: isByQuota(message),
    missing,
    exceeded,
    requested: failed === undefined ? {} : exceeded.map(({ requested }) => requested).reduce(max, {}),
  }
}

/** Would a quota that it names have no room today for what it asked for? Admission counts what nobody can see here, such as defaults of a class. */
export const stands = ({ exceeded }: PastRefusal, { quotas }: Facts): boolean =>
  exceeded.some(({ quota, requested }) => {
    const { hard = {}, used = {} } = quotas.find(({ metadata }) => metadata.name === quota)?.status ?? {}
    const limits = parseResourceList(hard)
    const sums = add(parseResourceList(used), requested)
    return Object.keys(requested).some((name) => {
      const [limit, sum] = [quantityOf(limits, name), quantityOf(sums, name)]
      return limit !== undefined && sum !== undefined && sum.cmp(limit) > 0
    })
  })

/** Other budgets are named with their kind. */
function isByQuota(message: string): boolean {
  const named = [...message.matchAll(BY_QUOTA)]
  return named.length > 0 && named.every(({ groups }) => groups?.['quota']?.includes(' ') !== true)
}

/** An event that is older than a pod of the workload tells of another template. */
function latestFailure(maker: KubeObject, facts: Facts): string {
  const { uid } = maker.metadata
  const pods = madeBy(maker, 'Pod', facts).map(({ metadata }) => textOf(metadata.creationTimestamp))
  const newest = pods.reduce((latest, one) => (one > latest ? one : latest), '')
  const own = facts.failures.filter(
    (event) => uid !== undefined && textAt(event, 'involvedObject', 'uid') === uid && timeOf(event) >= newest,
  )
  const [latest] = own.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
  return textAt(latest, 'message')
}

const timeOf = (event: KubeObject): string =>
  [event['lastTimestamp'], event['eventTime'], event.metadata.creationTimestamp]
    .map(textOf)
    .find((one) => one !== '') ?? ''

function amountIn(text: string): readonly [string, Quantity] | undefined {
  const at = text.indexOf('=')
  if (at === -1) return undefined
  try {
    return [text.slice(0, at), Quantity.parse(text.slice(at + 1))]
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return undefined
  }
}
