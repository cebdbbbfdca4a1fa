import { type FieldError, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { isQualifiedName } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { textOf } from '../../../machinery/read.ts'
import { obeys } from '../../rule/value.ts'

/** Fields of its pod that a variable may show. */
export const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** Fields of its pod that a file may show. */
export const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]
/** The supported field paths, with or without a key of a map. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
])

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/

/** How each resource may be divided, and how messages call it. */
const DIVISORS: readonly {
  readonly of: RegExp
  readonly allowed: readonly string[]
  readonly text: string
  readonly called: string
}[] = [
  { of: /\.cpu$/, allowed: ['1m', '1'], text: '1m and 1', called: 'cpu' },
  { of: /\.memory$/, allowed: BYTE_DIVISORS, text: BYTE_DIVISORS.join(', '), called: 'memory' },
  {
    of: /\.ephemeral-storage$/,
    allowed: BYTE_DIVISORS,
    text: BYTE_DIVISORS.join(', '),
    called: 'local ephemeral storage',
  },
  { of: HUGE_PAGES, allowed: BYTE_DIVISORS, text: BYTE_DIVISORS.join(', '), called: 'hugepages' },
]

/** The errors in a `fieldRef` (core `validateObjectFieldSelector`). */
export function validateFieldRef(ref: JsonObject, fields: readonly string[], path: string): readonly FieldError[] {
  const version = textOf(ref.apiVersion)
  const field = textOf(ref.fieldPath)
  if (version === '') return [required(`${path}.apiVersion`)]
  if (field === '') return [required(`${path}.fieldPath`)]
  const problem = conversionProblem(version, field)
  if (problem !== undefined) return [invalid(`${path}.fieldPath`, field, `error converting fieldPath: ${problem}`)]
  const subscript = subscriptOf(field)
  if (subscript !== undefined) {
    return obeys(field.startsWith('metadata.annotations') ? subscript.toLowerCase() : subscript, isQualifiedName, path)
  }
  const converted = field === 'spec.host' ? 'spec.nodeName' : field
  return fields.includes(converted) ? [] : [notSupported(`${path}.fieldPath`, converted, fields)]
}

/** `metadata.labels['app']` has the subscript `app`. */
const subscriptOf = (field: string): string | undefined => /^[^[]+\['(.*)'\]$/.exec(field)?.[1]

function conversionProblem(version: string, field: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`
  if (subscriptOf(field) !== undefined) {
    const map = field.slice(0, field.indexOf('['))
    return map === 'metadata.annotations' || map === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${field}`
  }
  return KNOWN_FIELDS.has(field) ? undefined : `field label not supported: ${field}`
}

/** The errors in a `resourceFieldRef` (core `validateContainerResourceFieldSelector`). */
export function validateResourceRef(ref: JsonObject, inVolume: boolean, path: string): readonly FieldError[] {
  const resource = textOf(ref.resource)
  const errors: FieldError[] = []
  if (inVolume && textOf(ref.containerName) === '') errors.push(required(`${path}.containerName`))
  else if (resource === '') errors.push(required(`${path}.resource`))
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(notSupported(`${path}.resource`, resource, RESOURCES))
  }
  const divisor = amountOf(ref.divisor)
  if (divisor === undefined || divisor.isZero()) return errors
  const rule = DIVISORS.find(({ of }) => of.test(resource))
  if (rule !== undefined && !rule.allowed.includes(divisor.toString())) {
    const detail = `only divisor's values ${rule.text} are supported with the ${rule.called} resource`
    errors.push(invalid(`${path}.divisor`, resource, detail))
  }
  return errors
}
