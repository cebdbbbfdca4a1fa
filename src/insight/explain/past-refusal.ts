import type { ReplicaSet } from '../../builtin/apps-v1.ts'
import type { Budget } from '../../charges/budget.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, statusOf, textAt, textOf } from '../../machinery/read.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { max, quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
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
  /** The values that a quota demands and a container lacks. */
  readonly missing: readonly { readonly resource: string; readonly container: string }[]
  /** What it says of each quota that had no room. */
  readonly exceeded: readonly { readonly kind: string; readonly quota: string; readonly requested: ResourceList }[]
  /** What the object would have cost, as far as a condition says. An event may be older than the template. */
  readonly requested: ResourceList
}

// Tenants write conditions and Events, too: no pattern reads the same letters again for each place where it may begin.
const DEMANDED = 'must specify '
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
  const missing = demandsIn(message)
    .split('; ')
    .flatMap((demand) => {
      const [resource = '', containers = ''] = demand.split(' for: ')
      const names = containers.split(',').filter((name) => name !== '')
      return names.map((container) => ({ resource, container }))
    })
  const exceeded = [...ofResourceQuotas(message), ...ofCustomQuotas(message)]
  const native = exceeded.filter(({ kind }) => kind === 'ResourceQuota')
  return {
    message,
    isCondition: failed !== undefined,
    isLatest: latest === '' || isByQuota(latest) === isByQuota(message),
    isByQuota: isByQuota(message),
    missing,
    exceeded,
    requested: failed === undefined ? {} : native.map(({ requested }) => requested).reduce(max, {}),
  }
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

/**
 * Would a budget that it names have no room today for what it asked for? Admission counts what nobody can see here, such as defaults of a class. A
 * budget that the caller may not see may be full yet.
 */
export const stands = (
  { exceeded, isCondition }: PastRefusal,
  budgets: readonly { readonly budget: Budget }[],
): boolean =>
  exceeded.some(({ kind, quota, requested }) => {
    const found = budgets.find(({ budget: { ref } }) => ref.kind === kind && ref.name === quota)
    // A condition is of today: a quota that the namespace does not have is of somebody else, such as a ClusterResourceQuota.
    if (found === undefined) return kind !== 'ResourceQuota' || isCondition
    const { hard, used } = found.budget
    return Object.entries(requested).some(([name, amount]) => {
      const limit = quantityOf(hard, name)
      return limit !== undefined && amount.add(quantityOf(used, name) ?? Quantity.zero).cmp(limit) > 0
    })
  })

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
