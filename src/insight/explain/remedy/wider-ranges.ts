import type { LimitRange, LimitRangeItem, PersistentVolumeClaim } from '../../../builtin/core-v1.ts'
import { podLimits, podRequests } from '../../../charges/evaluators/pod-resources.ts'
import { objectOf, objectsOf, specOf, valueAt } from '../../../machinery/read.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { resourcePool } from '../../../systems/resource-pool/api/resource-pool.ts'
import { FINEST } from '../budget-room.ts'
import type { Priced } from '../costs.ts'
import type { Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import { containersOf } from '../next-pod.ts'
import { plannedKey } from '../planned-limits.ts'
import { originOf } from './more-room.ts'
import type { Amounts } from './range-bounds.ts'
import type { Situation } from './situation.ts'

/** Widens each LimitRange that refuses the object, or the pool that writes the LimitRange. */
export function widerRanges({ causes, demands, facts }: Situation): readonly Remedy[] {
  const refusing = new Set(causes.flatMap(({ type, by }) => (type === 'limit-range' ? [by.name] : [])))
  return facts.limitRanges
    .filter(({ metadata }) => refusing.has(metadata.name ?? ''))
    .flatMap((range) => widerRange(range, demands, facts))
}

interface Widened {
  /** The place in the list of items, and in the item. */
  readonly path: readonly [item: string, bound: string, resource: string]
  readonly type: string
  readonly value: string
}

function widerRange(range: LimitRange, demands: readonly Priced[], { kubectl, planned }: Facts): readonly Remedy[] {
  const changes = objectsOf(specOf(range).limits).map((item, index) => widened(item, String(index), demands))
  // What is not asked for at all no other bound allows.
  if (changes.some((one) => one === undefined)) return []
  const all = changes.flatMap((one) => one ?? [])
  if (all.length === 0) return []
  const { name = '' } = range.metadata
  const said = all
    .map(({ path: [, bound, resource], type, value }) => `${bound} ${resource} per ${type} ${value}`)
    .join(', ')
  const origin = originOf(range)
  const isOfPool = origin?.kind === resourcePool.kind
  const needs = isOfPool
    ? { verb: 'patch', group: resourcePool.group, resource: resourcePool.resource, name: origin.name }
    : { verb: 'patch', group: '', resource: 'limitranges', name }
  if (planned?.has(plannedKey({ kind: 'LimitRange', name })) === true)
    return [{ type: 'limit-range', text: `have LimitRange ${name} changed in its manifest: ${said}`, needs }]
  const title = isOfPool ? `the limitRange of pool ${origin.name}` : `LimitRange ${name}`
  const word = isOfPool ? `resourcepool/${origin.name}` : `limitrange/${name}`
  const root = isOfPool ? '/spec/limitRange/limits' : '/spec/limits'
  const patch = all.map(({ path, value }) => ({
    op: 'replace',
    path: [root, ...path.map(escaped)].join('/'),
    value,
  }))
  return [
    {
      type: 'limit-range',
      text: `have ${title} changed: ${said}`,
      command: `${kubectl} patch ${shellWord(word)} --type=json --patch ${shellWord(JSON.stringify(patch))}`,
      needs,
    },
  ]
}

/** A step of a JSON pointer. */
const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

/** The bounds of an item that allow what is asked; undefined where none do. */
function widened(item: LimitRangeItem, index: string, demands: readonly Priced[]): readonly Widened[] | undefined {
  const asked = demands.filter(({ missing }) => missing > 0).flatMap((one) => askedOf(String(item.type), one))
  const changes: Widened[] = []
  for (const { field, wider } of BOUNDS)
    for (const [resource, value] of Object.entries(objectOf(item[field]))) {
      const bound = Quantity.fromJson(value)
      const wanted = asked.map((one) => wider(one(resource), bound))
      if (wanted.some((one) => one === 'none')) return undefined
      const [first, ...others] = wanted.filter((one) => one !== undefined && one !== 'none')
      if (first === undefined) continue
      const widest = others.reduce((most, one) => (isWider(field, one, most) ? one : most), first)
      changes.push({ path: [index, field, resource], type: String(item.type), value: widest.toString() })
    }
  return changes
}

type Field = 'min' | 'max' | 'maxLimitRequestRatio'
const isWider = (field: Field, one: Quantity, than: Quantity): boolean =>
  field === 'min' ? one.cmp(than) < 0 : one.cmp(than) > 0

type Asking = (resource: string) => Amounts & { readonly isUnlimited?: true }

/** The bound that allows what is asked, where the present one does not: `none` where nothing does. */
const BOUNDS: readonly {
  readonly field: Field
  readonly wider: (asked: ReturnType<Asking>, bound: Quantity) => Quantity | 'none' | undefined
}[] = [
  {
    field: 'min',
    wider: ({ request, limit }, least) => {
      if (request === undefined) return 'none'
      const lower = limit !== undefined && limit.cmp(request) < 0 ? limit : request
      return lower.cmp(least) < 0 ? lower : undefined
    },
  },
  {
    field: 'max',
    wider: ({ request, limit, isUnlimited }, most) => {
      const upper = isUnlimited === true ? request : limit
      if (upper === undefined) return 'none'
      const highest = request !== undefined && request.cmp(upper) > 0 ? request : upper
      return highest.cmp(most) > 0 ? highest : undefined
    },
  },
  {
    field: 'maxLimitRequestRatio',
    wider: ({ request, limit, isUnlimited }, ratio) => {
      if (isUnlimited === true) return undefined
      if (request === undefined || limit === undefined || request.isZero() || limit.isZero()) return 'none'
      const [asks, allowed] = [request.scaledValue(FINEST), limit.scaledValue(FINEST)]
      const thousandths = (allowed * 1000n + asks - 1n) / asks
      const wanted = Quantity.ofScaled(thousandths, -3, 'DecimalSI')
      return allowed * 10n ** 9n > ratio.scaledValue(FINEST) * asks ? wanted : undefined
    },
  },
]

/** What an object asks of each resource, for each of its parts that an item of this type is about. */
function askedOf(type: string, { object, demand: { resource } }: Priced): readonly Asking[] {
  if (resource.group !== '') return []
  if (resource.resource === 'persistentvolumeclaims') {
    const requests = objectOf(objectOf(specOf<PersistentVolumeClaim>(object).resources).requests)
    return type === 'PersistentVolumeClaim'
      ? [(name) => ({ request: read(requests[name]), limit: undefined, isUnlimited: true })]
      : []
  }
  if (resource.resource !== 'pods') return []
  if (type === 'Pod')
    return [(name) => ({ request: podRequests(object).get(name), limit: podLimits(object).get(name) })]
  return type === 'Container'
    ? containersOf(object).map((one): Asking => (name) => ({
        request: read(valueAt(one, 'resources', 'requests', name)),
        limit: read(valueAt(one, 'resources', 'limits', name)),
      }))
    : []
}

const read = (value: unknown): Quantity | undefined => (value === undefined ? undefined : Quantity.fromJson(value))
