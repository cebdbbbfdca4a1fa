import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { canonicalFields, EMPTY, type FieldSet } from '../field/field-set.ts'
import { FieldSetError } from '../field/path-element.ts'
import { textOf } from '../../../machinery/read.ts'

export type ManagedFieldsOperationType = 'Apply' | 'Update'

/** The fields that one manager owns: one entry of `metadata.managedFields`. */
export interface Manager {
  readonly manager: string
  readonly operation: ManagedFieldsOperationType
  readonly apiVersion: string
  readonly subresource: string
  /** RFC 3339, or `undefined` for one that never changed the object. */
  readonly time: string | undefined
  readonly fields: FieldSet
}

/** By `managerKey`. */
export type Managers = ReadonlyMap<string, Manager>

/**
 * Returns the key of a manager. Managers that apply differ by name and subresource, those that update by their apiVersion too. The text
 * is the one that upstream builds, because ties are broken by its order.
 */
export function managerKey(of: Pick<Manager, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  return JSON.stringify({
    ...(of.manager === '' ? {} : { manager: of.manager }),
    operation: of.operation,
    ...(of.operation === 'Apply' || of.apiVersion === '' ? {} : { apiVersion: of.apiVersion }),
    ...(of.subresource === '' ? {} : { subresource: of.subresource }),
  })
}

/**
 * Reads `metadata.managedFields`. `trusted`: the server wrote them itself, so the field sets are canonical and are
 * taken as they are. Throws `FieldSetError`.
 */
export function readManagers(entries: readonly JsonObject[], trusted: boolean): Managers {
  const managers = new Map<string, Manager>()
  entries.forEach((entry, index) => {
    const { operation } = entry
    if (operation !== 'Apply' && operation !== 'Update')
      throw new FieldSetError('operation must be `Apply` or `Update`')
    const apiVersion = textOf(entry['apiVersion'])
    if (apiVersion === '') throw new FieldSetError('apiVersion must not be empty')
    const fieldsType = textOf(entry['fieldsType'])
    if (fieldsType === '') throw new FieldSetError(`missing fieldsType in managed fields entry ${index}`)
    if (fieldsType !== 'FieldsV1') {
      throw new FieldSetError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`)
    }
    const manager: Manager = {
      manager: textOf(entry['manager']),
      operation,
      apiVersion,
      subresource: textOf(entry['subresource']),
      time: typeof entry['time'] === 'string' ? entry['time'] : undefined,
      fields: entryFields(entry, trusted),
    }
    managers.set(managerKey(manager), manager)
  })
  return managers
}

function entryFields(entry: JsonObject, trusted: boolean): FieldSet {
  try {
    return fieldsOf(entry['fieldsV1'], trusted)
  } catch (error) {
    if (!(error instanceof FieldSetError)) throw error
    throw new FieldSetError(`error decoding versioned set from ${printed(entry)}: error decoding set: ${error.message}`)
  }
}

/** An entry as Go prints its struct. */
function printed(entry: JsonObject): string {
  const time = textOf(entry['time'])
  const shown = [
    ...['manager', 'operation', 'apiVersion'].map((name) => textOf(entry[name])),
    time === '' ? '<nil>' : `${time.slice(0, 10)} ${time.slice(11, 19)} +0000 UTC`,
    textOf(entry['fieldsType']),
    JSON.stringify(entry['fieldsV1']),
    textOf(entry['subresource']),
  ]
  return `{${shown.join(' ')}}`
}

/**
 * The errors in `metadata.managedFields` that somebody else wrote (upstream `ValidateManagedFields`); undefined when nothing
 * is.
 */
export function managedFieldsProblem(entries: readonly JsonObject[]): string | undefined {
  try {
    readManagers(entries, false)
    return undefined
  } catch (error) {
    if (error instanceof FieldSetError) return error.message
    throw error
  }
}

function fieldsOf(fields: unknown, trusted: boolean): FieldSet {
  if (fields === undefined || fields === null) return EMPTY
  return trusted && isObject(fields) ? (fields as FieldSet) : canonicalFields(fields)
}

/** The entries of `metadata.managedFields`: those that apply first, then by time to the second, name, version. */
export function writeManagers(managers: Managers): JsonObject[] {
  // A new object has one manager, so there is nothing to sort.
  if (managers.size < 2) return [...managers.values()].map(entryOf)
  const dated = [...managers.values()].map((one) => ({ one, at: seconds(one.time) }))
  return dated.toSorted(compareManagers).map(({ one }) => entryOf(one))
}

function entryOf({ manager, operation, apiVersion, time, fields, subresource }: Manager): JsonObject {
  const entry: Record<string, unknown> = {}
  if (manager !== '') entry['manager'] = manager
  entry['operation'] = operation
  entry['apiVersion'] = apiVersion
  if (time !== undefined) entry['time'] = time
  entry['fieldsType'] = 'FieldsV1'
  entry['fieldsV1'] = fields
  if (subresource !== '') entry['subresource'] = subresource
  return entry
}

interface Dated {
  readonly one: Manager
  readonly at: number
}

function compareManagers({ one: a, at }: Dated, { one: b, at: other }: Dated): number {
  return (
    byCodePoint(a.operation, b.operation) ||
    at - other ||
    byCodePoint(a.manager, b.manager) ||
    byCodePoint(a.apiVersion, b.apiVersion) ||
    byCodePoint(a.subresource, b.subresource)
  )
}

/** Unix seconds; 0 for no time. */
export function seconds(time: string | undefined): number {
  const parsed = time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)
  return Number.isNaN(parsed) ? 0 : parsed
}
