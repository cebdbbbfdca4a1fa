import { Quantity } from '../../quantity/quantity.ts'
import { AuthorizationDecision, CelAuthorizer, GroupCheck, PathCheck, ResourceCheck } from './authorization.ts'
import { IpAddress, IpPrefix } from '../../machinery/ip-address.ts'
import { NamedFormat } from './named-format.ts'
import { ParsedUrl } from './parsed-url.ts'
import { SemanticVersion } from './semantic-version.ts'
import { CelList, CelMap, CelOptional, type CelValue } from './value.ts'
import {
  type CelType,
  BOOL,
  BYTES,
  CIDR,
  DOUBLE,
  DURATION,
  DYN,
  FORMAT,
  INT,
  IP,
  NULL,
  QUANTITY,
  SEMVER,
  STRING,
  TIMESTAMP,
  UINT,
  AUTHORIZER,
  DECISION,
  GROUP_CHECK,
  PATH_CHECK,
  RESOURCE_CHECK,
  URL_TYPE,
  listOf,
  mapOf,
  optionalOf,
  typeName,
  typeOf,
} from './cel-type.ts'
import { CelDuration, CelTimestamp, CelUint, TypeValue } from './scalar.ts'

const valueOf = (type: CelType): TypeValue => new TypeValue(typeName(type), type)

const authorizer = valueOf(AUTHORIZER)
const pathCheck = valueOf(PATH_CHECK)
const groupCheck = valueOf(GROUP_CHECK)
const resourceCheck = valueOf(RESOURCE_CHECK)
const decision = valueOf(DECISION)
const bool = valueOf(BOOL)
const bytes = valueOf(BYTES)
const cidr = valueOf(CIDR)
const double = valueOf(DOUBLE)
const duration = valueOf(DURATION)
const format = valueOf(FORMAT)
const int = valueOf(INT)
const ip = valueOf(IP)
const list = valueOf(listOf(DYN))
const map = valueOf(mapOf(DYN, DYN))
const nullType = valueOf(NULL)
const optional = valueOf(optionalOf(DYN))
const quantity = valueOf(QUANTITY)
const semver = valueOf(SEMVER)
const string = valueOf(STRING)
const timestamp = valueOf(TIMESTAMP)
const type = valueOf(typeOf(undefined))
const uint = valueOf(UINT)
const url = valueOf(URL_TYPE)

/** The types that an expression may name. */
export const TYPE_CONSTANTS: ReadonlyMap<string, TypeValue> = new Map(
  [bool, bytes, cidr, double, duration, int, ip, list, map, nullType, optional, string, timestamp, type, uint].map(
    (one) => [one.name, one],
  ),
)

/** The type of a value, as `type(x)` gives it. */
export function typeOfValue(value: CelValue): TypeValue {
  if (typeof value === 'string') return string
  if (typeof value === 'bigint') return int
  if (typeof value === 'boolean') return bool
  if (typeof value === 'number') return double
  return value === null ? nullType : typeOfObject(value)
}

function typeOfObject(value: CelValue & object): TypeValue {
  if (value instanceof CelList) return list
  if (value instanceof CelMap) return map
  if (value instanceof CelUint) return uint
  if (value instanceof Uint8Array) return bytes
  if (value instanceof CelTimestamp) return timestamp
  if (value instanceof CelDuration) return duration
  if (value instanceof CelOptional) return optional
  if (value instanceof Quantity) return quantity
  if (value instanceof ParsedUrl) return url
  if (value instanceof IpAddress) return ip
  if (value instanceof IpPrefix) return cidr
  if (value instanceof SemanticVersion) return semver
  if (value instanceof CelAuthorizer) return authorizer
  if (value instanceof PathCheck) return pathCheck
  if (value instanceof GroupCheck) return groupCheck
  if (value instanceof ResourceCheck) return resourceCheck
  if (value instanceof AuthorizationDecision) return decision
  return value instanceof NamedFormat ? format : type
}
