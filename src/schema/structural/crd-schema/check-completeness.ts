import type { JSONSchemaProps } from '../../../builtin/apiextensions-v1.ts'
import { type FieldError, required } from '../../../machinery/field-error.ts'
import { membersOf, schemaOf, schemasOf } from './document.ts'

/**
 * Every field and list that `allOf` and its kin speak of must be specified outside of them too. `path` is where the schema
 * stands; errors are added to `errors`.
 */
export function checkCompleteness(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  checkJunctors(schema, schema, path, path, errors)
}

function checkJunctors(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps,
  path: string,
  nestedPath: string,
  errors: FieldError[],
): void {
  const not = schemaOf(nested, 'not')
  if (not !== undefined) checkNested(not, schema, path, `${nestedPath}.not`, errors)
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    schemasOf(nested, name).forEach((each, at) => {
      checkNested(each, schema, path, `${nestedPath}.${name}[${at}]`, errors)
    })
  }
}

function checkNested(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  path: string,
  nestedPath: string,
  errors: FieldError[],
): void {
  if (schema === undefined) {
    errors.push(required(path, `because it is defined in ${nestedPath}`))
    return
  }
  checkJunctors(nested, schema, path, nestedPath, errors)
  const items = schemaOf(nested, 'items')
  if (items !== undefined) {
    checkNested(items, schemaOf(schema, 'items'), `${path}.items`, `${nestedPath}.items`, errors)
  }
  const properties = new Map(membersOf(schema, 'properties'))
  for (const [name, child] of membersOf(nested, 'properties')) {
    const place = `.properties[${name}]`
    checkNested(child, properties.get(name), path + place, nestedPath + place, errors)
  }
}
