import type { ResourceQuota } from '../../builtin/core-v1.ts'
import { amountOf } from '../../kinds/rule/quantity-field.ts'
import { objectOf, statusOf } from '../../machinery/read.ts'
import { column, type Column } from './column.ts'
import { ageColumn, nameColumn } from './shared-columns.ts'

/** Limits and requests are printed apart: by this beginning of their names. */
const LIMIT = 'limits.'

/** `name: used/hard` of the enforced limits, names sorted (upstream `printResourceQuota`). */
function usage(object: ResourceQuota, wanted: (name: string) => boolean): string {
  const { hard, used } = statusOf(object)
  return Object.keys(objectOf(hard))
    .filter(wanted)
    .toSorted()
    .map((name) => `${name}: ${text(objectOf(used)[name])}/${text(objectOf(hard)[name])}`)
    .join(', ')
}

const text = (value: unknown): string => amountOf(value)?.toString() ?? '0'

export const resourceQuotaColumns: readonly Column[] = [
  nameColumn,
  column('Request', 'The usage and the limit of requests and of object counts.', (object: ResourceQuota) =>
    usage(object, (name) => !name.startsWith(LIMIT)),
  ),
  column('Limit', 'The usage and the limit of container limits.', (object: ResourceQuota) =>
    usage(object, (name) => name.startsWith(LIMIT)),
  ),
  ageColumn,
]
