import { appliedSubject } from '../../schema/apply/subject.ts'
import { numberText } from '../../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { DecodeError, kindOf } from '../../schema/type/decode-error.ts'
import { badRequest } from '../../machinery/status.ts'
import { readJsonAsYaml } from '../../machinery/yaml/json.ts'
import { YamlTextError } from '../../machinery/yaml/text.ts'
import { refuseLongPatch } from './patch-length.ts'
import type { BodyDecoders } from './body-decoders.ts'
import type { Resource } from '../resource/registry.ts'
import { readCustom } from './custom-body.ts'
import { decodedObject } from './read-object.ts'
import type { YamlAsker, YamlTask } from './yaml-reader.ts'
import { unclassified } from '../../schema/patch/error.ts'

/** An applied configuration as it was sent. */
export interface AppliedBody {
  readonly applied: JsonObject
  /** The keys that it sets twice, as `line 5: key "replicas" already set in map`. */
  readonly duplicates: readonly string[]
}

const UNDECODED = 'error decoding YAML: '

/** Reads what is applied to an object of a kind, in YAML or JSON; an empty one is an empty object. Throws 400, 413 and 429. */
export async function readApplied(
  { yaml }: Pick<BodyDecoders, 'yaml'>,
  task: YamlTask,
  kind: string,
  asker: YamlAsker,
): Promise<AppliedBody> {
  try {
    const json = readJsonAsYaml(task.text, task.withDuplicates)
    // The lines of keys that JSON sets twice are those of YAML, whose reader takes long for a long text.
    const read = json === undefined || json.isTwice ? await yaml.read(task, asker) : undefined
    const value = json === undefined ? read?.value : json.value
    refuseLongPatch(value, kind)
    return { applied: appliedObject(value), duplicates: read?.duplicates ?? [] }
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    throw badRequest(`${UNDECODED}error converting YAML to JSON: ${error.message}`)
  }
}

function appliedObject(value: unknown): JsonObject {
  if (isObject(value)) return value
  if (value === null || value === undefined) return {}
  const why = `json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`
  throw badRequest(`${UNDECODED}error unmarshaling JSON: while decoding JSON: ${why}`)
}

/** Throws the 400 of strict validation for keys that were set twice. */
export function refuseDuplicates(duplicates: readonly string[]): void {
  if (duplicates.length === 0) return
  const list = duplicates.map((one) => `\n  ${one}`).join('')
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${list}`)
}

/** Returns the result of a merge as an object of its kind with defaults. Throws 500 for a value that fits the schema but not the kind, 400 for a number that is too large. */
export function mergedObject(resource: Resource, applied: JsonObject, merged: JsonObject): KubeObject {
  try {
    const { schema, strategy } = resource
    if (schema === undefined) return decodedObject(resource, merged, [], 'Ignore').object
    const { object } = readCustom(resource, merged, schema)
    return strategy.defaults?.(object, { keepsNulls: true }) ?? object
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const { subject, kind } = appliedSubject(applied)
    const why = `unable to convert unstructured object to ${kind}: ${converted(error.message)}`
    const message = `failed to convert new object (${subject}) to proper version: ${why}`
    throw isBeyondType(error) ? badRequest(message) : unclassified(message)
  }
}

/** Is it a whole number with more bits than its field has? Upstream cuts it, so that it has no error for one. */
const isBeyondType = ({ mismatch }: DecodeError): boolean =>
  (mismatch?.expected.kind === 'int32' || mismatch?.expected.kind === 'int64') &&
  Number.isInteger(Number(numberText(mismatch.value)))

/** Objects that are parsed already are converted by other code than texts are decoded. */
function converted(message: string): string {
  if (message.startsWith('illegal base64')) return `error decoding from json: ${message}`
  const fraction = /^json: cannot unmarshal number [^ ]*\.[^ ]* into Go .* of type (u?int\d+)$/.exec(message)
  return fraction === null ? message : `cannot convert float64 to ${fraction[1]}`
}
