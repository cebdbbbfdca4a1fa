import { type QuotaDefinition, quotaDefinition } from '../api/quota-definition.ts'
import { type FieldError, invalid, typeInvalid } from '../../../machinery/field-error.ts'
import { isNumber, isTree, numberText } from '../../../machinery/json-value.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { unknownField } from '../../../schema/structural/defaults/unknown-field.ts'
import { prune } from '../../../schema/structural/defaults/prune-unknown.ts'
import { readStructural } from '../../../schema/structural/read-schema.ts'
import { compileStructural } from '../../../schema/structural/compile.ts'
import { validate } from '../../../schema/structural/value/validate.ts'
import { definitionErrors } from './definition-errors.ts'
import type { QuotaDefinitions } from './definitions.ts'

/** Definitions, or their errors; `parsing` means that a field has a wrong type, and nothing else was checked. */
export type ReadDefinitions =
  | { readonly definitions: QuotaDefinitions; readonly errors?: undefined }
  | { readonly stage: 'parsing' | 'validation'; readonly errors: readonly FieldError[] }

const EXTERNAL = 'externalQuotaDefinitionNames'
/** Which errors of the schema say that a value cannot be decoded; what else the schema says is said in other words. */
const DECODING: ReadonlySet<string> = new Set(['FieldValueTypeInvalid'])

const compiled = compileStructural(quotaDefinition.openapi, { path: 'schema', hasStatus: false })

const FILE_SCHEMA = readStructural({
  type: 'object',
  properties: {
    quotas: { type: 'array', items: quotaDefinition.openapi },
    [EXTERNAL]: { type: 'array', items: { type: 'string' } },
  },
})

/**
 * Reads the decoded configuration of the quota operator up to 0.18: `quotas` and `externalQuotaDefinitionNames`. Unknown
 * fields are ignored and null is what is left out, as there.
 */
export function readDefinitionsFile(document: unknown): ReadDefinitions {
  const given = withoutNulls(document) ?? {}
  if (!isObject(given)) return { stage: 'parsing', errors: [typeInvalid('', document, 'must be an object')] }
  const external = given[EXTERNAL] ?? []
  if (!isListOfTexts(external))
    return { stage: 'parsing', errors: [typeInvalid(EXTERNAL, external, 'must be a list of strings')] }
  const errors = external.flatMap((name, index) =>
    name === '' ? [invalid(`${EXTERNAL}[${index}]`, name, 'external quota definition name must not be empty')] : [],
  )
  return withErrors(readQuotas(given, '', external), errors)
}

/** The fields of such a document that it cannot have: most are misspelled, and would be ignored. */
export function unknownFields(document: unknown): readonly FieldError[] {
  return prune(FILE_SCHEMA, document, { root: false }).unknown.map(unknownField)
}

/** Reads the spec of a QuotaServiceConfig (quota operator 1.0). Paths of errors begin with `spec`. */
export function readServiceConfig(spec: unknown): ReadDefinitions {
  const given = withoutNulls(spec) ?? {}
  if (!isObject(given)) return { stage: 'parsing', errors: [typeInvalid('spec', spec, 'must be an object')] }
  return readQuotas(given, 'spec.', [])
}

function withErrors(read: ReadDefinitions, more: readonly FieldError[]): ReadDefinitions {
  if (more.length === 0 || (read.errors !== undefined && read.stage === 'parsing')) return read
  return { stage: 'validation', errors: [...(read.errors ?? []), ...more] }
}

function readQuotas(given: JsonObject, at: string, external: readonly string[]): ReadDefinitions {
  const path = `${at}quotas`
  const list = given['quotas'] ?? []
  if (!Array.isArray(list)) return { stage: 'parsing', errors: [typeInvalid(path, list, 'must be a list')] }
  const quotas = list.map(withAmountsAsTexts)
  const undecodable = quotas.flatMap((definition, index) => decodingErrors(definition, `${path}[${index}]`))
  if (undecodable.length > 0) return { stage: 'parsing', errors: undecodable }
  const errors = definitionErrors(quotas, path)
  if (errors.length > 0) return { stage: 'validation', errors }
  // A file without errors is read in full.
  return { definitions: { quotas: quotas.map((one) => quotaDefinition.read(one) as QuotaDefinition), external } }
}

function decodingErrors(definition: unknown, at: string): readonly FieldError[] {
  if (definition === null) return []
  if (!isObject(definition)) return [typeInvalid(at, definition, 'must be an object')]
  if (!compiled.ok) throw new Error(`the schema of a definition is invalid: ${JSON.stringify(compiled.errors)}`)
  return validate(compiled.schema, definition)
    .filter(({ code }) => DECODING.has(code))
    .map((error) => ({ ...error, path: `${at}.${error.path}` }))
}

/** Kubernetes reads any number as an amount; from here on amounts are texts, so that no digit is lost. */
function withAmountsAsTexts(definition: unknown): unknown {
  return changedAt(definition, ['template', 'spec', 'hard'], (hard) =>
    isTree(hard)
      ? Object.fromEntries(
          Object.entries(hard).map(([name, amount]) => [name, isNumber(amount) ? numberText(amount) : amount]),
        )
      : hard,
  )
}

function changedAt(value: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (!isTree(value) || value[step] === undefined) return value
  return { ...value, [step]: changedAt(value[step], rest, change) }
}

/** Fields that are null are left out, as Go decodes them; items of lists stay. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item) ?? null)
  if (!isTree(value)) return value ?? undefined
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]))
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
