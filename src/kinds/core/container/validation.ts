import { wholeNumber } from '../../../machinery/json-value.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  required,
} from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { isDNS1123Label } from '../../../machinery/names.ts'
import { validateEnv, validateEnvFrom } from './env-validation.ts'
import { validateDevices, validateMounts, type Volumes } from './mount-validation.ts'
import { isPort, portNameProblems, PORT_TEXT } from '../../rule/number.ts'
import { validateHooks } from './probe-validation.ts'
import { absent, countOf, isEmptyMap, listOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { validateRestartPolicy } from './restart-policy-validation.ts'
import { validateContainerResources } from './resource-requirements.ts'
import { validateContainerSecurity } from './security-context-validation.ts'
import { obeys, oneOf } from '../../rule/value.ts'
import { PROTOCOLS } from '../protocols.ts'

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const MESSAGE_POLICIES = ['FallbackToLogsOnError', 'File']
const RESIZABLE = ['cpu', 'memory']
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer']

/** The volumes and devices of a pod that its containers may refer to. */
export interface PodScope {
  readonly volumes: Volumes
  readonly claims: ReadonlySet<string>
  readonly spec: JsonObject
  /** Is it a pod's spec, rather than a template's? */
  readonly ofPod: boolean
}

/** All kinds of containers: name, image, policies, ports, environment, mounts, resources (core `validateContainerCommon`). */
function validateCommon(container: JsonObject, scope: PodScope, path: string): FieldError[] {
  const errors: FieldError[] = []
  const name = textOf(container.name)
  append(errors, name === '' ? [required(`${path}.name`)] : obeys(name, isDNS1123Label, `${path}.name`))
  if (textOf(container.image) === '') errors.push(required(`${path}.image`))
  append(errors, oneOf(container.terminationMessagePolicy, MESSAGE_POLICIES, `${path}.terminationMessagePolicy`))
  if (!absent(container.ports)) append(errors, validatePorts(container, `${path}.ports`))
  if (!absent(container.env)) append(errors, validateEnv(container.env, `${path}.env`))
  if (!absent(container.envFrom)) append(errors, validateEnvFrom(container.envFrom, `${path}.envFrom`))
  if (!absent(container.volumeMounts)) append(errors, validateMounts(container, scope.volumes, `${path}.volumeMounts`))
  if (!absent(container.volumeDevices))
    append(errors, validateDevices(container, scope.volumes, `${path}.volumeDevices`))
  append(errors, oneOf(container.imagePullPolicy, PULL_POLICIES, `${path}.imagePullPolicy`))
  if (!absent(container.resources))
    append(errors, validateContainerResources(objectOf(container.resources), scope.claims, `${path}.resources`))
  if (!absent(container.resizePolicy)) append(errors, validateResizePolicy(container, scope, `${path}.resizePolicy`))
  const hostUsers = scope.spec.hostUsers !== false
  append(errors, validateContainerSecurity(container.securityContext, hostUsers, `${path}.securityContext`))
  return errors
}

function validatePorts(container: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  objectsOf(container.ports).forEach((port, index) => {
    const at = `${path}[${index}]`
    const name = textOf(port.name)
    if (name !== '') {
      const problems = portNameProblems(name)
      for (const text of problems) errors.push(invalid(`${at}.name`, name, text))
      if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name))
      names.add(name)
    }
    if (countOf(port.containerPort) === 0) errors.push(required(`${at}.containerPort`))
    else if (!isPort(port.containerPort)) errors.push(invalid(`${at}.containerPort`, port.containerPort, PORT_TEXT))
    if (countOf(port.hostPort) !== 0 && !isPort(port.hostPort))
      errors.push(invalid(`${at}.hostPort`, port.hostPort, PORT_TEXT))
    append(errors, oneOf(port.protocol, PROTOCOLS, `${at}.protocol`))
  })
  return errors
}

function validateResizePolicy(container: JsonObject, { spec }: PodScope, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  objectsOf(container.resizePolicy).forEach((policy, index) => {
    const name = textOf(policy.resourceName)
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name))
    seen.add(name)
    append(errors, oneOf(name, RESIZABLE, path))
    append(errors, oneOf(policy.restartPolicy, RESIZE_POLICIES, path))
    if (spec.restartPolicy === 'Never' && policy.restartPolicy !== 'NotRequired') {
      const detail = "must be 'NotRequired' when `restartPolicy` is 'Never'"
      errors.push(invalid(path, textOf(policy.restartPolicy), detail))
    }
  })
  return errors
}

/** Host ports of containers that run at the same time must differ (core `checkHostPortConflicts`). */
function validateHostPorts(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>()
  return containers.flatMap((container, place) =>
    objectsOf(container.ports).flatMap((port, index) => {
      if (countOf(port.hostPort) === 0) return []
      const key = `${textOf(port.protocol)}/${textOf(port.hostIP)}/${String(port.hostPort)}`
      const again = seen.has(key)
      seen.add(key)
      return again ? [duplicate(`${path}[${place}].ports[${index}].hostPort`, key)] : []
    }),
  )
}

/** The containers of a pod or template, of all three kinds. */
export function validateContainers(scope: PodScope, path: string): readonly FieldError[] {
  const { spec } = scope
  const containers = objectsOf(spec.containers)
  const grace = wholeNumber(spec.terminationGracePeriodSeconds)
  const names = new Set<string>()
  const errors: FieldError[] = containers.length === 0 ? [required(`${path}.containers`)] : []
  containers.forEach((container, index) => {
    const at = `${path}.containers[${index}]`
    append(errors, validateCommon(container, scope, at))
    append(errors, unique(container, names, at))
    append(errors, validateHooks(container, grace, at))
    append(errors, validateRestartPolicy(container, at))
  })
  append(errors, validateHostPorts(containers, `${path}.containers`))
  if (!absent(spec.initContainers))
    append(errors, validateInitContainers(scope, names, grace, `${path}.initContainers`))
  if (!absent(spec.ephemeralContainers))
    append(errors, validateEphemeralContainers(scope, names, `${path}.ephemeralContainers`))
  return errors
}

function unique(container: JsonObject, names: Set<string>, path: string): readonly FieldError[] {
  const name = textOf(container.name)
  const again = names.has(name)
  names.add(name)
  return again ? [duplicate(`${path}.name`, name)] : []
}

/** Init containers start one after the other: probes and hooks are for sidecars only (core `validateInitContainers`). */
function validateInitContainers(
  scope: PodScope,
  names: Set<string>,
  grace: bigint | undefined,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  objectsOf(scope.spec.initContainers).forEach((container, index) => {
    const at = `${path}[${index}]`
    const sidecar = container.restartPolicy === 'Always'
    append(errors, validateCommon(container, scope, at))
    append(errors, validateRestartPolicy(container, at))
    if (textOf(container.name) !== '') append(errors, unique(container, names, at))
    append(errors, validateHostPorts([container], path))
    if (sidecar) append(errors, validateHooks(container, grace, at))
    else
      for (const hook of HOOKS)
        if (!absent(container[hook]))
          errors.push(forbidden(`${at}.${hook}`, 'may not be set for init containers without restartPolicy=Always'))
    if (!sidecar && listOf(container.resizePolicy).length > 0)
      errors.push(invalid(`${at}.resizePolicy`, container.resizePolicy, 'must not be set for init containers'))
  })
  return errors
}

const HOOKS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
/** The fields that an ephemeral container must not have, in the order of the errors. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  ...HOOKS.slice(1),
  'lifecycle',
]

/** Containers for a look around, which nothing relies upon (core `validateEphemeralContainers`). */
function validateEphemeralContainers(scope: PodScope, names: ReadonlySet<string>, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const all = new Set(names)
  const text = 'cannot be set for an Ephemeral Container'
  objectsOf(scope.spec.ephemeralContainers).forEach((container, index) => {
    const at = `${path}[${index}]`
    append(errors, validateCommon(container, scope, at))
    append(errors, validateImageText(container, at))
    append(errors, unique(container, all, at))
    const target = textOf(container.targetContainerName)
    if (target !== '' && !names.has(target)) errors.push(notFound(`${at}.targetContainerName`, target))
    for (const field of NOT_EPHEMERAL)
      if (!absent(container[field]) && !isNothing(container[field])) errors.push(forbidden(`${at}.${field}`, text))
    objectsOf(container.volumeMounts).forEach((mount, place) => {
      for (const field of ['subPath', 'subPathExpr'])
        if (textOf(mount[field]) !== '') errors.push(forbidden(`${at}.volumeMounts[${place}].${field}`, text))
    })
  })
  return errors
}

/** An empty list or `resources: {}` is what everybody has. */
const isNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : typeof value === 'object' && isEmptyMap(value)

/** Pods, not templates, want images without blanks around them. */
export function validateImageText(container: JsonObject, path: string): readonly FieldError[] {
  const image = textOf(container.image)
  return image.trim() === image ? [] : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]
}
