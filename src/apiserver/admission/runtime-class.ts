import type { Pod, PodSpec } from '../../builtin/core-v1.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import { semanticallyEqual } from '../../kinds/rule/equality.ts'
import { absent, isEmptyMap, objectOf, objectsOf, specOf, textEntries, textOf } from '../../machinery/read.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionPlugin } from './chain.ts'
import { mergedTolerations } from './merged-tolerations.ts'

const PODS = { group: '', resource: 'pods' }

/**
 * Upstream's RuntimeClass plugin: a new pod gets the overhead of its runtime class, which quotas charge as well, and is kept
 * to the nodes of the class. A pod that contradicts the class is refused.
 */
export function runtimeClass(store: StoredObjects): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate: ({ resource, operation, subresource, name, object }) => {
      if (resource.bucket !== 'pods' || operation !== 'CREATE' || subresource !== '') return object
      const asked = textOf(specOf<Pod>(object)['runtimeClassName'])
      const found = asked === '' ? undefined : store.latest('runtimeclasses.node.k8s.io', asked)?.object
      const refuse = (why: string): never => {
        throw forbidden(PODS, name, why)
      }
      if (found === undefined && asked !== '') return refuse(`pod rejected: RuntimeClass "${asked}" not found`)
      const spec = withOverhead(specOf<Pod>(object), objectOf(found?.['overhead'])['podFixed'], refuse)
      const scheduling = found?.['scheduling']
      const scheduled = isObject(scheduling) ? withScheduling(spec, scheduling, refuse) : spec
      return scheduled === specOf<Pod>(object) ? object : { ...object, spec: scheduled }
    },
  }
}

type Refuse = (why: string) => never

function withOverhead(spec: PodSpec, overhead: unknown, refuse: Refuse): JsonObject {
  const given = spec['overhead']
  if (absent(overhead)) {
    if (isEmptyMap(given)) return spec
    return refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  }
  if (!isEmptyMap(given) && !semanticallyEqual({ overhead: given }, { overhead }))
    return refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
  return { ...spec, overhead }
}

/** The class's nodes, and what its pods tolerate there, beside what the pod says itself. */
function withScheduling(spec: JsonObject, { nodeSelector, tolerations }: JsonObject, refuse: Refuse): JsonObject {
  const own = objectOf(spec['nodeSelector'])
  for (const [key, value] of textEntries(nodeSelector))
    if (Object.hasOwn(own, key) && own[key] !== value)
      return refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${textOf(own[key])}`,
      )
  const merged = mergedTolerations(objectsOf(spec['tolerations']), objectsOf(tolerations))
  return {
    ...spec,
    ...(isEmptyMap(nodeSelector) ? {} : { nodeSelector: { ...own, ...objectOf(nodeSelector) } }),
    ...(merged.length === 0 ? {} : { tolerations: merged }),
  }
}
