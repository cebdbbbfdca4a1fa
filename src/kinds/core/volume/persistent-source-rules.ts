import { type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { isDNS1123Label, isDNS1123Subdomain, labelName } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { noBacksteps } from '../../rule/path.ts'
import { absent, objectOf, textOf } from '../../../machinery/read.ts'
import { needed, obeys, obeysIfSet } from '../../rule/value.ts'
import { RULES, type SourceRule, validateDriverName } from './source-rules.ts'

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

const secretReference = (reference: JsonObject, path: string): readonly FieldError[] => [
  ...needed(reference.name, `${path}.name`),
  ...obeysIfSet(reference.name, isDNS1123Subdomain, `${path}.name`),
  ...needed(reference.namespace, `${path}.namespace`),
  ...obeysIfSet(reference.namespace, isDNS1123Label, `${path}.namespace`),
]

export const persistentCsi: SourceRule = (source, path) => [
  ...validateDriverName(source.driver, `${path}.driver`),
  ...needed(source.volumeHandle, `${path}.volumeHandle`),
  ...CSI_SECRETS.filter((field) => !absent(source[field])).flatMap((field) =>
    secretReference(objectOf(source[field]), `${path}.${field}`),
  ),
]

export const persistentGlusterfs: SourceRule = (source, path, context) => {
  const namespace = source.endpointsNamespace
  const at = `${path}.endpointsNamespace`
  const errors = [...RULES.glusterfs(source, path, context)]
  if (absent(namespace)) return errors
  const wrong =
    namespace === ''
      ? [invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name')]
      : obeys(textOf(namespace), (text) => labelName(text, false), at)
  return [...errors, ...wrong]
}

export const persistentAzureFile: SourceRule = (source, path, context) => [
  ...RULES.azureFile(source, path, context),
  ...(source.secretNamespace === '' ? [required(`${path}.secretNamespace`)] : []),
]

export const local: SourceRule = (source, path) => {
  const text = textOf(source.path)
  return text === '' ? [required(`${path}.path`)] : noBacksteps(text, `${path}.path`)
}
