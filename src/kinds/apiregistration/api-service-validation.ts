import type { APIService, APIServiceSpec } from '../../builtin/apiregistration-v1.ts'
import { append, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { goQuote } from '../../machinery/go/quote.ts'
import { isDNS1035Label, isDNS1123Subdomain } from '../../machinery/names.ts'
import { isPort, PORT_TEXT } from '../rule/number.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { needed, obeys, oneOf } from '../rule/value.ts'

const CONDITIONS = ['False', 'True', 'Unknown']

/** The errors in an APIService (kube-aggregator `ValidateAPIService`). */
export function validateAPIService(object: APIService): readonly FieldError[] {
  const spec = specOf(object)
  const [group, version] = [textOf(spec.group), textOf(spec.version)]
  const { name = '' } = object.metadata
  const wanted = `${version}.${group}`
  const errors: FieldError[] = []
  if (name !== wanted)
    errors.push(invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`))
  if (group === '' && version !== 'v1')
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  if (group !== '') append(errors, obeys(group, isDNS1123Subdomain, 'spec.group'))
  append(errors, obeys(version, isDNS1035Label, 'spec.version'))
  for (const [field, most] of [
    ['groupPriorityMinimum', 20_000],
    ['versionPriority', 1000],
  ] as const) {
    const priority = countOf(spec[field])
    if (priority <= 0 || priority > most)
      errors.push(invalid(`spec.${field}`, priority, `must be positive and less than ${most}`))
  }
  append(errors, absent(spec.service) ? validateLocal(spec) : validateServed(spec))
  return errors
}

/** The server's own versions need no trust in anybody else. */
function validateLocal({ caBundle, insecureSkipTLSVerify }: APIServiceSpec): readonly FieldError[] {
  const bytes = Buffer.byteLength(textOf(caBundle), 'base64')
  return [
    ...(bytes === 0 ? [] : [invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle')]),
    ...(insecureSkipTLSVerify === true
      ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ]
}

function validateServed({ caBundle, insecureSkipTLSVerify, service }: APIServiceSpec): readonly FieldError[] {
  const { name, namespace, port } = objectOf(service)
  return [
    ...needed(namespace, 'spec.service.namespace'),
    ...needed(name, 'spec.service.name'),
    ...(isPort(port) ? [] : [invalid('spec.service.port', port ?? 0, `port is not valid: ${PORT_TEXT}`)]),
    ...(insecureSkipTLSVerify === true && textOf(caBundle) !== ''
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ]
}

/** The errors in the status of one. */
export const validateAPIServiceStatus = (object: APIService): readonly FieldError[] =>
  objectsOf(statusOf(object).conditions).flatMap(({ status }, index) =>
    oneOf(status, CONDITIONS, `status.conditions[${index}].status`),
  )
