import type { PodSpec } from '../../../builtin/core-v1.ts'
import { INTEGER_NAMES } from '../../resource-quota/resource-names.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { aggregate, isPodLevelName } from './pod-level-resources.ts'
import { absent, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { isExtendedName, mayOvercommit, validateContainerResourceName } from '../../rule/resource-name.ts'

const NONE: readonly FieldError[] = []
const HUGE_PAGES = 'hugepages-'

/** An amount must not be negative, and whole for what is counted (core `ValidateResourceQuantityValue`). */
export function validateAmount(name: string, amount: Quantity, path: string): readonly FieldError[] {
  if (amount.sign() < 0) return [invalid(path, amount.toString(), 'must be greater than or equal to 0')]
  if (amount.milliValue() % 1000n === 0n) return NONE
  const mustBeWhole = INTEGER_NAMES.has(name) || isExtendedName(name)
  return mustBeWhole ? [invalid(path, amount.toString(), 'must be an integer')] : NONE
}

/** Of huge pages one has whole ones; undefined where the name contains no size. */
export function pageSizeOf(name: string): bigint | undefined {
  const size = amountOf(name.slice(HUGE_PAGES.length))
  return size === undefined || size.sign() <= 0 || size.milliValue() % 1000n !== 0n ? undefined : size.value()
}

function validatePages(name: string, amount: Quantity, path: string): readonly FieldError[] {
  if (!name.startsWith(HUGE_PAGES)) return NONE
  const size = pageSizeOf(name)
  if (size !== undefined && amount.value() % size === 0n) return NONE
  const text = amount.toString()
  return [invalid(path, text, `${text} is not positive integer multiple of ${name}`)]
}

/** A container's `resources`: names, amounts, and requests within limits (core `ValidateResourceRequirements`). */
export function validateContainerResources(
  resources: JsonObject,
  podClaims: ReadonlySet<string>,
  path: string,
): readonly FieldError[] {
  if (absent(resources.limits) && absent(resources.requests) && absent(resources.claims)) return NONE
  const errors: FieldError[] = []
  const limits = objectOf(resources.limits)
  const requests = objectOf(resources.requests)
  const seen = { hugePages: false, cpuOrMemory: false }
  const check = (name: string, value: unknown, side: 'limits' | 'requests'): Quantity | undefined => {
    const amount = amountOf(value)
    if (amount === undefined) return undefined
    const at = `${path}.${side}[${name}]`
    if (name === 'cpu' || name === 'memory') seen.cpuOrMemory = true
    if (name.startsWith(HUGE_PAGES)) seen.hugePages = true
    append(errors, validateContainerResourceName(name, at))
    append(errors, validateAmount(name, amount, at))
    append(errors, validatePages(name, amount, at))
    return amount
  }
  for (const name in limits) check(name, limits[name], 'limits')
  for (const name in requests) {
    const request = check(name, requests[name], 'requests')
    const limit = amountOf(limits[name])
    if (request !== undefined) append(errors, requestWithinLimit(name, request, limit, path))
  }
  if (seen.hugePages && !seen.cpuOrMemory) errors.push(forbidden(path, 'HugePages require cpu or memory'))
  if (!absent(resources.claims)) append(errors, validateClaims(resources, podClaims, `${path}.claims`))
  return errors
}

function requestWithinLimit(
  name: string,
  request: Quantity,
  limit: Quantity | undefined,
  path: string,
): readonly FieldError[] {
  if (limit === undefined) {
    return mayOvercommit(name)
      ? NONE
      : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')]
  }
  const order = request.cmp(limit)
  if (order !== 0 && !mayOvercommit(name)) {
    return [invalid(`${path}.requests`, request.toString(), `must be equal to ${name} limit of ${limit.toString()}`)]
  }
  if (order <= 0) return NONE
  return [
    invalid(
      `${path}.requests`,
      request.toString(),
      `must be less than or equal to ${name} limit of ${limit.toString()}`,
    ),
  ]
}

function validateClaims(resources: JsonObject, podClaims: ReadonlySet<string>, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  objectsOf(resources.claims).forEach((claim, index) => {
    const name = textOf(claim.name)
    const key = `${name}/${textOf(claim.request)}`
    if (name === '') errors.push(required(`${path}[${index}]`))
    else if (seen.has(key)) errors.push(duplicate(`${path}[${index}]`, name))
    else if (!podClaims.has(name))
      errors.push({ code: 'FieldValueNotFound', path: `${path}[${index}]`, value: name, detail: '' })
    seen.add(key)
  })
  return errors
}

/** A pod's own `resources`: cpu, memory and huge pages only, and no less than its containers need together. */
export function validatePodResources(spec: PodSpec, path: string): readonly FieldError[] {
  if (absent(spec.resources)) return NONE
  const resources = objectOf(spec.resources)
  const errors: FieldError[] = []
  if (!absent(resources.claims))
    errors.push(forbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'))
  for (const side of ['limits', 'requests'] as const) {
    for (const [name, value] of Object.entries(objectOf(resources[side]))) {
      const at = `${path}.${side}[${name}]`
      const amount = amountOf(value)
      if (!isPodLevelName(name)) errors.push(notSupported(at, name, ['cpu', 'hugepages-', 'memory']))
      else if (amount !== undefined) {
        append(errors, validateAmount(name, amount, at))
        append(errors, validatePages(name, amount, at))
      }
    }
  }
  for (const [name, value] of Object.entries(objectOf(resources.requests))) {
    const request = amountOf(value)
    if (request !== undefined)
      append(errors, requestWithinLimit(name, request, amountOf(objectOf(resources.limits)[name]), path))
  }
  for (const [name, needed] of aggregate(spec, 'requests')) {
    const request = amountOf(objectOf(resources.requests)[name])
    if (request === undefined || request.cmp(needed) >= 0) continue
    const detail = `must be greater than or equal to aggregate container requests of ${needed.toString()}`
    errors.push(invalid(`${path}.requests[${name}]`, request.toString(), detail))
  }
  return errors
}
