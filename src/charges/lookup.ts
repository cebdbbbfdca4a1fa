import type { KubeObject } from '../machinery/object.ts'
import { type GroupResource, qualified } from '../machinery/status.ts'

/** Other objects as they are stored at the moment: what a few kinds cost depends on some. */
export interface Lookup {
  /** `namespace` is empty for objects outside namespaces. */
  readonly find: (of: GroupResource, namespace: string, name: string) => KubeObject | undefined
  readonly list: (of: GroupResource, namespace: string) => Iterable<KubeObject>
}

/** A lookup among these objects, each keyed by the resource that `resourceOf` gives it. */
export function lookupAmong(objects: readonly KubeObject[], resourceOf: (object: KubeObject) => GroupResource): Lookup {
  const list: Lookup['list'] = (of, namespace) =>
    objects.filter(
      (object) => qualified(resourceOf(object)) === qualified(of) && (object.metadata.namespace ?? '') === namespace,
    )
  return {
    list,
    find: (of, namespace, name) => [...list(of, namespace)].find(({ metadata }) => metadata.name === name),
  }
}
