import type { Namespace, Pod } from '../../builtin/core-v1.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { approved } from '../../kinds/certificates/signing-request.ts'
import { nextGeneration, withManagersOf } from '../../kinds/strategy/lifecycle.ts'
import type { Context } from '../../kinds/strategy/strategy.ts'
import { objectsOf, specOf } from '../../machinery/read.ts'

/**
 * The fields that an update of a subresource takes from the sent object, by resource and subresource; all others stay.
 * `status` is the strategies' own affair.
 */
export const subresourceMerges: Readonly<
  Record<string, (sent: KubeObject, old: KubeObject, context: Context) => KubeObject>
> = {
  'namespaces/finalize': (sent, old) => withSpec(sent, old, { finalizers: specOf<Namespace>(sent).finalizers ?? [] }),
  'pods/ephemeralcontainers': (sent, old) => nextGeneration(debuggedPod(sent, old), old),
  'pods/resize': (sent, old) => nextGeneration(resizedPod(sent, old), old),
  'certificatesigningrequests.certificates.k8s.io/approval': approved,
}

function withSpec(sent: KubeObject, old: KubeObject, fields: JsonObject): KubeObject {
  return { ...old, metadata: sent.metadata, spec: { ...specOf<Namespace>(old), ...fields } }
}

/**
 * Returns the pod with these fields of its spec, and with all of its old metadata but the managers (upstream
 * `dropPodUpdates`). Labels, finalizers and owners need the right to write the pod itself.
 */
function withSpecOfPod(sent: KubeObject, old: KubeObject, fields: JsonObject): KubeObject {
  return { ...withManagersOf(old, sent), spec: { ...specOf<Pod>(old), ...fields } }
}

function debuggedPod(sent: KubeObject, old: KubeObject): KubeObject {
  const { ephemeralContainers } = specOf<Pod>(sent)
  const { ephemeralContainers: _former, ...spec } = specOf<Pod>(old)
  return withSpecOfPod(sent, { ...old, spec }, ephemeralContainers === undefined ? {} : { ephemeralContainers })
}

function resizedPod(sent: KubeObject, old: KubeObject): KubeObject {
  const [wanted, current] = [specOf<Pod>(sent), specOf<Pod>(old)]
  return withSpecOfPod(sent, old, {
    containers: resized(wanted['containers'], current['containers']),
    ...(current['initContainers'] === undefined
      ? {}
      : { initContainers: resized(wanted['initContainers'], current['initContainers']) }),
    ...(wanted['resources'] === undefined ? {} : { resources: wanted['resources'] }),
  })
}

/** The containers as they are, with the resources and resize policies that were sent for them. */
function resized(sent: unknown, old: unknown): unknown {
  if (!Array.isArray(old)) return old
  const wanted = new Map(objectsOf(sent).map((container) => [container['name'], container]))
  return old.map((container: unknown) => {
    const update = isObject(container) ? wanted.get(container['name']) : undefined
    if (!isObject(container) || update === undefined) return container
    const { resources, resizePolicy } = update
    return {
      ...container,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    }
  })
}
