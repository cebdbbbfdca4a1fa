import type { LimitRange, LimitRangeItem, LimitRangeSpec } from '../../builtin/core-v1.ts'
import {
  append,
  areEnough,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
} from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { isQualifiedName } from '../../machinery/names.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import { amountOf } from '../rule/quantity-field.ts'
import { all, at, type Change, each, nullAbsent, set, within } from '../rule/change.ts'
import { isEmptyMap, objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { mayOvercommit, validateContainerResourceName, validateResourceName } from '../rule/resource-name.ts'
import { validateAmount } from './container/resource-requirements.ts'
import { rounded } from '../rule/rounded-amounts.ts'
import type { Strategies } from '../strategy/strategy.ts'

const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod']
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
type List = (typeof LISTS)[number]
const NO_LIST: JsonObject = {}
const NONE: readonly FieldError[] = []
type Bounds = Readonly<Record<List, Quantity | undefined>>

/** For containers: default ← max, defaultRequest ← default, then ← min, each where absent (`SetDefaults_LimitRangeItem`). */
const itemDefaults: Change = (item) => {
  if (item.type !== 'Container') return item
  const defaults = merged(objectOf(item.max), objectOf(item.default))
  const requests = merged(merged(objectOf(item.min), defaults), objectOf(item.defaultRequest))
  if (isEmptyMap(requests)) return item
  const withDefault = defaults !== requests && isEmptyMap(defaults) ? item : set(item, 'default', defaults)
  return set(withDefault, 'defaultRequest', requests)
}

/** The members of both, those of the second first of all; one of them itself where the other is empty, since lists may be long. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  if (under === over || isEmptyMap(over)) return under
  return isEmptyMap(under) ? over : { ...under, ...over }
}

const roundedLists: Change = all(...LISTS.map((list) => at(list, rounded)))

/** The defaults of a `LimitRangeSpec`. Amounts are rounded first, so that lists which follow from others stay the same ones. */
export const defaultLimitRangeSpec: Change = all(each('limits', all(roundedLists, itemDefaults)), nullAbsent('limits'))

/** The errors in the spec of a LimitRange with its defaults (core `ValidateLimitRange`). `at`: the path of the spec. */
export function validateLimitRangeSpec(spec: LimitRangeSpec, at: string): readonly FieldError[] {
  const seen = new Set<string>()
  return objectsOf(spec.limits).flatMap((item, index) => {
    const path = `${at}.limits[${index}]`
    const type = textOf(item.type)
    const errors = [...validateType(type, `${path}.type`)]
    if (seen.has(type)) errors.push(duplicate(`${path}.type`, type))
    seen.add(type)
    return [...errors, ...validateItem(item, type, path)]
  })
}

function validateType(type: string, path: string): readonly FieldError[] {
  const wrong = isQualifiedName(type)
  if (wrong.length > 0) return wrong.map((text) => invalid(path, type, text))
  return type.includes('/') || TYPES.includes(type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')]
}

function validateItem(item: LimitRangeItem, type: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  /** Most names stand in several lists, and many lists are defaults: the very list of which they are made. */
  const valid = new Set<string>()
  const sound = new Set<JsonObject>()
  const ofContainers = type === 'Pod' || type === 'Container'
  for (const list of LISTS) {
    if (type === 'Pod' && (list === 'default' || list === 'defaultRequest')) {
      if (!isEmptyMap(item[list]))
        errors.push(forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"))
      continue
    }
    const amounts = objectOf(item[list])
    if (sound.has(amounts)) continue
    const before = errors.length
    for (const name of Object.keys(amounts)) {
      if (areEnough(errors)) return errors
      names.add(name)
      const at = `${path}.${list}[${name}]`
      if (!valid.has(name)) {
        const wrong = ofContainers ? validateContainerResourceName(name, at) : validateResourceName(name, at)
        if (wrong.length === 0) valid.add(name)
        append(errors, wrong)
      }
      const amount = amountOf(amounts[name])
      if (amount !== undefined && list !== 'maxLimitRequestRatio') append(errors, validateAmount(name, amount, at))
    }
    if (errors.length === before && list !== 'maxLimitRequestRatio') sound.add(amounts)
  }
  if (type === 'PersistentVolumeClaim' && !('storage' in objectOf(item.min)) && !('storage' in objectOf(item.max))) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(required(`${path}.limits`, detail))
  }
  const broken: { readonly name: string; readonly errors: readonly FieldError[] }[] = []
  const boundsOf = boundsIn(item, type)
  for (const name of names) {
    const bounds = boundsOf(name)
    const wrong = bounds === undefined ? NONE : validateBounds(name, bounds, path)
    if (wrong.length > 0) broken.push({ name, errors: wrong })
  }
  for (const { errors: wrong } of broken.toSorted((a, b) => (a.name < b.name ? -1 : 1))) append(errors, wrong)
  return errors
}

/** The amounts that the lists name; undefined where all of them are the same amount, which breaks no bound. */
function boundsIn(item: LimitRangeItem, type: string): (name: string) => Bounds | undefined {
  const forPods = type === 'Pod'
  const [min, max, ratios] = [objectOf(item.min), objectOf(item.max), objectOf(item.maxLimitRequestRatio)]
  const [limits, requests] = forPods ? [NO_LIST, NO_LIST] : [objectOf(item.default), objectOf(item.defaultRequest)]
  const lists = [...new Set([min, max, limits, requests])]
  return (name) => {
    if (ratios[name] === undefined && isSameInAll(lists, name)) return undefined
    return {
      min: amountOf(min[name]),
      max: amountOf(max[name]),
      default: amountOf(limits[name]),
      defaultRequest: amountOf(requests[name]),
      maxLimitRequestRatio: amountOf(ratios[name]),
    }
  }
}

function isSameInAll(lists: readonly JsonObject[], name: string): boolean {
  let known: unknown
  for (const list of lists) {
    const value = list[name]
    if (value === undefined || value === known) continue
    if (known !== undefined) return false
    known = value
  }
  return true
}

/** Which list may not exceed which, where an error stands and whose value it shows, and how each is called. */
const ORDER: readonly {
  readonly low: List
  readonly high: List
  readonly at: List
  readonly value: List
  readonly text: (low: string, high: string) => string
}[] = [
  {
    low: 'min',
    high: 'max',
    at: 'min',
    value: 'min',
    text: (low, high) => `min value ${low} is greater than max value ${high}`,
  },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    value: 'defaultRequest',
    text: (low, high) => `min value ${low} is greater than default request value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    value: 'defaultRequest',
    text: (low, high) => `default request value ${low} is greater than max value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    value: 'defaultRequest',
    text: (low, high) => `default request value ${low} is greater than default limit value ${high}`,
  },
  {
    low: 'min',
    high: 'default',
    at: 'default',
    value: 'min',
    text: (low, high) => `min value ${low} is greater than default value ${high}`,
  },
  {
    low: 'default',
    high: 'max',
    at: 'default',
    value: 'max',
    text: (low, high) => `default value ${low} is greater than max value ${high}`,
  },
]

function validateBounds(name: string, bounds: Bounds, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const { low, high, at, value, text } of ORDER) {
    const lower = bounds[low]
    const upper = bounds[high]
    if (lower === undefined || upper === undefined || lower.cmp(upper) <= 0) continue
    errors.push(invalid(`${path}.${at}[${name}]`, bounds[value]?.toString(), text(lower.toString(), upper.toString())))
  }
  append(errors, validateRatio(name, bounds, path))
  const { default: limit, defaultRequest: request } = bounds
  if (!mayOvercommit(name) && limit !== undefined && request !== undefined && !limit.equals(request)) {
    const detail = `default value ${limit.toString()} must equal to defaultRequest value ${request.toString()} in ${name}`
    errors.push(invalid(`${path}.defaultRequest[${name}]`, request.toString(), detail))
  }
  return errors
}

function validateRatio(
  name: string,
  { min, max, maxLimitRequestRatio: ratio }: Bounds,
  path: string,
): readonly FieldError[] {
  if (ratio === undefined) return []
  const at = `${path}.maxLimitRequestRatio[${name}]`
  const value = ratio.toString()
  if (ratio.milliValue() < 1000n) return [invalid(at, value, `ratio ${value} is less than 1`)]
  if (min === undefined || max === undefined || min.isZero()) return []
  const widest = max.toApproximateNumber() / min.toApproximateNumber()
  return ratio.toApproximateNumber() > widest
    ? [invalid(at, value, `ratio ${value} is greater than max/min = ${widest.toFixed(6)}`)]
    : []
}

export const limitRangeStrategies: Strategies = {
  limitranges: {
    shortNames: ['limits'],
    allowCreateOnUpdate: true,
    defaults: within('spec', defaultLimitRangeSpec),
    validate: (object: LimitRange) => validateLimitRangeSpec(specOf(object), 'spec'),
  },
}
