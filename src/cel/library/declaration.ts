import type { Run } from '../types/run-budget.ts'
import {
  type CelType,
  BOOL,
  BYTES,
  CIDR,
  DOUBLE,
  DURATION,
  FORMAT,
  INT,
  IP,
  QUANTITY,
  SEMVER,
  STRING,
  TIMESTAMP,
  UINT,
  URL_TYPE,
  listOf,
  mapOf,
  optionalOf,
} from '../types/cel-type.ts'
import { CelOptional, type CelValue, type Result, CelList, CelMap } from '../types/value.ts'
import { CelDuration, CelTimestamp, CelUint } from '../types/scalar.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { IpAddress, IpPrefix } from '../../machinery/ip-address.ts'
import { NamedFormat } from '../types/named-format.ts'
import { SemanticVersion } from '../types/semantic-version.ts'
import { ParsedUrl } from '../types/parsed-url.ts'

/** One signature of a function. */
export interface Overload {
  /** cel-go's or Kubernetes' name for it; costs go by it. */
  readonly id: string
  /** Is it called on a receiver, `x.f()`? The receiver is then the first argument. */
  readonly member: boolean
  readonly args: readonly CelType[]
  readonly result: CelType
  /** `undefined` when the values are not of the overload's types. Operators have none: the planner knows them. */
  readonly call: ((args: readonly CelValue[], run: Run) => Result | undefined) | undefined
}

/** The overloads of each function, in the order in which the checker tries them. */
export type Declarations = ReadonlyMap<string, readonly Overload[]>

/** A parameter: its static type, and the function that recognizes values of that type. */
export interface Param<T> {
  readonly type: CelType
  /** `undefined` for a value of another type. */
  readonly read: (value: CelValue) => T | undefined
}

type Values<P extends readonly Param<unknown>[]> = { [K in keyof P]: P[K] extends Param<infer T> ? T : never }

/** An overload whose function is given values that `read` recognized as those of the parameters' types. */
function overload<const P extends readonly Param<unknown>[]>(
  member: boolean,
  id: string,
  params: P,
  result: CelType,
  call: (args: Values<P>, run: Run) => Result,
): Overload {
  return {
    id,
    member,
    args: params.map(({ type }) => type),
    result,
    call: (args, run) => {
      if (args.length !== params.length) return undefined
      const values: unknown[] = []
      for (const [at, { read }] of params.entries()) {
        const arg = args[at]
        const value = arg === undefined ? undefined : read(arg)
        if (value === undefined) return undefined
        values.push(value)
      }
      return call(values as Values<P>, run)
    },
  }
}

/** `f(a, b)`. */
export const free = <const P extends readonly Param<unknown>[]>(
  id: string,
  params: P,
  result: CelType,
  call: (args: Values<P>, run: Run) => Result,
): Overload => overload(false, id, params, result, call)

/** `a.f(b)`; the receiver is the first parameter. */
export const member = <const P extends readonly Param<unknown>[]>(
  id: string,
  params: P,
  result: CelType,
  call: (args: Values<P>, run: Run) => Result,
): Overload => overload(true, id, params, result, call)

/** An operator, which the planner evaluates. */
export const operator = (id: string, args: readonly CelType[], result: CelType, isMember = false): Overload => ({
  id,
  member: isMember,
  args,
  result,
  call: undefined,
})

const simple = <T>(type: CelType, read: (value: CelValue) => T | undefined): Param<T> => ({ type, read })

export const text: Param<string> = simple(STRING, (value) => (typeof value === 'string' ? value : undefined))
export const int: Param<bigint> = simple(INT, (value) => (typeof value === 'bigint' ? value : undefined))
export const uint: Param<CelUint> = simple(UINT, (value) => (value instanceof CelUint ? value : undefined))
export const double: Param<number> = simple(DOUBLE, (value) => (typeof value === 'number' ? value : undefined))
export const bool: Param<boolean> = simple(BOOL, (value) => (typeof value === 'boolean' ? value : undefined))
export const bytes: Param<Uint8Array> = simple(BYTES, (value) => (value instanceof Uint8Array ? value : undefined))
export const timestamp: Param<CelTimestamp> = simple(TIMESTAMP, (value) =>
  value instanceof CelTimestamp ? value : undefined,
)
export const duration: Param<CelDuration> = simple(DURATION, (value) =>
  value instanceof CelDuration ? value : undefined,
)
export const quantity: Param<Quantity> = simple(QUANTITY, (value) => (value instanceof Quantity ? value : undefined))
export const url: Param<ParsedUrl> = simple(URL_TYPE, (value) => (value instanceof ParsedUrl ? value : undefined))
export const semver: Param<SemanticVersion> = simple(SEMVER, (value) =>
  value instanceof SemanticVersion ? value : undefined,
)
export const ip: Param<IpAddress> = simple(IP, (value) => (value instanceof IpAddress ? value : undefined))
export const cidr: Param<IpPrefix> = simple(CIDR, (value) => (value instanceof IpPrefix ? value : undefined))
export const format: Param<NamedFormat> = simple(FORMAT, (value) => (value instanceof NamedFormat ? value : undefined))

/** Anything of the type; the members of lists and maps are not looked at. */
export const list = (element: CelType): Param<CelList> =>
  simple(listOf(element), (value) => (value instanceof CelList ? value : undefined))
export const map = (key: CelType, value: CelType): Param<CelMap> =>
  simple(mapOf(key, value), (one) => (one instanceof CelMap ? one : undefined))
export const optional = (of: CelType): Param<CelOptional> =>
  simple(optionalOf(of), (value) => (value instanceof CelOptional ? value : undefined))
/** A value of a type parameter. */
export const any = (type: CelType): Param<CelValue> => simple(type, (value) => value)

/** One map of all libraries; a name in several of them gets the overloads of all. */
export function declare(
  ...libraries: readonly (readonly (readonly [name: string, overloads: readonly Overload[]])[])[]
): Declarations {
  const all = new Map<string, readonly Overload[]>()
  for (const [name, overloads] of libraries.flat()) all.set(name, [...(all.get(name) ?? []), ...overloads])
  return all
}

/** The exports of a library file. */
export type Library = readonly (readonly [name: string, overloads: readonly Overload[]])[]
