import type { Pod } from '../../builtin/core-v1.ts'
import { withRuntimeClass } from '../../kinds/node/pod-runtime-class.ts'
import { withPriority } from '../../kinds/scheduling/pod-priority.ts'
import { DEFAULT_CLASSES, withDefaultClass } from '../../kinds/storage/default-class.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, textOf } from '../../machinery/read.ts'
import { ApiError, type GroupResource, qualified } from '../../machinery/status.ts'
import type { Facts } from './facts.ts'

const STORAGE = { group: 'storage.k8s.io', resource: 'storageclasses', kind: 'StorageClass' }
const PRIORITY = { group: 'scheduling.k8s.io', resource: 'priorityclasses', kind: 'PriorityClass' }
const RUNTIME = { group: 'node.k8s.io', resource: 'runtimeclasses', kind: 'RuntimeClass' }

/** The classes of a cluster that admission looks up, all served as `v1` since Kubernetes 1.20. Few tenants may list them. */
export const CLUSTER_CLASSES = [STORAGE, PRIORITY, RUNTIME].map((one) => ({ ...one, version: 'v1', namespaced: false }))

const NAMES: ReadonlySet<string> = new Set(CLUSTER_CLASSES.map(qualified))

/** Is this a resource of classes, by the name that `qualified` gives it? Only for some objects it matters that they cannot be read. */
export const isClasses = (resource: string): boolean => NAMES.has(resource)

/** An object with what its classes give it, and why admission refuses it on their account. */
export interface Classed {
  readonly object: KubeObject
  readonly rejection?: string
}

/** Fills in a new object what the plugins of the API server take from classes. Classes that could not be read fill in nothing. */
export function withClasses(object: KubeObject, of: GroupResource, { classes }: Pick<Facts, 'classes'>): Classed {
  if (qualified(of) === 'pods') return classedPod(object, classes)
  const byDefault = DEFAULT_CLASSES.find(({ objects }) => objects === qualified(of))
  const known = byDefault === undefined ? undefined : classes.get(byDefault.classes)
  if (byDefault === undefined || known === undefined) return { object }
  return { object: withDefaultClass(object, byDefault, () => known) }
}

function classedPod(pod: KubeObject, classes: Facts['classes']): Classed {
  const [priorities, runtimes] = [classes.get(qualified(PRIORITY)), classes.get(qualified(RUNTIME))]
  const name = pod.metadata.name ?? pod.metadata.generateName ?? ''
  try {
    const ranked =
      priorities === undefined
        ? pod
        : withPriority(pod, name, { find: (one) => named(priorities, one), all: () => priorities })
    const object = runtimes === undefined ? ranked : withRuntimeClass(ranked, name, (one) => named(runtimes, one))
    return { object }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { object: pod, rejection: error.message }
  }
}

const named = (classes: readonly KubeObject[], name: string): KubeObject | undefined =>
  classes.find(({ metadata }) => metadata.name === name)

/** Do the classes of a kind matter for what an object costs, or for what counts it? `scopes`: names of scopes and limits of its budgets. */
export function isClassOf(object: KubeObject, resource: string, scopes: ReadonlySet<string>): boolean {
  if (object.kind === 'Pod') {
    const { priorityClassName, runtimeClassName } = specOf<Pod>(object)
    if (resource === qualified(RUNTIME)) return textOf(runtimeClassName) !== ''
    return resource === qualified(PRIORITY) && (textOf(priorityClassName) !== '' || scopes.has('PriorityClass'))
  }
  const limited = [...scopes].some((name) => name.includes('.storageclass.storage.k8s.io/'))
  return resource === qualified(STORAGE) && object.kind === 'PersistentVolumeClaim' && limited
}
