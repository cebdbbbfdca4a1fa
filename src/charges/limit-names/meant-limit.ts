import { isStandardQuotaName, SCOPE_NAMES } from '../../kinds/resource-quota/resource-names.ts'
import { qualified, type GroupResource } from '../../machinery/status.ts'
import { countedResource, countName } from '../evaluators/object-count.ts'
import { editDistance, nearestWord } from './edit-distance.ts'
import type { OfferedResource, OfferedResources } from './offered-resources.ts'

/** The names to choose from. */
export interface NamesOfLimits {
  readonly offered: OfferedResources
  /** Names of which each evaluator says that it counts them; `*` stands for the name of a class. */
  readonly patterns: readonly string[]
  /** May objects be charged under this name? */
  readonly isCharged: (name: string) => boolean
}

const COUNT = 'count'
const REQUESTS = 'requests'
const LIMITS = 'limits'
const ANY = '*'

/**
 * Returns the limit that was probably meant by a name under which nothing is charged. It knows usual names of
 * resources, and names that differ by one or two characters. Returns undefined if no charged name is similar.
 */
export function meantLimit(name: string, names: NamesOfLimits): string | undefined {
  for (const candidate of candidates(name, names))
    if (candidate !== name && names.isCharged(candidate)) return candidate
  return undefined
}

/**
 * Reports whether a `count/…` name holds what people call a resource, instead of its plural. No other resource can ever
 * have that name.
 */
export function namesOfferedKind(name: string, { offered, isCharged }: NamesOfLimits): boolean {
  const counted = countedResource(name.toLowerCase())
  if (counted === undefined) return false
  if (counted.group !== '' && isCharged(qualified(counted))) return true
  return offered.called(counted.resource).some(({ group }) => group === counted.group)
}

function* candidates(name: string, names: NamesOfLimits): Generator<string> {
  const lower = name.toLowerCase()
  yield lower
  const slash = lower.indexOf('/')
  if (slash === -1) {
    yield* unqualified(lower, names)
    return
  }
  const domain = lower.slice(0, slash)
  const rest = lower.slice(slash + 1)
  if (nearestWord(domain, [COUNT]) !== undefined) {
    // `count/services.loadbalancers`
    yield rest
    yield* counts(rest, names)
    return
  }
  yield* ofClass(domain, rest, names)
  // `apps/deployments`
  yield* countsIn({ group: domain === 'core' ? '' : domain, resource: rest }, names.offered.called(rest), true)
  const dot = name.indexOf('.')
  const first = lower.slice(0, dot)
  if (dot > 0 && nearestWord(first, [REQUESTS, LIMITS]) !== undefined) yield `${REQUESTS}${name.slice(dot)}`
  if (!isOwnDomain(domain)) yield `${REQUESTS}.${name}`
}

/** Is it a domain of Kubernetes itself, where no vendor's devices are? */
const isOwnDomain = (domain: string): boolean => /(?:^|\.)k8s\.io$/.test(domain)

/** Names such as `cpus`, `storage`, `pvc` and `deployments.apps`. */
function* unqualified(name: string, names: NamesOfLimits): Generator<string> {
  const fixed = names.patterns.filter((pattern) => !pattern.includes('/') && !pattern.includes(ANY))
  for (const resource of names.offered.called(name)) {
    yield resource.resource
    yield countName(resource)
  }
  yield* fixed.filter((one) => one.endsWith(`.${name}`))
  const near = nearestWord(name, fixed)
  if (near !== undefined) yield near
  yield* counts(name, names)
}

/** The objects that a name behind `count/` may be meant to count. */
function* counts(name: string, { offered }: NamesOfLimits): Generator<string> {
  const wanted = countedResource(`${COUNT}/${name}`)
  if (wanted === undefined) return
  yield* countsIn(wanted, offered.called(wanted.resource))
  const near = nearestWord(wanted.resource, offered.forms)
  if (near !== undefined) yield* countsIn(wanted, offered.called(near))
}

/** Those of the group first, then those whose group is most like it. */
function countsIn(wanted: GroupResource, called: readonly OfferedResource[], isGroupKnown = false): readonly string[] {
  const ranked = called
    .map((one) => ({ one, rank: rankOf(one.group, wanted.group) }))
    .filter(({ rank }) => !isGroupKnown || rank === 0)
    .toSorted((a, b) => a.rank - b.rank)
  return ranked.map(({ one }) => countName(one))
}

const FAR = 1000

function rankOf(group: string, wanted: string): number {
  if (group === wanted) return 0
  // `deployments.v1.apps`, as kubectl takes it.
  if (wanted.endsWith(`.${group}`) || group.startsWith(`${wanted}.`)) return 1
  return wanted.length > FAR ? FAR : 1 + editDistance(group, wanted)
}

/** Names of a class, such as `<class>.storageclass.storage.k8s.io/requests.io`. */
function* ofClass(domain: string, rest: string, { patterns, offered }: NamesOfLimits): Generator<string> {
  const labels = domain.split('.')
  const classes = patterns.flatMap((pattern) => {
    const [tail = '', suffix] = pattern.split('/')
    return suffix === undefined || suffix === ANY || !tail.startsWith(`${ANY}.`)
      ? []
      : [{ tail: tail.slice(2), suffix }]
  })
  const found = classes.flatMap(({ tail, suffix }) => {
    const [word = ''] = tail.split('.')
    const at = labels.findIndex((label, index) => index > 0 && nearestWord(label, [word]) !== undefined)
    return at === -1 ? [] : [{ name: `${labels.slice(0, at).join('.')}.${tail}/${suffix}`, suffix }]
  })
  const plurals = offered.called(rest).map(({ resource }) => resource)
  yield* found.filter(({ suffix }) => suffix.endsWith(rest) || plurals.includes(suffix)).map(({ name }) => name)
  const nearest = found
    .map(({ name, suffix }) => ({ name, suffix, distance: editDistance(suffix, rest) }))
    .filter(({ suffix, distance }) => distance * 2 <= Math.max(suffix.length, rest.length))
    .toSorted((a, b) => a.distance - b.distance)
  yield* nearest.map(({ name }) => name)
}

/** The scope of a quota that a name such as `high.priorityclass.scheduling.k8s.io/pods` was probably meant to express. */
export function meantScope(name: string): string | undefined {
  const slash = name.indexOf('/')
  if (slash === -1) return undefined
  const labels = name.slice(0, slash).toLowerCase().split('.')
  const rest = name.slice(slash + 1)
  const found = [...SCOPE_NAMES].find(
    ([scope, allowed]) => labels.indexOf(scope.toLowerCase()) > 0 && (allowed.has(rest) || !isStandardQuotaName(rest)),
  )
  return found?.[0]
}
