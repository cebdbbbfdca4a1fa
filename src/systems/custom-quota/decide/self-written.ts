import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { quantityLedger } from '../../counted/api/quantity-ledger.ts'
import type { QuotaSource } from '../api/source.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { kindText, type SourceKind, sourceKind } from './source-kind.ts'

type Named = Pick<SourceKind, 'group' | 'kind'>

/** Events tell what counting finds, in both groups that serve them; a Lease is renewed all the time. */
const SELF_WRITTEN: readonly Named[] = [
  customQuota,
  globalCustomQuota,
  quantityLedger,
  { group: '', kind: 'Event' },
  { group: 'events.k8s.io', kind: 'Event' },
  { group: 'coordination.k8s.io', kind: 'Lease' },
]

/** Does allot write objects of this kind while it counts? */
export const isSelfWritten = ({ group, kind }: Named): boolean =>
  SELF_WRITTEN.some((one) => one.group === group && one.kind === kind)

/** Rejects sources of kinds that allot writes while it counts. Each count would cause another write, without end. */
export function selfWrittenProblems(sources: readonly QuotaSource[]): FieldError[] {
  return sources.flatMap((source, index) => {
    const kind = sourceKind(source)
    if (!isSelfWritten(kind)) return []
    const detail = 'must not be a kind whose objects allot writes while it counts'
    return [invalid(`spec.sources[${index}]`, kindText(kind), detail)]
  })
}
