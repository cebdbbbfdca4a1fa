import type { LimitRange } from '../../../builtin/core-v1.ts'
import { objectOf, objectsOf, specOf } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { FINEST } from '../budget-room.ts'
import { largestWithin, smallestFrom } from '../container-room.ts'
import { OVERCOMMITTED } from '../measured-room.ts'

/** What LimitRanges allow of one resource. */
interface Bounds {
  readonly least?: Quantity
  readonly most?: Quantity
  /** How many times the request the limit may be. */
  readonly ratio?: Quantity
}

/** What is asked of one resource. */
export interface Amounts {
  readonly request: Quantity | undefined
  readonly limit: Quantity | undefined
}

/** A limit that is too far above its request is mended on one of both sides. */
export type Side = 'raise the request' | 'lower the limit'

const ONE = 10n ** BigInt(-FINEST)

/** The bounds that all LimitRanges together set to a type of items, such as `Container`, by resource. Throws QuantityError. */
export function boundsOf(ranges: readonly LimitRange[], type: string): ReadonlyMap<string, Bounds> {
  const bounds = new Map<string, Bounds>()
  const put = (list: unknown, field: keyof Bounds, isTighter: (one: Quantity, than: Quantity) => boolean): void => {
    for (const [name, value] of Object.entries(objectOf(list))) {
      const amount = Quantity.fromJson(value)
      const known = bounds.get(name) ?? {}
      if (known[field] === undefined || isTighter(amount, known[field])) bounds.set(name, { ...known, [field]: amount })
    }
  }
  for (const item of ranges.flatMap((range) => objectsOf(specOf(range).limits)).filter((one) => one.type === type)) {
    put(item.min, 'least', (one, than) => one.cmp(than) > 0)
    put(item.max, 'most', (one, than) => one.cmp(than) < 0)
    put(item.maxLimitRequestRatio, 'ratio', (one, than) => one.cmp(than) < 0)
  }
  return bounds
}

/** Returns the allowed amounts nearest to the requested ones; undefined if the bounds allow none. */
export function within(asked: Amounts, bounds: Bounds, resource: string, mended: Side): Amounts | undefined {
  const { least, most, ratio } = bounds
  if (least !== undefined && most !== undefined && least.cmp(most) > 0) return undefined
  const isLimited = asked.limit !== undefined || most !== undefined || ratio !== undefined
  const limit = isLimited ? clamped(asked.limit ?? most ?? asked.request ?? least, least, most) : undefined
  const isRequested = asked.request !== undefined || least !== undefined || ratio !== undefined
  const wanted = isRequested ? clamped(asked.request ?? least ?? limit, least, most) : undefined
  if (!OVERCOMMITTED.has(resource) && limit !== undefined) return { request: limit, limit }
  const request = wanted !== undefined && limit !== undefined && wanted.cmp(limit) > 0 ? limit : wanted
  if (ratio === undefined || request === undefined || limit === undefined) return { request, limit }
  const [asks, times] = [limit.scaledValue(FINEST), ratio.scaledValue(FINEST)]
  if (times < ONE) return undefined
  const allowed = (request.scaledValue(FINEST) * times) / ONE
  if (asks <= allowed && allowed > 0n) return { request, limit }
  return mended === 'raise the request'
    ? { request: smallestFrom((asks * ONE + times - 1n) / times, resource), limit }
    : { request, limit: largestWithin(allowed, resource) }
}

function clamped(
  amount: Quantity | undefined,
  least: Quantity | undefined,
  most: Quantity | undefined,
): Quantity | undefined {
  if (amount === undefined) return undefined
  if (least !== undefined && amount.cmp(least) < 0) return least
  return most !== undefined && amount.cmp(most) > 0 ? most : amount
}
