import type { PodSpec } from '../../../builtin/core-v1.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import { isIP } from '../../../machinery/ip-address.ts'
import { validateLabels } from '../../../machinery/label-map.ts'
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName, isValidLabelValue } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { validateAffinity, validateSpread } from '../affinity-validation.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { type PodScope, validateContainers, validateImageText } from '../container/validation.ts'
import { absent, listOf, numberOf, objectOf, objectsOf, textOf, textsOf } from '../../../machinery/read.ts'
import { validateContainerResourceName } from '../../rule/resource-name.ts'
import { validateAmount, validatePodResources } from '../container/resource-requirements.ts'
import { validateHostUsers, validatePodSecurity } from '../container/security-context-validation.ts'
import { labelsOf } from '../../rule/label-selector.ts'
import { obeys, obeysIfSet, oneOf, oneOfIfSet } from '../../rule/value.ts'
import { validateVolumes } from '../volume/validation.ts'

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure']
const DNS_POLICIES = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']
const EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule']
const PREEMPTION_POLICIES = ['Never', 'PreemptLowerPriority']
const MAX_INT32 = 2_147_483_647
const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const MOST_SERVERS = 3
const MOST_SEARCHES = 32
const LONGEST_SEARCHES = 2048
const SEARCH_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
const SEARCH = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/

/**
 * The errors in a pod's spec (core `ValidatePodSpec`).
 * @param pod the pod's name; undefined for a template
 */
export function validatePodSpec(spec: PodSpec, path: string, pod?: string): FieldError[] {
  const errors: FieldError[] = []
  const volumes = validateVolumes(spec.volumes, `${path}.volumes`, errors, pod)
  const claims = objectsOf(spec.resourceClaims)
  const scope: PodScope = {
    volumes,
    claims: new Set(claims.map((claim) => textOf(claim.name))),
    spec,
    ofPod: pod !== undefined,
  }
  append(errors, validateClaims(claims, `${path}.resourceClaims`))
  append(errors, validateContainers(scope, path))
  append(errors, validatePodResources(spec, `${path}.resources`))
  if (spec.hostNetwork === true) append(errors, validateHostNetwork(scope, path))
  append(errors, oneOf(spec.restartPolicy, RESTART_POLICIES, `${path}.restartPolicy`))
  append(errors, oneOf(spec.dnsPolicy, DNS_POLICIES, `${path}.dnsPolicy`))
  if (!absent(spec.nodeSelector)) append(errors, validateLabels(labelsOf(spec.nodeSelector), `${path}.nodeSelector`))
  append(errors, validatePodSecurity(spec, `${path}.securityContext`))
  append(errors, validateAffinity(spec.affinity, `${path}.affinity`))
  append(errors, validateDns(spec, `${path}.dnsConfig`))
  append(errors, validateGates(spec, path))
  append(errors, validateSpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`))
  append(errors, validateHostUsers(spec, path))
  append(errors, obeysIfSet(spec.serviceAccountName, isDNS1123Subdomain, `${path}.serviceAccountName`))
  append(errors, obeysIfSet(spec.nodeName, isDNS1123Subdomain, `${path}.nodeName`))
  const deadline = numberOf(spec.activeDeadlineSeconds)
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(
      invalid(
        `${path}.activeDeadlineSeconds`,
        spec.activeDeadlineSeconds,
        `must be between 1 and ${MAX_INT32}, inclusive`,
      ),
    )
  }
  append(errors, obeysIfSet(spec.hostname, isDNS1123Label, `${path}.hostname`))
  append(errors, obeysIfSet(spec.subdomain, isDNS1123Label, `${path}.subdomain`))
  append(errors, validateTolerations(spec.tolerations, `${path}.tolerations`))
  append(errors, validateHostAliases(spec.hostAliases, `${path}.hostAliases`))
  append(errors, obeysIfSet(spec.priorityClassName, isDNS1123Subdomain, `${path}.priorityClassName`))
  if (!absent(spec.runtimeClassName))
    append(errors, obeys(textOf(spec.runtimeClassName), isDNS1123Subdomain, `${path}.runtimeClassName`))
  append(errors, oneOfIfSet(spec.preemptionPolicy, PREEMPTION_POLICIES, `${path}.preemptionPolicy`))
  for (const [name, value] of Object.entries(objectOf(spec.overhead))) {
    const at = `${path}.overhead.limits[${name}]`
    const amount = amountOf(value)
    append(errors, validateContainerResourceName(name, at))
    if (amount !== undefined) append(errors, validateAmount(name, amount, at))
  }
  if (!absent(spec.os)) append(errors, validateOs(textOf(objectOf(spec.os).name), `${path}.os`))
  return errors
}

function validateClaims(claims: readonly JsonObject[], path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  claims.forEach((claim, index) => {
    const at = `${path}[${index}]`
    const name = textOf(claim.name)
    if (name === '') errors.push(required(`${at}.name`))
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else append(errors, obeys(name, isDNS1123Label, `${at}.name`))
    names.add(name)
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter((field) => !absent(claim[field]))
    if (given.length === 2) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      errors.push(invalid(at, claim, detail))
    } else if (given.length === 0) {
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    }
    for (const field of given) append(errors, obeys(textOf(claim[field]), isDNS1123Subdomain, `${at}.${field}`))
  })
  return errors
}

/** On the host's network a container's port is the host's; a template may leave it open. */
function validateHostNetwork({ spec, ofPod }: PodScope, path: string): readonly FieldError[] {
  return objectsOf(spec.containers).flatMap((container, place) =>
    objectsOf(container.ports).flatMap((port, index) => {
      const host = numberOf(port.hostPort) ?? 0
      if ((host === 0 && !ofPod) || host === (numberOf(port.containerPort) ?? 0)) return []
      const at = `${path}.containers[${place}].ports[${index}].hostPort`
      return [invalid(at, host, 'must match `containerPort` when `hostNetwork` is true')]
    }),
  )
}

function validateDns(spec: PodSpec, path: string): readonly FieldError[] {
  if (absent(spec.dnsConfig) && spec.dnsPolicy !== 'None') return []
  const config = objectOf(spec.dnsConfig)
  const servers = textsOf(config.nameservers)
  const searches = textsOf(config.searches)
  if (spec.dnsPolicy === 'None') {
    if (absent(spec.dnsConfig)) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      return [required(`${path}.nameservers`, detail)]
    }
  }
  const errors: FieldError[] = []
  if (servers.length > MOST_SERVERS)
    errors.push(invalid(`${path}.nameservers`, servers, `must not have more than ${MOST_SERVERS} nameservers`))
  servers.forEach((server, index) => {
    if (isIP(server) === 0) errors.push(invalid(`${path}.nameservers[${index}]`, server, IP_TEXT))
  })
  if (searches.length > MOST_SEARCHES)
    errors.push(invalid(`${path}.searches`, searches, `must not have more than ${MOST_SEARCHES} search paths`))
  if (searches.join(' ').length > LONGEST_SEARCHES) {
    const detail = `must not have more than ${LONGEST_SEARCHES} characters (including spaces) in the search list`
    errors.push(invalid(`${path}.searches`, searches, detail))
  }
  searches.forEach((search, index) => {
    const name = search.replace(/\.$/, '')
    if (search === '.' || (SEARCH.test(name) && name.length <= 253)) return
    if (name.length > 253) errors.push(invalid(`${path}.searches[${index}]`, name, 'must be no more than 253 bytes'))
    if (!SEARCH.test(name)) errors.push(invalid(`${path}.searches[${index}]`, name, SEARCH_TEXT))
  })
  objectsOf(config.options).forEach((option, index) => {
    if (textOf(option.name) === '') errors.push(required(`${path}.options[${index}]`, 'must not be empty'))
  })
  return errors
}

function validateGates(spec: PodSpec, path: string): readonly FieldError[] {
  if (absent(spec.readinessGates) && absent(spec.schedulingGates)) return []
  const errors: FieldError[] = objectsOf(spec.readinessGates).flatMap((gate, index) =>
    obeys(textOf(gate.conditionType), isQualifiedName, `${path}.readinessGates[${index}].conditionType`),
  )
  const seen = new Set<string>()
  objectsOf(spec.schedulingGates).forEach((gate, index) => {
    const name = textOf(gate.name)
    const at = `${path}.schedulingGates[${index}]`
    append(errors, obeys(name, isQualifiedName, at))
    if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
  })
  return errors
}

function validateHostAliases(aliases: unknown, path: string): readonly FieldError[] {
  return objectsOf(aliases).flatMap((alias, index) => [
    ...(isIP(textOf(alias.ip)) === 0 ? [invalid(`${path}[${index}].ip`, textOf(alias.ip), IP_TEXT)] : []),
    ...textsOf(alias.hostnames).flatMap((name, place) =>
      obeys(name, isDNS1123Subdomain, `${path}[${index}].hostnames[${place}]`),
    ),
  ])
}

function validateOs(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(`${path}.name`, 'cannot be empty')]
  const systems = ['linux', 'windows']
  return systems.includes(name) ? [] : [notSupported(path, name, systems)]
}

/** Tolerations (core `ValidateTolerations`). */
export function validateTolerations(tolerations: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  objectsOf(tolerations).forEach((toleration, index) => {
    const at = `${path}[${index}]`
    const key = textOf(toleration.key)
    const value = textOf(toleration.value)
    const operator = textOf(toleration.operator)
    const effect = textOf(toleration.effect)
    if (key !== '') append(errors, obeys(key, isQualifiedName, `${at}.key`))
    else if (operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(invalid(`${at}.operator`, operator, detail))
    }
    if (!absent(toleration.tolerationSeconds) && effect !== 'NoExecute') {
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
    } else if (operator === 'Equal' || operator === '') {
      const problems = isValidLabelValue(value)
      if (problems.length > 0) errors.push(invalid(`${at}.operator`, value, problems.join(';')))
    } else if (operator !== 'Lt' && operator !== 'Gt') {
      errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
    }
    if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS))
  })
  return errors
}

/** Rules for pods, made or changed, that do not hold for templates (core `validatePodMetadataAndSpec`). */
export function validateOnlyPod(spec: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (textOf(spec.serviceAccountName) === '') {
    objectsOf(spec.volumes).forEach((volume, index) =>
      objectsOf(objectOf(volume.projected).sources).forEach((source, place) => {
        const at = `${path}.volumes[${index}].projected.sources[${place}].serviceAccountToken`
        if (!absent(source.serviceAccountToken))
          errors.push(forbidden(at, 'must not be specified when serviceAccountName is not set'))
      }),
    )
  }
  for (const list of ['containers', 'initContainers'] as const)
    objectsOf(spec[list]).forEach((container, index) =>
      append(errors, validateImageText(container, `${path}.${list}[${index}]`)),
    )
  return errors
}

/** Rules for new pods only: ephemeral containers come through their own subresource, gates hold back from nodes. */
export function validatePodCreate(spec: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (listOf(spec.ephemeralContainers).length > 0)
    errors.push(forbidden(`${path}.ephemeralContainers`, 'cannot be set on create'))
  if (textOf(spec.nodeName) !== '' && listOf(spec.schedulingGates).length > 0)
    errors.push(forbidden(`${path}.nodeName`, 'cannot be set until all schedulingGates have been cleared'))
  return errors
}
