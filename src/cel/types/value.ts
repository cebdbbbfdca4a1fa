import type { Quantity } from '../../quantity/quantity.ts'
import type { AuthorizationDecision, CelAuthorizer, GroupCheck, PathCheck, ResourceCheck } from './authorization.ts'
import type { IpAddress, IpPrefix } from '../../machinery/ip-address.ts'
import type { NamedFormat } from './named-format.ts'
import type { SemanticVersion } from './semantic-version.ts'
import type { ParsedUrl } from './parsed-url.ts'
import type { CelDuration, CelTimestamp, CelUint, Failure, TypeValue } from './scalar.ts'

/**
 * A value while an expression runs: `int` is a bigint, `double` a number, `bytes` a `Uint8Array`; what CEL adds has
 * a class of its own. Strings are counted in code points, whatever JavaScript does.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | TypeValue
  | Quantity
  | ParsedUrl
  | IpAddress
  | IpPrefix
  | SemanticVersion
  | NamedFormat
  | CelAuthorizer
  | PathCheck
  | GroupCheck
  | ResourceCheck
  | AuthorizationDecision

export type Result = CelValue | Failure

/** A value that may be missing. */
export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined)
  readonly value: CelValue | undefined
  private constructor(value: CelValue | undefined) {
    this.value = value
  }
  static of(value: CelValue): CelOptional {
    return new CelOptional(value)
  }
}

/** Turns a member of a JSON list or object into a value, when it is asked for. */
export type Adapt = (raw: unknown) => Result

/** The identity of a list's members, by the `x-kubernetes-list-type` of its schema. */
export type ListKind = { readonly type: 'atomic' | 'set' } | { readonly type: 'map'; readonly keys: readonly string[] }

const ATOMIC: ListKind = { type: 'atomic' }

const already: Adapt = (value) => value as Result

/** A list: of values, or of JSON that becomes values one by one. */
export class CelList {
  static readonly empty: CelList = new CelList([])
  readonly items: readonly unknown[]
  readonly adapt: Adapt
  readonly listKind: ListKind
  // Objects and lists that were asked for once, so that what they have found out about themselves is kept.
  #children: Result[] | undefined

  constructor(items: readonly unknown[], adapt: Adapt = already, listKind: ListKind = ATOMIC) {
    this.items = items
    this.adapt = adapt
    this.listKind = listKind
  }

  get size(): number {
    return this.items.length
  }

  /** The member at a place that exists. */
  at(index: number): Result {
    const item = this.items[index]
    if (this.adapt === already || typeof item !== 'object') return this.adapt(item)
    this.#children ??= []
    const known = this.#children[index]
    if (known !== undefined) return known
    const child = this.adapt(item)
    this.#children[index] = child
    return child
  }

  /** All members, as values. */
  values(): readonly Result[] {
    if (this.adapt === already) return this.items as readonly Result[]
    return this.items.map((_, index) => this.at(index))
  }
}

/** A map, of values or of JSON. Iteration is in the order of the entries. */
export abstract class CelMap {
  abstract readonly size: number
  /** The value of a key, `undefined` where there is none; a failure when the key cannot be one or the value is bad. */
  abstract find(key: CelValue): Result | undefined
  abstract keys(): readonly CelValue[]
}
