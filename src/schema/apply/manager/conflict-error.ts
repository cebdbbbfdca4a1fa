import { goQuote } from '../../../machinery/go/quote.ts'
import { type ApiError, failure } from '../../../machinery/status.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { type FieldSet, pathTexts } from '../field/field-set.ts'
import { type Manager, managerKey } from './managers.ts'

/** A field that an apply would change and another manager owns. */
export interface Conflict {
  readonly manager: Omit<Manager, 'fields' | 'time'>
  /** `.spec.replicas` */
  readonly path: string
}

/** One conflict for each path, by manager. */
export function conflictsOf(found: readonly (readonly [Manager, FieldSet])[]): Conflict[] {
  return found
    .toSorted(([a], [b]) => byCodePoint(managerKey(a), managerKey(b)))
    .flatMap(([{ manager, operation, apiVersion, subresource }, fields]) =>
      pathTexts(fields).map((path) => ({ manager: { manager, operation, apiVersion, subresource }, path })),
    )
}

/** The 409 that a client sees, with a cause for each field (apimachinery's `NewConflictError`). */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  return failure(409, 'Conflict', conflictMessage(conflicts), {
    causes: conflicts.map(({ manager, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(manager)}`,
      field: path,
    })),
  })
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${managerText(only.manager)}: ${only.path}`
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => managerKey(manager))
  const lines = [...byManager.values()].flatMap((group) => [
    `conflicts with ${managerText(group[0]?.manager)}:`,
    ...group.map(({ path }) => `- ${path}`),
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

function managerText(manager: Conflict['manager'] | undefined): string {
  if (manager === undefined) return ''
  const name = goQuote(manager.manager)
  const whose = manager.subresource === '' ? name : `${name} with subresource ${goQuote(manager.subresource)}`
  return manager.operation === 'Update' ? `${whose} using ${manager.apiVersion}` : whose
}
