import { absent, listOf, objectOf, specOf, textOf } from '../../machinery/read.ts'
import { column, type Column, integer } from './column.ts'
import { ageColumn, nameColumn, selectorCell, UNSET } from './shared-columns.ts'

export const webhookConfigurationColumns: readonly Column[] = [
  nameColumn,
  integer('Webhooks', 'How many webhooks it has.', (object) => listOf(object.webhooks).length),
  ageColumn,
]

const paramKind = column('ParamKind', 'The kind of its parameters.', (object) => {
  const kind = objectOf(specOf(object).paramKind)
  return textOf(kind.kind) === '' ? UNSET : `${textOf(kind.apiVersion)}/${textOf(kind.kind)}`
})

export const admissionPolicyColumns = (name: string, field: string): readonly Column[] => [
  nameColumn,
  integer(name, 'How many it has.', (object) => listOf(specOf(object)[field]).length),
  paramKind,
  ageColumn,
]

export const admissionPolicyBindingColumns: readonly Column[] = [
  nameColumn,
  column('PolicyName', 'The policy that it applies.', (object) => textOf(specOf(object).policyName)),
  column('ParamRef', 'The parameters that it applies it with.', (object) => {
    const ref = objectOf(specOf(object).paramRef)
    if (absent(specOf(object).paramRef)) return UNSET
    const name = textOf(ref.name)
    if (name === '') return selectorCell(ref.selector)
    return `${textOf(ref.namespace) || '*'}/${name}`
  }),
  ageColumn,
]
