import type { Pod } from '../../builtin/core-v1.ts'
import { withRuntimeClass } from '../../kinds/node/pod-runtime-class.ts'
import { withPriority } from '../../kinds/scheduling/pod-priority.ts'
import { DEFAULT_CLASSES, withDefaultClass } from '../../kinds/storage/default-class.ts'
import { groupOf } from '../../machinery/group-version.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, textOf } from '../../machinery/read.ts'
import { ApiError, forbidden, type GroupResource, qualified } from '../../machinery/status.ts'
import type { Facts } from './facts.ts'

const PODS = { group: '', resource: 'pods' }
const STORAGE = { group: 'storage.k8s.io', resource: 'storageclasses', kind: 'StorageClass' }
const PRIORITY = { group: 'scheduling.k8s.io', resource: 'priorityclasses', kind: 'PriorityClass' }
const RUNTIME = { group: 'node.k8s.io', resource: 'runtimeclasses', kind: 'RuntimeClass' }

/** The classes of a cluster that admission looks up, all served as `v1` since Kubernetes 1.20. Few tenants may list them. */
export const CLUSTER_CLASSES = [STORAGE, PRIORITY, RUNTIME].map((one) => ({ ...one, version: 'v1', namespaced: false }))

const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true }

/** All that admission looks up by the name that a new object gives. */
export const LOOKED_UP = [...CLUSTER_CLASSES, ACCOUNTS]

const NAMES: ReadonlySet<string> = new Set(LOOKED_UP.map(qualified))

/** Is it of a kind that admission looks up for other objects? */
export const isLookedUp = ({ apiVersion, kind }: KubeObject): boolean =>
  LOOKED_UP.some((one) => one.kind === kind && one.group === groupOf(apiVersion))

/** The facts once the classes and ServiceAccounts among manifests are there, too. */
export function withPlannedClasses<T extends Pick<Facts, 'classes'>>(facts: T, manifests: readonly KubeObject[]): T {
  const known = [...facts.classes].map(([name, all]) => {
    const planned = manifests.filter(
      ({ apiVersion, kind }) =>
        LOOKED_UP.find((one) => qualified(one) === name && one.group === groupOf(apiVersion))?.kind === kind,
    )
    const names = new Set(planned.map(({ metadata }) => metadata.name))
    return [name, [...all.filter(({ metadata }) => !names.has(metadata.name)), ...planned]] as const
  })
  return { ...facts, classes: new Map(known) }
}

/** Is this a resource that is looked up, by the name that `qualified` gives it? Only for some objects it matters that it cannot be read. */
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
    assertAccount(pod, name, classes.get(qualified(ACCOUNTS)))
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

/** Each namespace has the ServiceAccount `default`, or gets it in a moment. */
function assertAccount(pod: Pod, name: string, accounts: readonly KubeObject[] | undefined): void {
  const account = textOf(specOf(pod).serviceAccountName)
  if (accounts === undefined || account === '' || account === 'default' || named(accounts, account) !== undefined)
    return
  const text = `service account ${pod.metadata.namespace ?? ''}/${account}: serviceaccount ${JSON.stringify(account)} not found`
  throw forbidden(PODS, name, `error looking up ${text}`)
}

const named = (classes: readonly KubeObject[], name: string): KubeObject | undefined =>
  classes.find(({ metadata }) => metadata.name === name)

/** Do the classes of a kind matter for what an object costs, or for what counts it? `scopes`: names of scopes and limits of its budgets. */
export function isClassOf(object: KubeObject, resource: string, scopes: ReadonlySet<string>): boolean {
  if (object.kind === 'Pod') {
    const { priorityClassName, runtimeClassName, serviceAccountName } = specOf<Pod>(object)
    if (resource === qualified(ACCOUNTS)) return !['', 'default'].includes(textOf(serviceAccountName))
    if (resource === qualified(RUNTIME)) return textOf(runtimeClassName) !== ''
    return resource === qualified(PRIORITY) && (textOf(priorityClassName) !== '' || scopes.has('PriorityClass'))
  }
  const limited = [...scopes].some((name) => name.includes('.storageclass.storage.k8s.io/'))
  return resource === qualified(STORAGE) && object.kind === 'PersistentVolumeClaim' && limited
}
