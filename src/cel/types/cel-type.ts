/** The types without parameters. `error` stands where the checker has already complained. */
export type SimpleKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'

/** A static CEL type. Types are compared with `sameType`, never by identity. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | StructType
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  | { readonly kind: 'type'; readonly of: CelType | undefined }
  | { readonly kind: 'param'; readonly name: string }

/** A type with named fields, or one of a library (`kubernetes.Quantity`), which has none. Types are equal when their names are. */
export interface StructType {
  readonly kind: 'struct'
  readonly name: string
  /** By the name that an expression uses, which for a property of a schema is the escaped one. */
  readonly fields: ReadonlyMap<string, CelType>
}

const NO_FIELDS: ReadonlyMap<string, CelType> = new Map()

export const DYN: CelType = { kind: 'dyn' }
export const ERROR: CelType = { kind: 'error' }
export const NULL: CelType = { kind: 'null' }
export const BOOL: CelType = { kind: 'bool' }
export const INT: CelType = { kind: 'int' }
export const UINT: CelType = { kind: 'uint' }
export const DOUBLE: CelType = { kind: 'double' }
export const STRING: CelType = { kind: 'string' }
export const BYTES: CelType = { kind: 'bytes' }
export const TIMESTAMP: CelType = { kind: 'timestamp' }
export const DURATION: CelType = { kind: 'duration' }
export const QUANTITY: CelType = { kind: 'struct', name: 'kubernetes.Quantity', fields: NO_FIELDS }
export const URL_TYPE: CelType = { kind: 'struct', name: 'kubernetes.URL', fields: NO_FIELDS }
export const SEMVER: CelType = { kind: 'struct', name: 'kubernetes.Semver', fields: NO_FIELDS }
export const FORMAT: CelType = { kind: 'struct', name: 'kubernetes.NamedFormat', fields: NO_FIELDS }
const authorization = (name: string): CelType => ({
  kind: 'struct',
  name: `kubernetes.authorization.${name}`,
  fields: NO_FIELDS,
})
export const AUTHORIZER: CelType = authorization('Authorizer')
export const PATH_CHECK: CelType = authorization('PathCheck')
export const GROUP_CHECK: CelType = authorization('GroupCheck')
export const RESOURCE_CHECK: CelType = authorization('ResourceCheck')
export const DECISION: CelType = authorization('Decision')
export const IP: CelType = { kind: 'opaque', name: 'net.IP', parameters: [] }
export const CIDR: CelType = { kind: 'opaque', name: 'net.CIDR', parameters: [] }

export const listOf = (element: CelType): CelType => ({ kind: 'list', element })
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value })
export const typeOf = (of: CelType | undefined): CelType => ({ kind: 'type', of })
export const param = (name: string): CelType => ({ kind: 'param', name })
export const OPTIONAL_NAME = 'optional_type'
export const optionalOf = (of: CelType): CelType => ({ kind: 'opaque', name: OPTIONAL_NAME, parameters: [of] })

/** Returns the type that an optional holds, or `undefined` for any other type. */
export function optionalValue(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === OPTIONAL_NAME ? type.parameters[0] : undefined
}

/** The types that stand inside a type, in order. */
export function parametersOf(type: CelType): readonly CelType[] {
  if (type.kind === 'list') return [type.element]
  if (type.kind === 'map') return [type.key, type.value]
  if (type.kind === 'opaque') return type.parameters
  return type.kind === 'type' && type.of !== undefined ? [type.of] : []
}

/** The type with each parameter replaced; shares what does not change. */
export function mapParameters(type: CelType, replace: (parameter: CelType) => CelType): CelType {
  const old = parametersOf(type)
  const parameters = old.map(replace)
  const [first = DYN, second = DYN] = parameters
  if (parameters.every((one, at) => one === old[at])) return type
  if (type.kind === 'list') return listOf(first)
  if (type.kind === 'map') return mapOf(first, second)
  return type.kind === 'opaque' ? { ...type, parameters } : typeOf(first)
}

/** Are both the very same type? */
export function sameType(left: CelType, right: CelType): boolean {
  if (left === right) return true
  if (left.kind !== right.kind) return false
  if (nameOf(left) !== nameOf(right)) return false
  const rights = parametersOf(right)
  const lefts = parametersOf(left)
  return lefts.length === rights.length && lefts.every((one, at) => sameType(one, rights[at] ?? ERROR))
}

function nameOf(type: CelType): string {
  return 'name' in type ? type.name : ''
}

/**
 * The type as cel-go's checker prints it in its messages: `list(kubernetes.Quantity)`, `map(string, int)`,
 * `optional_type(dyn)`.
 */
export function formatType(type: CelType): string {
  const name = 'name' in type ? type.name : type.kind === 'error' ? '!error!' : type.kind
  const parameters = parametersOf(type)
  return parameters.length === 0 ? name : `${name}(${parameters.map(formatType).join(', ')})`
}

const WELL_KNOWN: { readonly [kind: string]: string } = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
}

/** The name that a type has at run time, as `type(x)` and messages about values give it. */
export function typeName(type: CelType): string {
  return 'name' in type ? type.name : (WELL_KNOWN[type.kind] ?? type.kind)
}
