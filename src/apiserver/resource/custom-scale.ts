import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { kindOf, exactNumber } from '../../machinery/jsonpath/json-kind.ts'
import { goText, goTypeName } from '../../machinery/jsonpath/go-text.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { ScalePaths } from './served-resource.ts'
import { absent, countOf, textAt, valueAt } from '../../machinery/read.ts'
import type { ScaleRules } from '../../kinds/strategy/strategy.ts'

const MAX_INT32 = 2 ** 31 - 1

type Keys = readonly string[]

/** `.spec.replicas` as its keys; CRDs allow no other steps. */
const keysOf = (path: string): Keys => path.split('.').filter((key) => key !== '')

/** A scale that reads and writes the places which the CRD names. */
export function customScale({ specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: ScalePaths): ScaleRules {
  const wanted = keysOf(specReplicasPath)
  const actual = keysOf(statusReplicasPath)
  const selector = keysOf(labelSelectorPath)
  return {
    replicasPath: wanted,
    specReplicas: (object) => countOf(valueAt(object, ...wanted)),
    statusReplicas: (object) => countOf(valueAt(object, ...actual)),
    selector: (object) => (selector.length === 0 ? '' : textAt(object, ...selector)),
    withReplicas: (object, replicas) => withValueAt(object, wanted, replicas),
    isValidated: true,
    unreadable: (object) =>
      absent(valueAt(object, ...wanted))
        ? `the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`
        : undefined,
  }
}

function withValueAt<T extends JsonObject>(object: T, [first = '', ...rest]: Keys, value: unknown): T {
  const inner = object[first]
  return { ...object, [first]: rest.length === 0 ? value : withValueAt(isObject(inner) ? inner : {}, rest, value) }
}

/** Returns the errors of the values that a scale would show. Their places are named as the CRD names them. */
export function validateScale(
  { specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: ScalePaths,
  object: KubeObject,
): readonly FieldError[] {
  return [
    ...validateReplicas(specReplicasPath, object),
    ...validateReplicas(statusReplicasPath, object),
    ...(labelSelectorPath === '' ? [] : validateSelector(labelSelectorPath, object)),
  ]
}

function validateReplicas(path: string, object: KubeObject): readonly FieldError[] {
  const found = lookUp(path, object, 'int64', (value) => kindOf(value) === 'int')
  if ('problem' in found) return [invalid(path, 0, found.problem)]
  const replicas = exactNumber(found.value) ?? 0
  if (replicas < 0) return [invalid(path, found.value, 'should be a non-negative integer')]
  return replicas > MAX_INT32 ? [invalid(path, found.value, `should be less than or equal to ${MAX_INT32}`)] : []
}

function validateSelector(path: string, object: KubeObject): readonly FieldError[] {
  const found = lookUp(path, object, 'string', (value) => typeof value === 'string')
  return 'problem' in found ? [invalid(path, '', found.problem)] : []
}

/** The value at a path, undefined where there is none; or how Go complains of what is not of its type. */
function lookUp(
  path: string,
  object: JsonObject,
  goType: string,
  is: (value: unknown) => boolean,
): { readonly value: unknown } | { readonly problem: string } {
  const keys = keysOf(path)
  let value: unknown = object
  for (const [index, key] of keys.entries()) {
    if (absent(value)) return { value: undefined }
    if (!isObject(value)) return { problem: wrong(keys.slice(0, index + 1), value, 'map[string]interface{}') }
    if (!Object.hasOwn(value, key)) return { value: undefined }
    value = value[key]
  }
  return is(value) ? { value } : { problem: wrong(keys, value, goType) }
}

const wrong = (keys: Keys, value: unknown, wanted: string): string =>
  `.${keys.join('.')} accessor error: ${goText(value)} is of the type ${goTypeName(value)}, expected ${wanted}`
