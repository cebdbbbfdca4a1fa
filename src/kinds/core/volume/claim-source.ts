import type {
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../../builtin/core-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { set, without } from '../../rule/change.ts'
import { type Unchecked, absent, blank, objectOf, textOf } from '../../../machinery/read.ts'

/**
 * Returns the spec of a claim with the older and the newer field of its data source, both with the same value. A value
 * that the older field does not support is dropped. So is a source in another namespace, which no cluster offers by
 * default (core `EnforceDataSourceBackwardsCompatibility` and `NormalizeDataSources`).
 * @param old the stored spec; empty for a new claim
 */
export function withBothSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec {
  const elsewhere = !blank(objectOf(spec.dataSourceRef).namespace) && absent(old.dataSourceRef)
  const offered = elsewhere ? without(spec, 'dataSourceRef') : spec
  const isNew = absent(old.dataSource) && absent(old.dataSourceRef) && absent(offered.dataSourceRef)
  return mirrored(isNew && !isFillable(objectOf(offered.dataSource)) ? without(offered, 'dataSource') : offered)
}

/** Since ever a claim is filled from another claim or a snapshot; everything else takes the newer field. */
const isFillable = ({ apiGroup, kind }: TypedLocalObjectReference): boolean =>
  blank(apiGroup)
    ? kind === 'PersistentVolumeClaim'
    : kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io'

function mirrored(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec
  if (absent(dataSourceRef)) return absent(dataSource) ? spec : set(spec, 'dataSourceRef', reference(dataSource))
  if (!absent(dataSource) || !blank(objectOf(dataSourceRef).namespace)) return spec
  return set(spec, 'dataSource', reference(dataSourceRef))
}

function reference(source: Unchecked<TypedLocalObjectReference | TypedObjectReference> | undefined): JsonObject {
  const { apiGroup, kind, name } = objectOf(source)
  return { ...(absent(apiGroup) ? {} : { apiGroup }), kind: textOf(kind), name: textOf(name) }
}

/** Do both fields name the same, as far as the older one can say it? */
export function sourcesDiffer(spec: PersistentVolumeClaimSpec): boolean {
  if (absent(spec.dataSource) || absent(spec.dataSourceRef)) return false
  const [older, newer] = [objectOf(spec.dataSource), objectOf(spec.dataSourceRef)]
  return (['apiGroup', 'kind', 'name'] as const).some((field) => textOf(older[field]) !== textOf(newer[field]))
}
