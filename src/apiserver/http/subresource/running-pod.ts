import type { Pod } from '../../../builtin/core-v1.ts'
import { badRequest, failure, notFound } from '../../../machinery/status.ts'
import { objectsOf, specOf, textOf } from '../../../machinery/read.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { keyOf } from '../../storing/outcome.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'

/**
 * Refuses what only a pod that runs could answer: nothing runs here. `container`: the one that is asked for, `''` for the only
 * one; undefined where the pod as a whole is meant. Throws 404 without the pod, 400, and else 503.
 */
export function refuseToRun(
  store: Pick<StoredObjects, 'get'>,
  { resource, namespace, name }: ObjectRequest,
  container: string | undefined,
): never {
  const record = store.get(resource.bucket, keyOf(resource, namespace, name))
  if (record === undefined) throw notFound(resource.id, name)
  if (container !== undefined) checkContainer(record.object, container, name)
  const node = textOf(specOf<Pod>(record.object).nodeName)
  if (node === '') throw badRequest(`pod ${name} does not have a host assigned`)
  throw failure(503, 'ServiceUnavailable', `nothing runs on node ${node}: this server keeps objects only`, {})
}

/** A pod of several containers must be asked for one of them, and for one that it has (registry/core/pod `LogLocation`). */
function checkContainer(pod: Pod, asked: string, name: string): void {
  const spec = specOf(pod)
  const names = (list: 'containers' | 'initContainers' | 'ephemeralContainers'): readonly string[] =>
    objectsOf(spec[list]).map((container) => textOf(container.name))
  const [containers, inits, ephemerals] = [names('containers'), names('initContainers'), names('ephemeralContainers')]
  if (asked !== '') {
    if ([...containers, ...inits, ...ephemerals].includes(asked)) return
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const first = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container']
  if (containers.length === 1 || (first !== undefined && containers.includes(first))) return
  const several = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`
  const choice = `choose one of: [${containers.join(' ')}]${several}`
  throw badRequest(`a container name must be specified for pod ${name}, ${choice}`)
}
