import type { ObjectMeta } from '../../machinery/object.ts'
import { ifReadable, Quantity } from '../../quantity/quantity.ts'

/** A limit of an object and what is used of it, as somebody has read them. */
export interface LimitReading {
  readonly kind: string
  /** Empty for an object outside namespaces. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resource: string
  readonly used: Quantity
  readonly hard: Quantity
}

type Amounts = Readonly<Record<string, unknown>>

/** The limits of an object that have been counted. Amounts that cannot be read have none. */
export function* limitReadings(
  kind: string,
  { uid = '', namespace = '', name = '' }: ObjectMeta,
  hard: Amounts = {},
  used: Amounts = {},
): Generator<LimitReading> {
  for (const [resource, limit] of Object.entries(hard)) {
    if (!Object.hasOwn(used, resource)) continue
    const amounts = ifReadable(() => [Quantity.fromJson(used[resource]), Quantity.fromJson(limit)] as const, undefined)
    if (amounts === undefined) continue
    yield { kind, namespace, name, uid, resource, used: amounts[0], hard: amounts[1] }
  }
}
