import type { KubeObject } from '../../machinery/object.ts'
import type { SourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import type { ClusterFacts } from './cluster-facts.ts'

/**
 * The objects of the kind of a source; undefined where they were not read. Objects are read in the preferred version; one that a source names is not
 * asked for.
 */
export function objectsOfKind(
  { group, version, kind }: SourceKind,
  facts: ClusterFacts,
): readonly KubeObject[] | undefined {
  const found = facts.offered.called(kind.toLowerCase()).find((one) => one.group === group && one.kind === kind)
  const objects = found === undefined || facts.isUnread(found) ? undefined : facts.objectsOf(found)
  const isOther = objects?.some(({ apiVersion }) => version !== '' && apiVersion !== versioned(group, version)) === true
  return isOther ? undefined : objects
}

/** May the reader list the objects of the kind of a source? */
export function mayBeShown({ group, kind }: SourceKind, { offered, isUnread }: ClusterFacts): boolean {
  const served = offered.called(kind.toLowerCase()).filter((one) => one.group === group && one.kind === kind)
  return served.length > 0 && served.every((one) => !isUnread(one))
}

/** An apiVersion. */
export const versioned = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`)
