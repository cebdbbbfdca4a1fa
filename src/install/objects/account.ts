import type { ObjectTemplate } from '../template/template.ts'
import { metadata } from '../template/common-metadata.ts'

/** Whom the roles of the operator are bound to. */
export const ACCOUNT: ObjectTemplate = {
  file: 'serviceaccount',
  object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(), automountServiceAccountToken: false },
}
