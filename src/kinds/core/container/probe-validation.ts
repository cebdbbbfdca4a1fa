import { int64, wholeNumber } from '../../../machinery/json-value.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { isPort, nonNegative, PORT_TEXT, portNameProblems } from '../../rule/number.ts'
import { absent, listOf, numberOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { obeys } from '../../rule/value.ts'

const SCHEMES = ['HTTP', 'HTTPS']
const HEADER_TEXT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const NUMBERS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

/** A port by its number or name. An absent port is 0, which is invalid (core `ValidatePortNumOrName`). */
export function validatePortOrName(port: unknown, path: string): readonly FieldError[] {
  if (typeof port === 'string') return obeys(port, portNameProblems, path)
  return isPort(port) ? [] : [invalid(path, port ?? 0, PORT_TEXT)]
}

type Check = (action: JsonObject, path: string, grace: bigint | undefined) => readonly FieldError[]

function validateHttpGet(action: JsonObject, path: string): readonly FieldError[] {
  const scheme = textOf(action.scheme)
  return [
    ...(textOf(action.path) === '' ? [required(`${path}.path`)] : []),
    ...validatePortOrName(action.port, `${path}.port`),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${path}.scheme`, scheme, SCHEMES)]),
    ...objectsOf(action.httpHeaders).flatMap(({ name }) =>
      /^[-A-Za-z0-9]+$/.test(textOf(name)) ? [] : [invalid(`${path}.httpHeaders`, textOf(name), HEADER_TEXT)],
    ),
  ]
}

function validateSleep(action: JsonObject, path: string, grace: bigint | undefined): readonly FieldError[] {
  const seconds = wholeNumber(action.seconds) ?? 0n
  if (grace === undefined || (seconds >= 0n && seconds <= grace)) return []
  return [invalid(path, int64(seconds), `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)]
}

/** The actions of probes and hooks, in the order of the errors. */
const ACTIONS: Readonly<Record<string, Check>> = {
  exec: (action, path) => (listOf(action.command).length === 0 ? [required(`${path}.command`)] : []),
  httpGet: validateHttpGet,
  tcpSocket: (action, path) => validatePortOrName(action.port, `${path}.port`),
  grpc: (action, path) => validatePortOrName(action.port, `${path}.port`),
  sleep: validateSleep,
}

/** Exactly one action (core `validateHandler`). */
function validateHandler(handler: JsonObject, path: string, grace: bigint | undefined): readonly FieldError[] {
  const [first, ...others] = Object.keys(ACTIONS).filter((key) => !absent(handler[key]))
  if (first === undefined) return [required(path, 'must specify a handler type')]
  return [
    ...(ACTIONS[first]?.(objectOf(handler[first]), `${path}.${first}`, grace) ?? []),
    ...others.map((key) => forbidden(`${path}.${key}`, 'may not specify more than 1 handler type')),
  ]
}

function validateProbe(probe: JsonObject, key: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...validateHandler(probe, path, undefined)]
  for (const number of NUMBERS) append(errors, nonNegative(probe[number], `${path}.${number}`))
  const grace = numberOf(probe.terminationGracePeriodSeconds)
  const at = `${path}.terminationGracePeriodSeconds`
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(at, probe.terminationGracePeriodSeconds, 'must be greater than 0'))
  if (key === 'readinessProbe') {
    if (grace !== undefined)
      errors.push(invalid(at, probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'))
  } else if (probe.successThreshold !== 1) {
    errors.push(invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'))
  }
  return errors
}

/** The hooks and probes that containers have which stay (core `validateLifecycle`, `validateLivenessProbe` …). */
export function validateHooks(container: JsonObject, grace: bigint | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const lifecycle = objectOf(container.lifecycle)
  for (const hook of ['postStart', 'preStop'])
    if (!absent(lifecycle[hook]))
      append(errors, validateHandler(objectOf(lifecycle[hook]), `${path}.lifecycle.${hook}`, grace))
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    if (!absent(container[key])) append(errors, validateProbe(objectOf(container[key]), key, `${path}.${key}`))
  return errors
}
