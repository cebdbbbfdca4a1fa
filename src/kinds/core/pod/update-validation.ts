import type { Container, PodSpec, ResourceRequirements, Toleration } from '../../../builtin/core-v1.ts'
import { append, type FieldError, forbidden, invalid, required } from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { set, setOrDrop } from '../../rule/change.ts'
import { semanticallyEqual } from '../../rule/equality.ts'
import { validateImageText } from '../container/validation.ts'
import { validateTolerations } from './validation.ts'
import { countOf, numberOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { joinedKey } from '../../rule/repetition.ts'

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Validates that an update of a pod changes only its mutable fields (core `ValidatePodUpdate`). */
export function validatePodSpecUpdate(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['containers', 'initContainers'] as const) {
    if (objectsOf(spec[key]).length !== objectsOf(old[key]).length)
      return [...errors, forbidden(`${path}.${key}`, 'pod updates may not add or remove containers')]
    objectsOf(spec[key]).forEach((container, index) => {
      const at = `${path}.${key}[${index}]`
      if (textOf(container.image) === '') errors.push(required(`${at}.image`))
      append(errors, validateImageText(container, at))
    })
  }
  const deadline = validateDeadline(spec, old, `${path}.activeDeadlineSeconds`)
  append(errors, deadline)
  // A deadline that is later is the last that is said; one that is gone is not.
  if (deadline.length > 0 && numberOf(spec.activeDeadlineSeconds) !== undefined) return errors
  append(errors, validateTolerationUpdate(spec, old, `${path}.tolerations`))
  append(errors, validateGates(spec, old, `${path}.schedulingGates`))
  if (semanticallyEqual(spec, old)) return errors
  const gated = objectsOf(old.schedulingGates).length > 0
  if (gated) append(errors, validateSelectorUpdate(spec, old, `${path}.nodeSelector`))
  return semanticallyEqual(withChangeable(spec, old, gated), old)
    ? errors
    : [...errors, forbidden(path, `pod updates may not change fields other than ${CHANGEABLE}`)]
}

/** The node requirements of a gated pod may become stricter, not weaker. */
function validateSelectorUpdate(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const now = objectOf(spec.nodeSelector)
  const kept = Object.entries(objectOf(old.nodeSelector)).every(([key, value]) => now[key] === value)
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
  return kept ? [] : [invalid(path, now, detail)]
}

/** The new spec with everything that may change put back to what it was. */
function withChangeable(spec: PodSpec, old: PodSpec, gated: boolean): PodSpec {
  let munged = setOrDrop(spec, 'activeDeadlineSeconds', old.activeDeadlineSeconds)
  munged = setOrDrop(munged, 'tolerations', old.tolerations)
  munged = setOrDrop(munged, 'schedulingGates', old.schedulingGates)
  for (const key of ['containers', 'initContainers'] as const) {
    const before = objectsOf(old[key])
    if (before.length === 0) continue
    const after = objectsOf(spec[key]).map((container, index) => set(container, 'image', before[index]?.image))
    munged = set(munged, key, after)
  }
  if (countOf(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged = set(munged, 'terminationGracePeriodSeconds', old.terminationGracePeriodSeconds)
  }
  // A pod that may not be scheduled yet may still get a node selector.
  return gated ? withNodeAffinity(setOrDrop(munged, 'nodeSelector', old.nodeSelector), old) : munged
}

/** The spec with the stored node affinity; affinities to pods are not its own to change. */
function withNodeAffinity(spec: PodSpec, old: PodSpec): PodSpec {
  const { nodeAffinity: _now, ...others } = objectOf(spec.affinity)
  const stored = objectOf(old.affinity).nodeAffinity
  const affinity = stored === undefined ? others : { ...others, nodeAffinity: stored }
  return Object.keys(affinity).length === 0 && old.affinity === undefined
    ? setOrDrop(spec, 'affinity', undefined)
    : set(spec, 'affinity', affinity)
}

function validateDeadline(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const before = numberOf(old.activeDeadlineSeconds)
  const after = numberOf(spec.activeDeadlineSeconds)
  if (after !== undefined) {
    if (after < 0 || after > 2_147_483_647)
      return [invalid(path, spec.activeDeadlineSeconds, 'must be between 0 and 2147483647, inclusive')]
    return before !== undefined && after > before
      ? [invalid(path, after, 'must be less than or equal to previous value')]
      : []
  }
  return before === undefined ? [] : [invalid(path, null, 'must not update from a positive integer to nil value')]
}

function validateGates(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const before = new Set(objectsOf(old.schedulingGates).map((gate) => textOf(gate.name)))
  const added = objectsOf(spec.schedulingGates).map((gate) => textOf(gate.name))
  return added.flatMap((name, index) =>
    before.has(name)
      ? []
      : [forbidden(`${path}[${index}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  )
}

/** Tolerations may be added; those that are there may change only how long they tolerate. */
function validateTolerationUpdate(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const after = new Set(objectsOf(spec.tolerations).map(taintOf))
  const kept = objectsOf(old.tolerations).every((toleration) => after.has(taintOf(toleration)))
  return kept
    ? validateTolerations(spec.tolerations, path)
    : [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')]
}

const taintOf = (toleration: Toleration): string =>
  joinedKey(...(['key', 'operator', 'value', 'effect'] as const).map((field) => textOf(toleration[field])))

/** `pods/ephemeralcontainers` adds containers and changes nothing else (core `ValidatePodEphemeralContainersUpdate`). */
export function validateEphemeralContainersUpdate(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const after = new Map(objectsOf(spec.ephemeralContainers).map((container) => [textOf(container.name), container]))
  return objectsOf(old.ephemeralContainers).flatMap((container) => {
    const name = textOf(container.name)
    const now = after.get(name)
    if (now === undefined) return [forbidden(path, `existing ephemeral containers "${name}" may not be removed\n`)]
    return semanticallyEqual(now, container)
      ? []
      : [forbidden(path, `existing ephemeral containers "${name}" may not be changed\n`)]
  })
}

/** `pods/resize` changes cpu and memory of containers only, and takes none of them away (core `ValidatePodResize`). */
export function validateResize(spec: PodSpec, old: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  let munged = setOrDrop(spec, 'resources', old.resources)
  for (const key of ['containers', 'initContainers'] as const) {
    const before = objectsOf(old[key])
    if (before.length === 0 || before.length !== objectsOf(spec[key]).length) continue
    const after = objectsOf(spec[key]).map((container, index) => {
      const stored: Container = before[index] ?? {}
      const resources = objectOf(container.resources)
      const at = `${path}.${key}[${index}].resources`
      for (const side of SIDES) {
        const removed = ['cpu', 'memory'].some(
          (name) => name in objectOf(objectOf(stored.resources)[side]) && !(name in objectOf(resources[side])),
        )
        if (removed) errors.push(forbidden(`${at}.${side}`, `resource ${side} cannot be removed`))
      }
      const resizable = key === 'containers' || container.restartPolicy === 'Always'
      const kept = setOrDrop(container, 'resizePolicy', stored.resizePolicy)
      return resizable ? set(kept, 'resources', withStoredComputing(resources, objectOf(stored.resources))) : kept
    })
    munged = set(munged, key, after)
  }
  if (errors.length > 0 || semanticallyEqual(munged, old)) return errors
  return [forbidden(path, 'only cpu and memory resources are mutable')]
}

const SIDES = ['requests', 'limits'] as const

/** New resources with the stored cpu and memory. */
function withStoredComputing(resources: ResourceRequirements, stored: ResourceRequirements): JsonObject {
  return SIDES.reduce<JsonObject>((partial, side) => {
    const before = objectOf(stored[side])
    const { cpu: _cpu, memory: _memory, ...others } = objectOf(resources[side])
    const restored = {
      ...others,
      ...('cpu' in before ? { cpu: before.cpu } : {}),
      ...('memory' in before ? { memory: before.memory } : {}),
    }
    return setOrDrop(
      partial,
      side,
      stored[side] === undefined && Object.keys(others).length === 0 ? undefined : restored,
    )
  }, resources)
}
