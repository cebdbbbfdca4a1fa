import { append, type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { isDNS1123Subdomain, subdomainName } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { configKeyProblems } from '../../rule/config-key.ts'
import { ENV_FIELDS, validateFieldRef, validateResourceRef } from './downward-api.ts'
import { absent, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { obeys } from '../../rule/value.ts'

const VARIABLE_TEXT = "a valid environment variable name must consist only of printable ASCII characters other than '='"

const variableProblems = (name: string): readonly string[] => (/^[ -<>-~]+$/.test(name) ? [] : [VARIABLE_TEXT])

const TOO_MANY = 'may not have more than one field specified at a time'

type Check = (source: JsonObject, path: string) => readonly FieldError[]

const keyOfObject: Check = (source, path) => [
  ...obeys(textOf(source.name), isDNS1123Subdomain, `${path}.name`),
  ...(textOf(source.key) === ''
    ? [required(`${path}.key`)]
    : obeys(textOf(source.key), configKeyProblems, `${path}.key`)),
]

/** Where a variable's value may come from, in the order of the errors. */
const SOURCES: Readonly<Record<string, Check>> = {
  fieldRef: (source, path) => validateFieldRef(source, ENV_FIELDS, path),
  resourceFieldRef: (source, path) => validateResourceRef(source, false, path),
  configMapKeyRef: keyOfObject,
  secretKeyRef: keyOfObject,
  fileKeyRef: () => [],
}

/** Environment variables (core `ValidateEnv`). */
export function validateEnv(env: unknown, path: string): readonly FieldError[] {
  return objectsOf(env).flatMap((variable, index) => {
    const at = `${path}[${index}]`
    const name = textOf(variable.name)
    return [
      ...(name === '' ? [required(`${at}.name`)] : obeys(name, variableProblems, `${at}.name`)),
      ...(absent(variable.valueFrom) ? [] : validateValueFrom(variable, `${at}.valueFrom`)),
    ]
  })
}

function validateValueFrom(variable: JsonObject, path: string): readonly FieldError[] {
  const from = objectOf(variable.valueFrom)
  const given = Object.keys(SOURCES).filter((key) => !absent(from[key]))
  const errors = given.flatMap((key) => SOURCES[key]?.(objectOf(from[key]), `${path}.${key}`) ?? [])
  const detail =
    given.length === 0
      ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
      : textOf(variable.value) !== ''
        ? 'may not be specified when `value` is not empty'
        : given.length > 1
          ? TOO_MANY
          : undefined
  return detail === undefined ? errors : [...errors, invalid(path, '', detail)]
}

/** ConfigMaps and Secrets whose keys all become variables (core `ValidateEnvFrom`). */
export function validateEnvFrom(envFrom: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  objectsOf(envFrom).forEach((entry, index) => {
    const at = `${path}[${index}]`
    const prefix = textOf(entry.prefix)
    if (prefix !== '') append(errors, obeys(prefix, variableProblems, `${at}.prefix`))
    const given = ['configMapRef', 'secretRef'].filter((key) => !absent(entry[key]))
    for (const key of given) {
      const name = textOf(objectOf(entry[key]).name)
      if (name === '') errors.push(required(`${at}.${key}.name`))
      else
        append(
          errors,
          obeys(name, (text) => subdomainName(text, true), `${at}.${key}.name`),
        )
    }
    if (given.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (given.length > 1) errors.push(invalid(path, '', TOO_MANY))
  })
  return errors
}
