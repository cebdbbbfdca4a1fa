import { podLimits, podRequests } from '../../charges/evaluators/pod-resources.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { objectOf, objectsOf } from '../../machinery/read.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { Review } from '../storing/review.ts'
import { inOrder, type LimitAmounts, limitViolations, MOST_VIOLATIONS } from './limit-violations.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'
const MOST_DEFAULTS = 200_000
const CONTAINER_LISTS = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
] as const

/**
 * Upstream's LimitRanger: gives containers of new pods the defaults of the namespace's LimitRanges, then holds pods,
 * containers and claims to their minima, maxima and ratios. All violations are reported at once.
 */
export function limitRanger(store: StoredObjects): AdmissionPlugin {
  const rangesOf = (namespace: string): readonly KubeObject[] =>
    [...store.latestIn('limitranges', namespace)].map(({ object }) => object)
  return {
    name: 'LimitRanger',
    mutate: ({ resource, operation, subresource, namespace, object }) =>
      resource.bucket === 'pods' && operation === 'CREATE' && subresource === ''
        ? withAllDefaults(object, rangesOf(namespace))
        : object,
    validate: (review) => {
      if (!isLimited(review) || review.object === undefined) return
      const { object } = review
      const violations: string[] = []
      for (const range of rangesOf(review.namespace))
        for (const violation of violationsOf(range, review.resource.bucket, object)) {
          violations.push(violation)
          if (violations.length >= MOST_VIOLATIONS) break
        }
      if (violations.length === 0) return
      throw forbidden(
        review.resource.id,
        review.name,
        violations.length === 1
          ? (violations[0] ?? '')
          : `[${violations.join(', ')}${violations.length < MOST_VIOLATIONS ? '' : ', and perhaps more'}]`,
      )
    },
  }
}

/** Pods are held to limits when created or resized, claims whenever they are written. */
function isLimited({ resource, operation, subresource }: Review): boolean {
  if (operation === 'DELETE') return false
  if (resource.bucket === 'persistentvolumeclaims') return subresource === ''
  return resource.bucket === 'pods' && (operation === 'CREATE' ? subresource === '' : subresource === 'resize')
}

const section = (object: JsonObject, name: string): JsonObject => objectOf(object[name])

const amounts = (list: JsonObject): LimitAmounts =>
  new Map(Object.entries(list).map(([name, value]) => [name, Quantity.fromJson(value)]))

/** Made one after the other, as nobody wants to know all of them: every one but the last costs what the object itself holds. */
function* violationsOf(range: KubeObject, bucket: string, object: KubeObject): Iterable<string> {
  const spec = section(object, 'spec')
  for (const limit of objectsOf(section(range, 'spec')['limits'])) {
    const bounds = {
      min: inOrder(amounts(section(limit, 'min'))),
      max: inOrder(amounts(section(limit, 'max'))),
      ratio: inOrder(amounts(section(limit, 'maxLimitRequestRatio'))),
    }
    const type = String(limit['type'])
    if (bucket === 'persistentvolumeclaims') {
      if (type !== 'PersistentVolumeClaim') continue
      const requests = amounts(section(section(spec, 'resources'), 'requests'))
      yield* limitViolations({ ...bounds, ratio: new Map() }, type, requests, undefined)
    } else if (type === 'Pod') yield* limitViolations(bounds, type, podRequests(object), podLimits(object))
    else if (type === 'Container')
      for (const list of ['containers', 'initContainers'])
        for (const container of objectsOf(spec[list])) {
          const resources = section(container, 'resources')
          const requests = amounts(section(resources, 'requests'))
          yield* limitViolations(bounds, type, requests, amounts(section(resources, 'limits')))
        }
  }
}

/** Throws 403 for what would have more defaults than any object may hold: to make it first would take all memory. */
function withAllDefaults(pod: KubeObject, ranges: readonly KubeObject[]): KubeObject {
  const spec = section(pod, 'spec')
  const containers = CONTAINER_LISTS.reduce((sum, [list]) => sum + objectsOf(spec[list]).length, 0)
  const defaults = ranges
    .flatMap((range) => objectsOf(section(range, 'spec')['limits']))
    .filter((limit) => limit['type'] === 'Container')
    .reduce((sum, limit) => sum + sizeOf(section(limit, 'default')) + sizeOf(section(limit, 'defaultRequest')), 0)
  if (defaults * containers > MOST_DEFAULTS)
    throw forbidden(
      { group: '', resource: 'pods' },
      pod.metadata.name ?? '',
      `the LimitRanges of the namespace have ${defaults} defaults, which are too many for ${containers} containers`,
    )
  return ranges.reduce(withDefaults, pod)
}

const sizeOf = (map: JsonObject): number => Object.keys(map).length

/** A pod whose containers have the defaults of one LimitRange where they say nothing, and an annotation that lists them. */
function withDefaults(pod: KubeObject, range: KubeObject): KubeObject {
  const defaults = objectsOf(section(range, 'spec')['limits']).filter((limit) => limit['type'] === 'Container')
  const requests = Object.assign({}, ...defaults.map((limit) => section(limit, 'defaultRequest'))) as JsonObject
  const limits = Object.assign({}, ...defaults.map((limit) => section(limit, 'default'))) as JsonObject
  const changes: string[] = []
  let spec = section(pod, 'spec')
  for (const [list, title] of CONTAINER_LISTS.toReversed()) {
    if (spec[list] === undefined) continue
    const containers = objectsOf(spec[list]).map((container) => {
      const resources = section(container, 'resources')
      const missing = (side: string, wanted: JsonObject): readonly string[] =>
        Object.keys(wanted)
          .filter((name) => section(resources, side)[name] === undefined)
          .toSorted()
      const missingRequests = missing('requests', requests)
      const missingLimits = missing('limits', limits)
      const name = String(container['name'])
      if (missingRequests.length > 0) changes.push(`${missingRequests.join(', ')} request for ${title} ${name}`)
      if (missingLimits.length > 0) changes.push(`${missingLimits.join(', ')} limit for ${title} ${name}`)
      if (missingRequests.length + missingLimits.length === 0) return container
      const filled = {
        ...resources,
        ...(missingLimits.length === 0 ? {} : { limits: { ...limits, ...section(resources, 'limits') } }),
        ...(missingRequests.length === 0 ? {} : { requests: { ...requests, ...section(resources, 'requests') } }),
      }
      return { ...container, resources: filled }
    })
    spec = { ...spec, [list]: containers }
  }
  if (changes.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${changes.join('; ')}` }
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec }
}
