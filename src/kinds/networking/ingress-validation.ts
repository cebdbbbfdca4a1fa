import type { HTTPIngressPath, Ingress, IngressClass, IngressRule } from '../../builtin/networking-v1.ts'
import {
  append,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../machinery/field-error.ts'
import { isIP } from '../../machinery/ip-address.ts'
import { isDNS1035Label, isDNS1123Label, isDNS1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { isPort, PORT_TEXT, portNameProblems } from '../rule/number.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { validateIngressStatus } from '../core/service/validation.ts'
import { obeys, obeysIfSet } from '../rule/value.ts'

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F']
const BAD_ENDINGS = ['/..', '/.']
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const LONGEST_CONTROLLER = 250
const SCOPES = ['Cluster', 'Namespace']
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const WILDCARD_TEXT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const HTTP_PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/
const HTTP_PATH_TEXT =
  "a valid path must consist of alphanumeric characters, or any of '/', '-', '.', '_', '~', '%', '!', '$', '&', ''', '(', ')', '*', '+', ',', ';', '=', ':' (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"

const wildcard = (host: string): readonly string[] => (WILDCARD.test(host) ? [] : [WILDCARD_TEXT])

/** A host is a name, which may begin with one star. */
const validateHost = (host: string, path: string): readonly FieldError[] =>
  obeys(host, host.includes('*') ? wildcard : isDNS1123Subdomain, path)

const segment = (name: string): readonly string[] => pathSegmentName(name, false)

/** Another object by group, kind and name. */
const validateReference = (reference: JsonObject, path: string): readonly FieldError[] => [
  ...(absent(reference.apiGroup) ? [] : obeys(textOf(reference.apiGroup), isDNS1123Subdomain, `${path}.apiGroup`)),
  ...['kind', 'name'].flatMap((field) =>
    textOf(reference[field]) === ''
      ? [required(`${path}.${field}`)]
      : obeys(textOf(reference[field]), segment, `${path}.${field}`),
  ),
]

function validateBackend(value: unknown, path: string): readonly FieldError[] {
  const backend = objectOf(value)
  const hasService = !absent(backend.service)
  const hasResource = !absent(backend.resource)
  if (hasService && hasResource) return [invalid(path, '', 'cannot set both resource and service backends')]
  if (hasResource) return validateReference(objectOf(backend.resource), `${path}.resource`)
  if (!hasService) return [invalid(path, '', 'resource or service backend is required')]
  const service = objectOf(backend.service)
  const name = textOf(service.name)
  const at = `${path}.service`
  return [
    ...(name === '' ? [required(`${at}.name`)] : obeys(name, isDNS1035Label, `${at}.name`)),
    ...validatePort(objectOf(service.port), path),
  ]
}

function validatePort(port: JsonObject, path: string): readonly FieldError[] {
  const name = textOf(port.name)
  const number = countOf(port.number)
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')]
  if (name !== '') return obeys(name, portNameProblems, `${path}.service.port.name`)
  if (number === 0) return [required(path, 'port name or number is required')]
  return isPort(number) ? [] : [invalid(`${path}.service.port.number`, number, PORT_TEXT)]
}

function validatePath(one: HTTPIngressPath, path: string): readonly FieldError[] {
  const type = textOf(one.pathType)
  const text = textOf(one.path)
  const at = `${path}.path`
  if (absent(one.pathType)) return [required(`${path}.pathType`, 'pathType must be specified')]
  const errors: FieldError[] = []
  const exact = type === 'Exact' || type === 'Prefix'
  if (!PATH_TYPES.includes(type)) errors.push(notSupported(`${path}.pathType`, type, PATH_TYPES))
  else if ((exact || text !== '') && !text.startsWith('/')) errors.push(invalid(at, text, 'must be an absolute path'))
  if (exact && text !== '') {
    for (const bad of BAD_SEQUENCES) if (text.includes(bad)) errors.push(invalid(at, text, `must not contain '${bad}'`))
    for (const bad of BAD_ENDINGS) if (text.endsWith(bad)) errors.push(invalid(at, text, `cannot end with '${bad}'`))
  }
  return [...errors, ...validateBackend(one.backend, `${path}.backend`)]
}

function validateRule(rule: IngressRule, path: string): readonly FieldError[] {
  const host = textOf(rule.host)
  const errors: FieldError[] = []
  if (host !== '') {
    if (isIP(host) !== 0) errors.push(invalid(`${path}.host`, host, 'must be a DNS name, not an IP address'))
    append(errors, validateHost(host, `${path}.host`))
  }
  if (absent(rule.http)) return errors
  const paths = objectsOf(objectOf(rule.http).paths)
  if (paths.length === 0) errors.push(required(`${path}.http.paths`))
  paths.forEach((one, index) => append(errors, validatePath(one, `${path}.http.paths[${index}]`)))
  return errors
}

/** The errors in an Ingress, new or changed (networking `ValidateIngressSpec`). */
export function validateIngress(object: Ingress): readonly FieldError[] {
  const spec = specOf(object)
  const rules = objectsOf(spec.rules)
  const errors: FieldError[] = []
  if (rules.length === 0 && absent(spec.defaultBackend))
    errors.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'))
  if (!absent(spec.defaultBackend)) append(errors, validateBackend(spec.defaultBackend, 'spec.defaultBackend'))
  rules.forEach((rule, index) => append(errors, validateRule(rule, `spec.rules[${index}]`)))
  objectsOf(spec.tls).forEach((tls, index) => {
    const path = `spec.tls[${index}]`
    textsOf(tls.hosts).forEach((host, place) => append(errors, validateHost(host, `${path}.hosts[${place}]`)))
    append(errors, obeysIfSet(tls.secretName, isDNS1123Subdomain, `${path}.secretName`))
  })
  if (!absent(spec.ingressClassName))
    append(errors, obeys(textOf(spec.ingressClassName), isDNS1123Subdomain, 'spec.ingressClassName'))
  return errors
}

/** A new Ingress may say its class in the field and in the annotation that came before it, if they agree. */
export function validateNewIngress(object: Ingress): readonly FieldError[] {
  const annotation = object.metadata.annotations?.[CLASS_ANNOTATION]
  const name = specOf(object).ingressClassName
  if (annotation === undefined || absent(name) || annotation === name) return validateIngress(object)
  const detail = 'must match `ingressClassName` when both are specified'
  return [...validateIngress(object), invalid(`annotations.${CLASS_ANNOTATION}`, annotation, detail)]
}

/** Where an Ingress can be reached. */
export const validateIngressAddresses = (object: Ingress): readonly FieldError[] =>
  objectsOf(objectOf(statusOf(object).loadBalancer).ingress).flatMap((entry, index) =>
    validateIngressStatus(entry, `status.loadBalancer.ingress[${index}]`),
  )

/** The errors in an IngressClass (networking `validateIngressClassSpec`). */
export function validateIngressClass(object: IngressClass): readonly FieldError[] {
  const spec = specOf(object)
  const controller = textOf(spec.controller)
  const path = 'spec.controller'
  if (controller === '') return [required(path), ...validateParameters(spec.parameters)]
  return [
    ...(controller.length > LONGEST_CONTROLLER ? [tooLong(path, LONGEST_CONTROLLER)] : []),
    ...validateDomainPath(controller, path),
    ...validateParameters(spec.parameters),
  ]
}

/** `acme.io/foo` (apimachinery `IsDomainPrefixedPath`). */
function validateDomainPath(text: string, path: string): readonly FieldError[] {
  const slash = text.indexOf('/')
  const rest = text.slice(slash + 1)
  if (slash <= 0 || rest === '') return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const host = text.slice(0, slash)
  return [
    ...obeys(host, isDNS1123Subdomain, path),
    ...(HTTP_PATH.test(rest) ? [] : [invalid(path, rest, HTTP_PATH_TEXT)]),
  ]
}

function validateParameters(value: unknown): readonly FieldError[] {
  if (absent(value)) return []
  const parameters = objectOf(value)
  const path = 'spec.parameters'
  const scope = textOf(parameters.scope)
  const errors = [...validateReference(parameters, path)]
  if (!SCOPES.includes(scope)) errors.push(notSupported(`${path}.scope`, scope, SCOPES))
  else if (scope === 'Cluster' && !absent(parameters.namespace))
    errors.push(forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  else if (scope === 'Namespace')
    append(
      errors,
      absent(parameters.namespace)
        ? [required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")]
        : obeys(textOf(parameters.namespace), isDNS1123Label, `${path}.namespace`),
    )
  return errors
}
