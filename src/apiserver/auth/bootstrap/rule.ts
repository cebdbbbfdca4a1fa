import type { JsonObject } from '../../../machinery/object.ts'

/** A ClusterRole that every cluster has, with the subjects that it is bound to. */
export interface BootstrapRole {
  readonly name: string
  readonly rules: readonly JsonObject[]
  readonly labels?: Readonly<Record<string, string>>
  /** The rules are those of the roles with this label. */
  readonly aggregates?: string
  /** There is a binding also where it names nobody. */
  readonly bound?: true
  readonly groups?: readonly string[]
  readonly users?: readonly string[]
  /** Of kube-system. */
  readonly serviceAccounts?: readonly string[]
}

/** A rule about resources; the lists as words in a text. */
export const on = (
  groups: string | readonly string[],
  resources: string,
  verbs: string,
  names?: string,
): JsonObject => ({
  verbs: verbs.split(' '),
  apiGroups: typeof groups === 'string' ? [groups] : groups,
  resources: resources.split(' '),
  ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
})

/** Reading paths that are not resources. */
export const paths = (list: string): JsonObject => ({ verbs: ['get'], nonResourceURLs: list.split(' ') })

export const EVENTS: JsonObject = on(['', 'events.k8s.io'], 'events', 'create patch update')
