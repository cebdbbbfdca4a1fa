import { customQuota } from '../../api/custom-quota/custom-quota.ts'
import { globalCustomQuota } from '../../api/custom-quota/global-custom-quota.ts'
import { quantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Effort } from './quota-bounds.ts'
import type { SourceKind } from './source-kind.ts'

const SELF_WRITTEN: readonly { readonly group: string; readonly kind: string }[] = [
  customQuota,
  globalCustomQuota,
  quantityLedger,
]

/** Does allot write objects of this kind whenever it counts? */
export const isSelfWritten = ({ group, kind }: Pick<SourceKind, 'group' | 'kind'>): boolean =>
  SELF_WRITTEN.some((one) => one.group === group && one.kind === kind)

type ObjectReader<Result> = (object: KubeObject, effort: Effort) => Result

/**
 * Reads objects of the kind as `read` does, but for what allot writes of them when it counts. A quota that counted by that would change what
 * it counts by counting, without end.
 */
export function ignoringOwnWrites<Result>(kind: SourceKind, read: ObjectReader<Result>): ObjectReader<Result> {
  return isSelfWritten(kind) ? (object, effort) => read(withoutOwnWrites(object), effort) : read
}

/** The object without `status`, and without the metadata that changes with it. */
function withoutOwnWrites(object: KubeObject): KubeObject {
  const { status: _, metadata, ...rest } = object
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata
  return { ...rest, metadata: kept }
}
