import type { LimitRange, LimitRangeItem, Pod, PodSpec } from '../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf } from '../../machinery/read.ts'
import { forbidden } from '../../machinery/status.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'
const MOST_DEFAULTS = 200_000
const CONTAINER_LISTS = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
] as const

const defaultsOf = (range: LimitRange): readonly LimitRangeItem[] =>
  objectsOf(specOf(range).limits).filter(({ type }) => type === 'Container')

/**
 * Returns a new pod as upstream's LimitRanger fills it in: containers without a value get the default of the LimitRanges, one after the other. Throws 403
 * for a pod that would have more defaults than any object may hold: to make it first would take all memory.
 */
export function withLimitDefaults(pod: KubeObject, ranges: readonly KubeObject[]): KubeObject {
  const spec = specOf<Pod>(pod)
  const containers = CONTAINER_LISTS.reduce((sum, [list]) => sum + objectsOf(spec[list]).length, 0)
  const defaults = ranges
    .flatMap(defaultsOf)
    .reduce((sum, limit) => sum + sizeOf(limit.default) + sizeOf(limit.defaultRequest), 0)
  if (defaults * containers > MOST_DEFAULTS)
    throw forbidden(
      { group: '', resource: 'pods' },
      pod.metadata.name ?? '',
      `the LimitRanges of the namespace have ${defaults} defaults, which are too many for ${containers} containers`,
    )
  return ranges.reduce(withDefaults, pod)
}

const sizeOf = (map: unknown): number => Object.keys(objectOf(map)).length

/** A pod whose containers have the defaults of one LimitRange where they say nothing, and an annotation that lists them. */
function withDefaults(pod: KubeObject, range: LimitRange): KubeObject {
  const defaults = defaultsOf(range)
  const requests = Object.assign({}, ...defaults.map((limit) => objectOf(limit.defaultRequest))) as JsonObject
  const limits = Object.assign({}, ...defaults.map((limit) => objectOf(limit.default))) as JsonObject
  const changes: string[] = []
  let spec: JsonObject & PodSpec = objectOf(pod['spec'])
  for (const [list, title] of CONTAINER_LISTS.toReversed()) {
    if (spec[list] === undefined) continue
    const containers = objectsOf(spec[list]).map((container) => {
      const resources = objectOf(container.resources)
      const missing = (side: 'requests' | 'limits', wanted: JsonObject): readonly string[] =>
        Object.keys(wanted)
          .filter((name) => objectOf(resources[side])[name] === undefined)
          .toSorted()
      const missingRequests = missing('requests', requests)
      const missingLimits = missing('limits', limits)
      const name = String(container.name)
      if (missingRequests.length > 0) changes.push(`${missingRequests.join(', ')} request for ${title} ${name}`)
      if (missingLimits.length > 0) changes.push(`${missingLimits.join(', ')} limit for ${title} ${name}`)
      if (missingRequests.length + missingLimits.length === 0) return container
      const filled = {
        ...resources,
        ...(missingLimits.length === 0 ? {} : { limits: { ...limits, ...objectOf(resources.limits) } }),
        ...(missingRequests.length === 0 ? {} : { requests: { ...requests, ...objectOf(resources.requests) } }),
      }
      return { ...container, resources: filled }
    })
    spec = { ...spec, [list]: containers }
  }
  if (changes.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${changes.join('; ')}` }
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec }
}
