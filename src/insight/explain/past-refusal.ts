import type { ReplicaSet } from '../../builtin/apps-v1.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, statusOf, textAt, textOf } from '../../machinery/read.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { max, type ResourceList } from '../../quantity/resource-list.ts'
import { type Facts, madeBy } from './facts.ts'

/** What the API server said when a workload could make no object. */
export interface PastRefusal {
  readonly message: string
  /** Does a condition of the workload say it? An event may be older. */
  readonly isCondition: boolean
  /** Does no later event tell of another reason? A condition keeps its first message. */
  readonly isLatest: boolean
  /** Does it come from quotas or LimitRanges of the namespace, and from nothing else? */
  readonly isByQuota: boolean
  /** The values that a quota demands and a container lacks. API servers before 1.24 do not name the container: it is ''. */
  readonly missing: readonly { readonly resource: string; readonly container: string }[]
  /** The bounds of LimitRanges that it names. */
  readonly bounds: readonly RangeBound[]
  /** What it says of each quota that had no room. */
  readonly exceeded: readonly { readonly kind: string; readonly quota: string; readonly requested: ResourceList }[]
  /** What the object would have cost, as far as a condition says. An event may be older than the template. */
  readonly requested: ResourceList
}

/** What a LimitRange allows at least or at most. */
interface RangeBound {
  readonly field: 'min' | 'max' | 'maxLimitRequestRatio'
  readonly resource: string
  /** The type of the item, such as `Container`. */
  readonly type: string
  readonly amount: Quantity
}

// Tenants write conditions and Events, too: no pattern reads the same letters again for each place where it may begin.
const DEMANDED = 'must specify '
const DEMANDED_NAME = /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/
const EXTREME = /(minimum|maximum) (\S{1,100}) usage per (\w{1,30}) is ([^\s,]{1,100})[,.\s]/g
const RATIO = /(\S{1,100}) max limit to request ratio per (\w{1,30}) is ([^\s,]{1,100}),/g
const REQUESTED = /exceeded quota: ([^,]{1,400}), requested: (\S*), used: /g
/** How allot and Capsule refuse for a custom quota. */
const CUSTOM = /((?:Global)?CustomQuota) "([^"]{1,253})" \(requested=([^,]{1,100}), currentUsed=/g
const LONGEST_AMOUNT = 100
const BY_QUOTA: readonly RegExp[] = [
  /(?:exceeded quota|failed quota|status unknown for quota): /,
  /(?:usage|ratio) per (?:Container|Pod|PersistentVolumeClaim) is /,
  /resource exceeds limit for (?:Global)?CustomQuota /,
]

/**
 * The last refusal of what a workload makes: its condition says it, else its latest event. It is text of Kubernetes, which tells of containers that
 * webhooks put into pods.
 */
export function pastRefusal(maker: KubeObject, facts: Facts): PastRefusal | undefined {
  const failed = objectsOf(statusOf<ReplicaSet>(maker).conditions).find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  )
  const latest = latestFailure(maker, facts)
  const message = failed === undefined ? latest : textOf(failed.message)
  if (message === '') return undefined
  const exceeded = [...ofResourceQuotas(message), ...ofCustomQuotas(message)]
  const native = exceeded.filter(({ kind }) => kind === 'ResourceQuota')
  return {
    message,
    isCondition: failed !== undefined,
    isLatest: latest === '' || isByQuota(latest) === isByQuota(message),
    isByQuota: isByQuota(message),
    missing: demandsIn(message).split('; ').flatMap(missingValues),
    bounds: boundsIn(message),
    exceeded,
    requested: failed === undefined ? {} : native.map(({ requested }) => requested).reduce(max, {}),
  }
}

function missingValues(demand: string): PastRefusal['missing'] {
  const [resources = '', containers] = demand.split(' for: ')
  if (containers === undefined)
    return resources
      .split(',')
      .filter((name) => DEMANDED_NAME.test(name))
      .map((resource) => ({ resource, container: '' }))
  return containers
    .split(',')
    .filter((name) => name !== '')
    .map((container) => ({ resource: resources, container }))
}

/** To the end of the last line. */
function demandsIn(message: string): string {
  const line = message.slice(message.lastIndexOf('\n') + 1)
  const at = line.indexOf(DEMANDED)
  return at === -1 ? '' : line.slice(at + DEMANDED.length)
}

const ofResourceQuotas = (message: string): PastRefusal['exceeded'] =>
  [...message.matchAll(REQUESTED)].map(([, named = '', list = '']) => ({
    // Other budgets than ResourceQuotas are named with their kind and namespace.
    kind: named.includes(' ') ? (named.split(' ')[0] ?? '') : 'ResourceQuota',
    quota: named.split(/[ /]/).at(-1) ?? '',
    requested: Object.fromEntries(
      list
        .split(',')
        .map(amountIn)
        .filter((one) => one !== undefined),
    ),
  }))

const ofCustomQuotas = (message: string): PastRefusal['exceeded'] =>
  [...message.matchAll(CUSTOM)].map(([, kind = '', quota = '', amount = '']) => {
    const [, requested] = amountIn(`${LIMIT}=${amount}`) ?? []
    return { kind, quota, requested: requested === undefined ? {} : { [LIMIT]: requested } }
  })

function boundsIn(message: string): readonly RangeBound[] {
  const extremes = [...message.matchAll(EXTREME)].map(([, which, ...said]) => ({
    field: which === 'minimum' ? ('min' as const) : ('max' as const),
    said,
  }))
  const ratios = [...message.matchAll(RATIO)].map(([, ...said]) => ({ field: 'maxLimitRequestRatio' as const, said }))
  return [...extremes, ...ratios].flatMap(({ field, said: [resource = '', type = '', text = ''] }) => {
    // A sentence may end after it.
    const [, amount] = amountIn(`=${text.replace(/\.$/, '')}`) ?? []
    return amount === undefined ? [] : [{ field, resource, type, amount }]
  })
}

const isByQuota = (message: string): boolean => BY_QUOTA.some((pattern) => pattern.test(message))
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

/** When an Event happened last, as its writer says; '' where it does not. */
export const timeOf = (event: KubeObject): string =>
  [event['lastTimestamp'], event['eventTime'], event.metadata.creationTimestamp]
    .map(textOf)
    .find((one) => one !== '') ?? ''

function amountIn(text: string): readonly [string, Quantity] | undefined {
  const at = text.indexOf('=')
  if (at === -1 || text.length - at > LONGEST_AMOUNT) return undefined
  try {
    return [text.slice(0, at), Quantity.parse(text.slice(at + 1))]
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return undefined
  }
}
