import { Quantity } from '../../quantity/quantity.ts'

const NANO = -9
const ONE = 10n ** 9n
const THOUSANDTH = 10n ** 6n
const MEBI = 2n ** 20n * ONE
const HUNDRED = 100n

/**
 * The amounts of several namespaces with so many percent more, rounded up. Together they are at most `hard`: where that is too little for
 * all, each gets the same part of what it would get. What is used is in each of them, also where together it is more than `hard`.
 */
export function withHeadroom(
  resource: string,
  uses: readonly Quantity[],
  hard: Quantity,
  percent: bigint,
): readonly Quantity[] {
  const used = uses.map((use) => use.scaledValue(NANO))
  const wanted = uses.map((use, at) => {
    const unit = unitOf(resource, use)
    return roundedUp((used[at] ?? 0n) * percent, HUNDRED * unit) * unit
  })
  const free = hard.scaledValue(NANO) - sum(used)
  const all = sum(wanted)
  return uses.map((use, at) => {
    const more = wanted[at] ?? 0n
    const unit = unitOf(resource, use)
    const got = all <= free ? more : free <= 0n ? 0n : ((more * free) / (all * unit)) * unit
    return got === 0n ? use : Quantity.ofScaled((used[at] ?? 0n) + got, NANO, use.format)
  })
}

/** The least that is added: CPU comes in thousandths, bytes that are written as Mi or more in whole Mi, anything else in ones. */
function unitOf(resource: string, use: Quantity): bigint {
  if (/(?:^|\.)cpu$/.test(resource)) return THOUSANDTH
  return use.format === 'BinarySI' && use.scaledValue(NANO) >= MEBI ? MEBI : ONE
}

const sum = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n)
const roundedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
