import type {
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../builtin/admissionregistration-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { absent, listOf, objectOf, specOf, textOf } from '../../machinery/read.ts'
import { column, type Column, integer } from './column.ts'
import { ageColumn, nameColumn, selectorCell, UNSET } from './shared-columns.ts'

export const webhookConfigurationColumns: readonly Column[] = [
  nameColumn,
  integer(
    'Webhooks',
    'How many webhooks it has.',
    (object: ValidatingWebhookConfiguration) => listOf(object.webhooks).length,
  ),
  ageColumn,
]

type AdmissionPolicy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy

const paramKind = column('ParamKind', 'The kind of its parameters.', (object: AdmissionPolicy) => {
  const kind = objectOf(specOf(object).paramKind)
  return textOf(kind.kind) === '' ? UNSET : `${textOf(kind.apiVersion)}/${textOf(kind.kind)}`
})

export const admissionPolicyColumns = (name: string, listed: (object: KubeObject) => unknown): readonly Column[] => [
  nameColumn,
  integer(name, 'How many it has.', (object) => listOf(listed(object)).length),
  paramKind,
  ageColumn,
]

export const admissionPolicyBindingColumns: readonly Column[] = [
  nameColumn,
  column('PolicyName', 'The policy that it applies.', (object: ValidatingAdmissionPolicyBinding) =>
    textOf(specOf(object).policyName),
  ),
  column('ParamRef', 'The parameters that it applies it with.', (object: ValidatingAdmissionPolicyBinding) => {
    const ref = objectOf(specOf(object).paramRef)
    if (absent(specOf(object).paramRef)) return UNSET
    const name = textOf(ref.name)
    if (name === '') return selectorCell(ref.selector)
    return `${textOf(ref.namespace) || '*'}/${name}`
  }),
  ageColumn,
]
