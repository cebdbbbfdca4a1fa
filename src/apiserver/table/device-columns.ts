import type { ResourceClaim, ResourceSlice } from '../../builtin/resource-v1.ts'
import { absent, listOf, objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column } from './column.ts'
import { ageColumn, nameColumn, UNSET } from './shared-columns.ts'

function claimState(object: ResourceClaim): string {
  const status = statusOf(object)
  const words = [
    ...(object.metadata.deletionTimestamp === undefined ? [] : ['deleted']),
    ...(absent(status.allocation) ? [] : ['allocated']),
    ...(absent(status.allocation) || listOf(status.reservedFor).length === 0 ? [] : ['reserved']),
  ]
  return words.length === 0 ? 'pending' : words.join(',')
}

export const resourceClaimColumns: readonly Column[] = [
  nameColumn,
  column('State', 'The state of the claim.', claimState),
  ageColumn,
]

export const resourceSliceColumns: readonly Column[] = [
  nameColumn,
  column('Node', 'The node that has the devices.', (object: ResourceSlice) => textOf(specOf(object).nodeName) || UNSET),
  column('Driver', 'The driver of the devices.', (object: ResourceSlice) => textOf(specOf(object).driver)),
  column('Pool', 'The pool that they belong to.', (object: ResourceSlice) =>
    textOf(objectOf(specOf(object).pool).name),
  ),
  ageColumn,
]
