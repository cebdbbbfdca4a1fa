import type { Pod, PodSpec } from '../../builtin/core-v1.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import { absent, isEmptyMap, objectOf, objectsOf, specOf, textEntries, textOf } from '../../machinery/read.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { mergedTolerations } from './merged-tolerations.ts'

const PODS = { group: '', resource: 'pods' }

/**
 * Gives a new pod the overhead of its runtime class, and keeps it to the nodes of the class, as upstream's RuntimeClass plugin does. `name`: of the pod, for
 * messages. Throws 403 where there is no such class, and where the pod contradicts it.
 */
export function withRuntimeClass(pod: Pod, name: string, find: (name: string) => KubeObject | undefined): KubeObject {
  const asked = textOf(specOf<Pod>(pod)['runtimeClassName'])
  const found = asked === '' ? undefined : find(asked)
  const refuse = (why: string): never => {
    throw forbidden(PODS, name, why)
  }
  if (found === undefined && asked !== '') return refuse(`pod rejected: RuntimeClass "${asked}" not found`)
  const spec = withOverhead(specOf<Pod>(pod), objectOf(found?.['overhead'])['podFixed'], refuse)
  const scheduling = found?.['scheduling']
  const scheduled = isObject(scheduling) ? withScheduling(spec, scheduling, refuse) : spec
  return scheduled === specOf<Pod>(pod) ? pod : { ...pod, spec: scheduled }
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
