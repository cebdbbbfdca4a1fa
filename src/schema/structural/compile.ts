import type { JsonObject } from '../../machinery/object.ts'
import type { JSONSchemaProps } from '../../builtin/apiextensions-v1.ts'
import { textOf } from '../../machinery/read.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { checkDefaults } from './check-defaults.ts'
import { checkCrdSchema, checkRoot } from './crd-schema/check.ts'
import { checkStructure } from './crd-schema/check-structure.ts'
import { patternErrors } from './value/pattern.ts'
import { readStructural } from './read-schema.ts'
import type { RuleEvaluator } from './value/rules.ts'
import { membersOf, schemaOf, schemasOf } from './crd-schema/document.ts'
import type { StructuralSchema } from './value/structural-schema.ts'

export type CompiledSchema =
  | { readonly ok: true; readonly schema: StructuralSchema }
  | { readonly ok: false; readonly errors: readonly FieldError[] }

export interface SchemaCompileOptions {
  /** Where the schema stands: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path: string
  /** Does the version have the status subresource? Then few keywords are allowed at the root. */
  readonly hasStatus?: boolean
  /** Evaluates the rules that defaults are held against; without it they are not looked at. */
  readonly evaluate?: RuleEvaluator
}

/**
 * Checks a new CRD's schema and compiles it. The errors are those of the real API server, in its
 * order; the expressions of `x-kubernetes-validations` are left to their evaluator.
 */
export function compileStructural(
  openAPIV3Schema: JsonObject,
  { path, hasStatus = false, evaluate }: SchemaCompileOptions,
): CompiledSchema {
  const bombs = patternErrors(openAPIV3Schema, path)
  if (bombs.length > 0) return { ok: false, errors: bombs }
  const rootErrors = checkRoot(openAPIV3Schema, path, hasStatus)
  const crdErrors = checkCrdSchema(openAPIV3Schema, path)
  // Upstream cannot even read these into its form of a schema, so it says nothing of their structure.
  const isReadable = !crdErrors.some(isUnreadable)
  if (isReadable && crdErrors.length + rootErrors.length === 0 && namesDialect(openAPIV3Schema))
    return { ok: false, errors: [invalid(path, '', "OpenAPIV3Schema 'schema' is not supported")] }
  const structureErrors = isReadable ? checkStructure(openAPIV3Schema, path) : []
  if (!isReadable || structureErrors.length > 0) {
    return { ok: false, errors: [...rootErrors, ...structureErrors, ...crdErrors] }
  }
  const schema = readStructural(openAPIV3Schema)
  const errors = [...rootErrors, ...checkDefaults(schema, path, evaluate), ...crdErrors]
  return errors.length > 0 ? { ok: false, errors } : { ok: true, schema }
}

/** Does the schema, or one in it, say by which dialect (`$schema`) it is written? */
function namesDialect(schema: JSONSchemaProps): boolean {
  if (textOf(schema['$schema']) !== '') return true
  const [items, additional, not] = (['items', 'additionalProperties', 'not'] as const).map((name) =>
    schemaOf(schema, name),
  )
  const junctors = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) => schemasOf(schema, name))
  const properties = membersOf(schema, 'properties').map(([, child]) => child)
  return [items, additional, not, ...junctors, ...properties].some((one) => one !== undefined && namesDialect(one))
}

const UNREADABLE = ['.id', '.$ref', '.patternProperties', '.dependencies', '.additionalItems', '.definitions']

function isUnreadable({ code, path, value }: FieldError): boolean {
  if (path.endsWith('.x-kubernetes-preserve-unknown-fields')) return value === false
  return UNREADABLE.some((name) => path.endsWith(name)) || (code === 'FieldValueForbidden' && path.endsWith('.items'))
}
