import type { LabelSelector, LabelSelectorRequirement } from './label.ts'

/** The values that a label may have: these or, where they are not listed, all others; and whether it may be absent. */
interface LabelRange {
  readonly values: ReadonlySet<string>
  readonly isListed: boolean
  readonly mayBeAbsent: boolean
}

/** All sets of labels in which each of these labels is in its range. Just what a selector can say. */
export type LabelRegion = ReadonlyMap<string, LabelRange>

/** All sets of labels. */
export const allLabels = (): LabelRegion => new Map()

const NONE: ReadonlySet<string> = new Set()
const PRESENT: LabelRange = { values: NONE, isListed: false, mayBeAbsent: false }
const ABSENT: LabelRange = { values: NONE, isListed: true, mayBeAbsent: true }
const oneOf = (values: ReadonlySet<string>): LabelRange => ({ values, isListed: true, mayBeAbsent: false })
const noneOf = (values: ReadonlySet<string>): LabelRange => ({ values, isListed: false, mayBeAbsent: true })

/** The labels that a selector matches; undefined where it matches none. It must be well formed. */
export function labelRegion({ matchLabels, matchExpressions }: LabelSelector): LabelRegion | undefined {
  const ranges = [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => [key, oneOf(new Set([value]))] as const),
    ...(matchExpressions ?? []).map((requirement) => [requirement.key ?? '', rangeOf(requirement)] as const),
  ]
  return ranges.reduce<LabelRegion | undefined>(
    (region, [key, range]) => region && narrowed(region, key, range),
    allLabels(),
  )
}

/** The part that two regions have in common; undefined where there is none. */
export const overlapOf = (region: LabelRegion, other: LabelRegion): LabelRegion | undefined =>
  [...other].reduce<LabelRegion | undefined>((both, [key, range]) => both && narrowed(both, key, range), region)

/** The labels of which one has one of these values. */
export const labelledWith = (key: string, values: Iterable<string>): LabelRegion =>
  new Map([[key, oneOf(new Set(values))]])

/** The part of a region in which a label has none of these values; undefined where nothing is left. */
export const withoutValues = (region: LabelRegion, key: string, values: ReadonlySet<string>): LabelRegion | undefined =>
  values.size === 0 ? region : narrowed(region, key, noneOf(values))

/**
 * Regions that do not overlap and contain together just what the given ones contain. Undefined where these would be more than `most`:
 * each overlap of two can double them.
 */
export function disjointRegions(regions: readonly LabelRegion[], most: number): readonly LabelRegion[] | undefined {
  const found: LabelRegion[] = []
  const joined = joinedRegions(regions)
  for (const [index, region] of joined.entries()) {
    let pieces: readonly LabelRegion[] = [region]
    for (const earlier of joined.slice(0, index)) {
      pieces = pieces.flatMap((piece) => outsideOf(piece, earlier))
      if (pieces.length > most) return undefined
    }
    found.push(...pieces)
    if (found.length > most) return undefined
  }
  return found
}

/** The selector that matches just a region; undefined for all labels. */
export function selectorOfRegion(region: LabelRegion): LabelSelector | undefined {
  const keys = [...region.keys()].toSorted()
  const matchExpressions = keys.flatMap((key) => requirementsOf(key, region.get(key)))
  return matchExpressions.length === 0 ? undefined : { matchExpressions }
}

/** Regions that differ only in the values of one label, such as the name of a tenant, become one. */
function joinedRegions(regions: readonly LabelRegion[]): readonly LabelRegion[] {
  const keys = new Set(regions.flatMap((region) => [...region.keys()]))
  let joined = regions
  for (const key of keys) {
    const alike = Map.groupBy(joined, (region) => JSON.stringify([isChoice(region.get(key)), textWithout(region, key)]))
    joined = [...alike.values()].flatMap((same) => {
      const [first] = same
      if (first === undefined || !isChoice(first.get(key))) return same
      const values = new Set(same.flatMap((region) => [...(region.get(key)?.values ?? [])]))
      return [new Map(first).set(key, oneOf(values))]
    })
  }
  return joined
}

const isChoice = (range: LabelRange | undefined): boolean => range?.isListed === true && !range.mayBeAbsent

const textWithout = (region: LabelRegion, key: string): string =>
  JSON.stringify(selectorOfRegion(new Map([...region].filter(([one]) => one !== key))) ?? {})

/** The parts of a region that another does not contain. */
function outsideOf(region: LabelRegion, other: LabelRegion): readonly LabelRegion[] {
  const pieces: LabelRegion[] = []
  let rest = region
  for (const [key, range] of other) {
    pieces.push(...complement(range).flatMap((outside) => narrowed(rest, key, outside) ?? []))
    const inside = narrowed(rest, key, range)
    // They do not overlap, so the region stays whole.
    if (inside === undefined) return [region]
    rest = inside
  }
  return pieces
}

function narrowed(region: LabelRegion, key: string, range: LabelRange): LabelRegion | undefined {
  const both = intersection(region.get(key) ?? noneOf(NONE), range)
  if (both.isListed && both.values.size === 0 && !both.mayBeAbsent) return undefined
  return new Map(region).set(key, both)
}

function intersection(a: LabelRange, b: LabelRange): LabelRange {
  const mayBeAbsent = a.mayBeAbsent && b.mayBeAbsent
  if (!a.isListed && !b.isListed) return { values: a.values.union(b.values), isListed: false, mayBeAbsent }
  if (a.isListed && b.isListed) return { values: a.values.intersection(b.values), isListed: true, mayBeAbsent }
  const [listed, other] = a.isListed ? [a, b] : [b, a]
  return { values: listed.values.difference(other.values), isListed: true, mayBeAbsent }
}

/** Ranges that do not overlap, and contain together all that this one does not contain. */
function complement({ values, isListed, mayBeAbsent }: LabelRange): readonly LabelRange[] {
  if (isListed) return mayBeAbsent ? [PRESENT] : [noneOf(values)]
  return [...(mayBeAbsent ? [] : [ABSENT]), ...(values.size === 0 ? [] : [oneOf(values)])]
}

function rangeOf({ operator, values }: LabelSelectorRequirement): LabelRange {
  switch (operator) {
    case 'In':
      return oneOf(new Set(values))
    case 'NotIn':
      return noneOf(new Set(values))
    case 'Exists':
      return PRESENT
    default:
      return ABSENT
  }
}

function requirementsOf(key: string, range: LabelRange | undefined): readonly LabelSelectorRequirement[] {
  if (range === undefined) return []
  const { isListed, mayBeAbsent } = range
  const values = [...range.values].toSorted()
  if (isListed) return mayBeAbsent ? [{ key, operator: 'DoesNotExist' }] : [{ key, operator: 'In', values }]
  return [
    ...(mayBeAbsent ? [] : [{ key, operator: 'Exists' }]),
    ...(values.length === 0 ? [] : [{ key, operator: 'NotIn', values }]),
  ]
}
