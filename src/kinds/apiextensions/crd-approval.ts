import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { specOf, textOf } from '../../machinery/read.ts'

const ANNOTATION = 'api-approved.kubernetes.io'
const COMMUNITY = ['k8s.io', 'kubernetes.io']
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** The approval of a CRD in a group of the Kubernetes community, from the annotation that links to it. */
export interface Approval {
  readonly state: 'approved' | 'bypassed' | 'missing' | 'invalid'
  readonly reason: string
}

/** Undefined for a group that is not the community's. */
export function approvalOf(crd: CustomResourceDefinition): Approval | undefined {
  const group = textOf(specOf(crd).group)
  if (!COMMUNITY.some((one) => group === one || group.endsWith(`.${one}`))) return undefined
  const text = crd.metadata.annotations?.[ANNOTATION] ?? ''
  const needs = `protected groups must have approval annotation ${JSON.stringify(ANNOTATION)}`
  if (text === '') return { state: 'missing', reason: `${needs}, ${SEE}` }
  if (text.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${JSON.stringify(text)}` }
  if (/^[A-Za-z][-+.\dA-Za-z]*:\/\/[^/?#]/.test(text)) return { state: 'approved', reason: `approved in ${text}` }
  return { state: 'invalid', reason: `${needs} with either a URL or a reason starting with "unapproved", ${SEE}` }
}

/** Returns the errors of the approval of a CRD. An update may keep the errors that `old` has. */
export function validateApproval(crd: CustomResourceDefinition, old?: CustomResourceDefinition): readonly FieldError[] {
  const approval = approvalOf(crd)
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return []
  const path = `metadata.annotations[${ANNOTATION}]`
  if (approval.state === 'missing') return [required(path, approval.reason)]
  return approval.state === 'invalid'
    ? [invalid(path, crd.metadata.annotations?.[ANNOTATION] ?? '', approval.reason)]
    : []
}
