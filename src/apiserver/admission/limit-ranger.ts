import { podLimits, podRequests } from '../../charges/pod-resources.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { Store } from '../../store/store.ts'
import { objectOf, objectsOf } from '../kind/read.ts'
import type { AdmissionPlugin, Review } from './chain.ts'
import { limitViolations, type Amounts } from './limit-violations.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'
const CONTAINER_LISTS = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
] as const

/**
 * Upstream's LimitRanger: gives containers of new pods the defaults of the namespace's LimitRanges, then holds pods,
 * containers and claims to their minima, maxima and ratios. All violations are told at once.
 */
export function limitRanger(store: Store): AdmissionPlugin {
  const rangesOf = (namespace: string): readonly KubeObject[] =>
    [...store.latestIn('limitranges', namespace)].map(({ object }) => object)
  return {
    name: 'LimitRanger',
    mutate: ({ resource, operation, subresource, namespace, object }) =>
      resource.bucket === 'pods' && operation === 'CREATE' && subresource === ''
        ? rangesOf(namespace).reduce(withDefaults, object)
        : object,
    validate: (review) => {
      if (!isLimited(review) || review.object === undefined) return
      const { object } = review
      const violations = rangesOf(review.namespace).flatMap((range) =>
        violationsOf(range, review.resource.bucket, object),
      )
      if (violations.length === 0) return
      throw forbidden(
        review.resource.id,
        review.name,
        violations.length === 1 ? (violations[0] ?? '') : `[${violations.join(', ')}]`,
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

const amounts = (list: JsonObject): Amounts =>
  new Map(Object.entries(list).map(([name, value]) => [name, Quantity.fromJson(value)]))

function violationsOf(range: KubeObject, bucket: string, object: KubeObject): readonly string[] {
  const spec = section(object, 'spec')
  return objectsOf(section(range, 'spec')['limits']).flatMap((limit) => {
    const bounds = {
      min: amounts(section(limit, 'min')),
      max: amounts(section(limit, 'max')),
      ratio: amounts(section(limit, 'maxLimitRequestRatio')),
    }
    const type = String(limit['type'])
    if (bucket === 'persistentvolumeclaims') {
      if (type !== 'PersistentVolumeClaim') return []
      const requests = amounts(section(section(spec, 'resources'), 'requests'))
      return limitViolations({ ...bounds, ratio: new Map() }, type, requests, undefined)
    }
    if (type === 'Pod') return limitViolations(bounds, type, podRequests(object), podLimits(object))
    if (type !== 'Container') return []
    return ['containers', 'initContainers'].flatMap((list) =>
      objectsOf(spec[list]).flatMap((container) => {
        const resources = section(container, 'resources')
        return limitViolations(
          bounds,
          type,
          amounts(section(resources, 'requests')),
          amounts(section(resources, 'limits')),
        )
      }),
    )
  })
}

/** A pod whose containers have the defaults of one LimitRange where they say nothing, and an annotation that tells so. */
function withDefaults(pod: KubeObject, range: KubeObject): KubeObject {
  const defaults = objectsOf(section(range, 'spec')['limits']).filter((limit) => limit['type'] === 'Container')
  const requests = Object.assign({}, ...defaults.map((limit) => section(limit, 'defaultRequest'))) as JsonObject
  const limits = Object.assign({}, ...defaults.map((limit) => section(limit, 'default'))) as JsonObject
  const told: string[] = []
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
      if (missingRequests.length > 0) told.push(`${missingRequests.join(', ')} request for ${title} ${name}`)
      if (missingLimits.length > 0) told.push(`${missingLimits.join(', ')} limit for ${title} ${name}`)
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
  if (told.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${told.join('; ')}` }
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec }
}
