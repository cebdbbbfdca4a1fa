import { customQuota } from '../../api/custom-quota/custom-quota.ts'
import { globalCustomQuota } from '../../api/custom-quota/global-custom-quota.ts'
import { quantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { SourceKind } from './source-kind.ts'

const SELF_WRITTEN: readonly { readonly group: string; readonly kind: string }[] = [
  customQuota,
  globalCustomQuota,
  quantityLedger,
]

/** Does allot write objects of this kind whenever it counts? */
export const isSelfWritten = ({ group, kind }: Pick<SourceKind, 'group' | 'kind'>): boolean =>
  SELF_WRITTEN.some((one) => one.group === group && one.kind === kind)

/**
 * The object without what allot writes of it when it counts: `status`, and the metadata that changes with it. A quota that counted by these
 * would change what it counts by counting, without end.
 */
export function withoutOwnWrites(object: KubeObject): KubeObject {
  const { status: _, metadata, ...rest } = object
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata
  return { ...rest, metadata: kept }
}
