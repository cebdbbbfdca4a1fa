import type { ServedResource } from './served-resource.ts'
import { compareText } from '../../machinery/text/compare.ts'

/** One version of a group with its resources, sorted by name. */
export interface ServedVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly ServedResource[]
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string
  readonly versions: readonly ServedVersion[]
}

// The order in which a Kubernetes server lists its own groups; groups of custom resources follow.
const ORDER: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'resource.k8s.io',
]

const rank = (group: string): number => {
  const at = ORDER.indexOf(group)
  return at < 0 ? ORDER.length : at
}

/** Sorts the resources into groups and versions: groups by the priorities of a Kubernetes server, then by name. */
export function servedGroups(resources: readonly ServedResource[]): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, ServedResource[]>>()
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>()
    groups.set(resource.group, versions)
    const list = versions.get(resource.version) ?? []
    versions.set(resource.version, list)
    list.push(resource)
  }
  return [...groups]
    .toSorted(([a], [b]) => rank(a) - rank(b) || compareText(a, b))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .toSorted(([a], [b]) => compareApiVersions(a, b))
        .map(([version, list]) => ({
          group,
          version,
          resources: list.toSorted((a, b) => compareText(a.resource, b.resource)),
        })),
    }))
}

const VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/
const STAGES: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

/** Orders API versions by preference, as Kubernetes does: v2, v1, v2beta1, v1alpha1, then all other names alphabetically. */
export function compareApiVersions(a: string, b: string): number {
  const left = VERSION.exec(a)
  const right = VERSION.exec(b)
  if (left === null || right === null) return left === right ? compareText(a, b) : left === null ? 1 : -1
  const [x, y] = [left, right].map(([, major, stage, minor]) => [
    stage === undefined ? 2 : (STAGES[stage] ?? 0),
    Number(major),
    Number(minor ?? 0),
  ])
  for (const [index, value] of (y ?? []).entries()) {
    const difference = value - (x?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
