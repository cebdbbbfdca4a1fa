import { withLimitDefaults } from '../../charges/limit-range/limit-defaults.ts'
import { podDefaults } from '../../kinds/core/pod/defaults.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import { podTemplateOf } from '../../kinds/apps/pod-template.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { objectOf, objectsOf, specOf, textOf, valueAt } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { CostSource } from './explanation.ts'
import { withClasses } from './cluster-classes.ts'
import { family, livePods } from './demand.ts'
import type { Demand } from './demanded.ts'
import type { Facts } from './facts.ts'
import type { PastRefusal } from './past-refusal.ts'

/** A pod as admission would see it, with where its parts come from. */
export interface NextPod {
  readonly pod: KubeObject
  /** Why admission refuses it, whatever the quotas say. */
  readonly rejection: string | undefined
  /** The containers that the template does not have. */
  readonly injected: ReadonlySet<string>
  /** What a refusal says that containers lack of which nothing else is known, such as `requests.cpu`. */
  readonly lacking: ReadonlyMap<string, ReadonlySet<string>>
  readonly sourceOf: (container: string, side: Side, resource: string) => CostSource['from']
}

const SIDES = ['requests', 'limits'] as const
export type Side = (typeof SIDES)[number]
const LISTS = ['initContainers', 'containers'] as const

/**
 * Fills in the next pod of a workload as the API server would. It gets the containers that webhooks have injected into
 * its siblings, or that the last refusal names. Then requests follow from limits, LimitRanges give their defaults, and
 * the pod's classes give theirs.
 */
export function nextPod({ next, resource: of, maker, refusal }: Demand, facts: Facts): NextPod {
  const { added, lacking } = maker === undefined ? NOTHING_ADDED : injectedLike(next, maker, refusal, facts)
  const whole = withContainers(next, added)
  const defaulted = podDefaults(whole)
  const { object: pod, rejection } = withClasses(withLimitDefaults(defaulted, facts.limitRanges), of, facts)
  const injected = new Set(LISTS.flatMap((list) => (added[list] ?? []).map(({ name }) => textOf(name))))
  return {
    pod,
    rejection,
    injected,
    lacking,
    sourceOf: (container, side, resource) => {
      if (injected.has(container)) return 'injected'
      const amount = amountKey(container, side, resource)
      if (amountsSaid(next).has(amount)) return 'spec'
      return amountsSaid(defaulted).has(amount) ? 'limits' : 'LimitRange'
    },
  }
}

const amountKey = (container: string, side: string, resource: string): string => [side, container, resource].join('\n')

/** The amounts that the containers of a pod say: a pod may have thousands, each of which is asked for. */
const amountsSaid = oncePerObject(
  (pod: Pod): ReadonlySet<string> =>
    new Set(
      containersOf(pod).flatMap((one) =>
        SIDES.flatMap((side) =>
          Object.keys(objectOf(valueAt(one, 'resources', side))).map((resource) =>
            amountKey(textOf(one['name']), side, resource),
          ),
        ),
      ),
    ),
)

/** All containers of a pod, those that start it first. */
export const containersOf = (pod: Pod): readonly JsonObject[] => LISTS.flatMap((list) => objectsOf(specOf(pod)[list]))

/** The amounts of a resource that containers give on one side. Throws QuantityError for one that is none. */
export const amountsIn = (
  containers: readonly JsonObject[],
  side: Side,
  resource: string,
): readonly { readonly container: string; readonly amount: Quantity }[] =>
  containers.flatMap((one) => {
    const value = valueAt(one, 'resources', side, resource)
    return value === undefined ? [] : [{ container: textOf(one['name']), amount: Quantity.fromJson(value) }]
  })

/** The side of a container that a limit of this name counts, and the resource. */
export function sideOf(name: string): { readonly side: Side; readonly resource: string } {
  const [, prefix, rest] = /^(requests|limits)\.(.*)$/.exec(name) ?? []
  return prefix === 'limits' ? { side: 'limits', resource: rest ?? '' } : { side: 'requests', resource: rest ?? name }
}

/**
 * Does a container of a pod lack a value? Of one that only a refusal names nothing is known but what the refusal says: `unknown` stands for all else.
 */
export function lacks(
  { lacking }: Pick<NextPod, 'lacking'>,
  container: JsonObject,
  side: Side,
  resource: string,
): boolean | 'unknown' {
  if (valueAt(container, 'resources', side, resource) !== undefined) return false
  const told = lacking.get(textOf(container['name']))
  return told === undefined || told.has(valueKey({ side, resource })) || 'unknown'
}

const valueKey = ({ side, resource }: ReturnType<typeof sideOf>): string => `${side}.${resource}`

type Added = { readonly [list in (typeof LISTS)[number]]?: readonly JsonObject[] }

interface Injected {
  readonly added: Added
  readonly lacking: NextPod['lacking']
}
const NOTHING_ADDED: Injected = { added: {}, lacking: new Map() }

function injectedLike(next: KubeObject, maker: KubeObject, refusal: PastRefusal | undefined, facts: Facts): Injected {
  const known = new Set(containersOf(next).map(({ name }) => textOf(name)))
  const siblings = family(maker, facts)
    .flatMap((one) => livePods(one, facts).map((pod) => ({ pod, maker: one })))
    .toSorted((a, b) => (textOf(a.pod.metadata.creationTimestamp) < textOf(b.pod.metadata.creationTimestamp) ? 1 : -1))
  const [newest] = siblings
  const seen = newest === undefined ? {} : injectedInto(newest.pod, newest.maker, known)
  return refusal === undefined ? { ...NOTHING_ADDED, added: seen } : withNamed(seen, refusal, next)
}

/** The containers of a pod that are neither in the template that it was made from, nor among the known ones. */
export function injectedInto(pod: Pod, maker: KubeObject, known: ReadonlySet<string> = new Set()): Added {
  const spec = objectOf(podTemplateOf(maker).spec)
  const templated = new Set(LISTS.flatMap((list) => objectsOf(spec[list]).map(({ name }) => textOf(name))))
  const found = LISTS.map((list) => {
    const foreign = objectsOf(specOf(pod)[list]).filter(
      ({ name }) => !templated.has(textOf(name)) && !known.has(textOf(name)),
    )
    return [list, foreign] as const
  })
  return Object.fromEntries(found)
}

/**
 * A refusal for missing values names containers, which may be in no pod that was ever made. One without names tells of such a container if all known
 * ones say the value.
 */
function withNamed(seen: Added, { missing }: PastRefusal, next: KubeObject): Injected {
  const there = containersOf(podDefaults(withContainers(next, seen)))
  const names = new Set(there.map(({ name }) => textOf(name)))
  const isSaid = (name: string): boolean => {
    const { side, resource } = sideOf(name)
    return there.every((one) => valueAt(one, 'resources', side, resource) !== undefined)
  }
  const foreign = Map.groupBy(
    missing.filter(({ container, resource }) => (container === '' ? isSaid(resource) : !names.has(container))),
    ({ container }) => container,
  )
  const named = [...foreign.keys()].map((name) => ({ name }))
  return {
    added: { ...seen, containers: [...(seen.containers ?? []), ...named] },
    lacking: new Map(
      [...foreign].map(([name, all]) => [name, new Set(all.map(({ resource }) => valueKey(sideOf(resource))))]),
    ),
  }
}

function withContainers(pod: KubeObject, added: Added): KubeObject {
  const spec = specOf<Pod>(pod)
  const lists = LISTS.flatMap((list) => {
    const more = added[list] ?? []
    return more.length === 0 ? [] : [[list, [...objectsOf(spec[list]), ...more]] as const]
  })
  return { ...pod, spec: { ...spec, ...Object.fromEntries(lists) } }
}
