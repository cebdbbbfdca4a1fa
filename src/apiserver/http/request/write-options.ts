import { managerName } from '../../../schema/apply/manager/manager-name.ts'
import { type FieldError, forbidden, notSupported, required } from '../../../machinery/field-error.ts'
import { validateFieldManager } from '../../../machinery/field-manager.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { invalid } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { FieldValidation } from '../../decoding/read-object.ts'

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions'

/** The options in the query of a write. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly validation: FieldValidation
  /** The manager of the written fields: the one in the query, or else the client's program. */
  readonly manager: string
  /** The part of it that webhooks get: the client's own options. */
  readonly options: JsonObject
}

/** The write options of a query, checked. Throws 422. */
export function writeOptions(
  { query, headers }: Exchange,
  kind: OptionsKind,
  more: readonly FieldError[] = [],
): WriteOptions {
  const asked = query.get('fieldManager') ?? ''
  const dryRun = query.getAll('dryRun')
  const validation = query.get('fieldValidation') ?? ''
  refuse(kind, [
    ...more,
    ...validateFieldManager(asked, 'fieldManager'),
    ...validateDryRun(dryRun),
    ...(isValidation(validation) ? [] : [notSupported('fieldValidation', validation, [...VALIDATIONS])]),
  ])
  return {
    dryRun: dryRun.length > 0,
    validation: isValidation(validation) && validation !== '' ? validation : 'Warn',
    manager: managerName(asked, headers['user-agent'] ?? ''),
    options: {
      ...(asked === '' ? {} : { fieldManager: asked }),
      ...(validation === '' ? {} : { fieldValidation: validation }),
    },
  }
}

/** The options of a patch: only an apply must name its manager, and only it may be forced. Throws 422. */
export function patchOptions(exchange: Exchange, isApply: boolean): WriteOptions {
  const { query } = exchange
  return writeOptions(exchange, 'PatchOptions', [
    ...(!isApply && query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : []),
    ...(isApply && (query.get('fieldManager') ?? '') === ''
      ? [required('fieldManager', 'is required for apply patch')]
      : []),
  ])
}

/** Throws the 422 for options that are wrong. */
export function refuse(kind: OptionsKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
}

/** `All` is the only valid value of dryRun; the list is reported as a whole. */
export const validateDryRun = (values: readonly string[]): readonly FieldError[] =>
  values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])]

const VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const

const isValidation = (text: string): text is FieldValidation | '' =>
  text === '' || VALIDATIONS.some((one) => one === text)
