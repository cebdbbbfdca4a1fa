import { ALL_NAMES, common, type Dimension, HeldRules, union, type Wanted } from './held-rules.ts'
import { type PolicyRule, valueCount } from './policy-rule.ts'

/** May everything, everywhere. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

/** Comparing rules that overlap in every list can take any time, so that is bounded: some hundred milliseconds. */
const MOST_STEPS = 3_000_000

/** So many different rules, granted at once or held, cannot be checked in bounded time. */
export class TooManyRules extends Error {
  constructor() {
    super('there are too many rules to compare')
    this.name = 'TooManyRules'
  }
}

/**
 * Returns the parts of `wanted` that no single rule of `held` covers (rbac `Covers`), as rules: each stands for all
 * combinations of what it lists. The combinations themselves are never made: values that the same rules hold are treated as
 * one. Throws TooManyRules when it would take too long.
 */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  mostSteps = MOST_STEPS,
): readonly PolicyRule[] {
  const allowance = new StepAllowance(mostSteps)
  for (const rule of held) allowance.take(1 + valueCount(rule))
  for (const rule of wanted) allowance.take(1 + valueCount(rule))
  const known = new Set(held.map(keyOf))
  const index = new HeldRules(held)
  const gaps: PolicyRule[] = []
  for (const rule of wanted) {
    const key = keyOf(rule)
    if (known.has(key)) continue
    known.add(key)
    for (const block of blocksOf(rule))
      for (const gap of new Cover(index, block, allowance).gaps()) gaps.push(ruleOf(gap))
  }
  return gaps
}

const keyOf = (rule: PolicyRule): string =>
  JSON.stringify([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs])

class StepAllowance {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  take(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooManyRules()
  }
}

/** All combinations of one value of each list. */
type Block = ReadonlyMap<Dimension, readonly Wanted[]>

/** A rule about resources and paths speaks of each apart. */
function blocksOf(rule: PolicyRule): readonly Block[] {
  const { resourceNames } = rule
  const distinct = (dimension: Dimension): readonly [Dimension, readonly Wanted[]] => [
    dimension,
    [...new Set(rule[dimension])],
  ]
  const ofResources: Block = new Map([
    distinct('verbs'),
    distinct('apiGroups'),
    distinct('resources'),
    resourceNames.length === 0 ? ['resourceNames', [ALL_NAMES]] : distinct('resourceNames'),
  ])
  const ofPaths: Block = new Map([distinct('verbs'), distinct('nonResourceURLs')])
  return [ofResources, ofPaths].filter((block) => [...block.values()].every((values) => values.length > 0))
}

const texts = (values: readonly Wanted[] = []): readonly string[] => values.filter((value) => typeof value === 'string')

const ruleOf = (block: Block): PolicyRule => ({
  verbs: texts(block.get('verbs')),
  apiGroups: texts(block.get('apiGroups')),
  resources: texts(block.get('resources')),
  resourceNames: texts(block.get('resourceNames')),
  nonResourceURLs: texts(block.get('nonResourceURLs')),
})

/** Looks for what of a block nobody holds, one dimension after the other. */
class Cover {
  readonly #index: HeldRules
  readonly #block: Block
  readonly #allowance: StepAllowance
  readonly #order: readonly Dimension[]
  /** The missing parts from a dimension on, by the rules that hold the earlier choices. */
  readonly #known = new Map<string, readonly Block[]>()

  constructor(index: HeldRules, block: Block, allowance: StepAllowance) {
    this.#index = index
    this.#block = block
    this.#allowance = allowance
    // The dimension in which the fewest rules hold something leaves the fewest to look at in the others.
    const weights = new Map([...block.keys()].map((dimension) => [dimension, this.#weight(dimension)]))
    this.#order = [...block.keys()].toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0))
  }

  gaps(): readonly Block[] {
    return this.#from(0, undefined)
  }

  #weight(dimension: Dimension): number {
    const { always, of } = this.#index.in(dimension)
    const values = this.#block.get(dimension) ?? []
    this.#allowance.take(values.length)
    return values.reduce((sum, value) => sum + of(value).length, always.length)
  }

  /** @param among the rules that hold what was chosen in the dimensions before; undefined for all rules */
  #from(at: number, among: readonly number[] | undefined): readonly Block[] {
    const dimension = this.#order[at]
    if (dimension === undefined) return []
    const key = `${at} ${among?.join(' ') ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = [...this.#alike(dimension, among)].flatMap(({ values, rules }) =>
      (rules.length === 0 ? [this.#rest(at + 1)] : this.#from(at + 1, rules)).map(
        (gap): Block => new Map([...gap, [dimension, values]]),
      ),
    )
    this.#known.set(key, found)
    return found
  }

  /** Everything in the dimensions that are left. */
  #rest(at: number): Block {
    return new Map(this.#order.slice(at).map((dimension) => [dimension, this.#block.get(dimension) ?? []]))
  }

  /** The values of a dimension, those together that the same rules hold. */
  *#alike(
    dimension: Dimension,
    among: readonly number[] | undefined,
  ): Iterable<{ readonly values: readonly Wanted[]; readonly rules: readonly number[] }> {
    const { always, of } = this.#index.in(dimension)
    const within = (rules: readonly number[]): readonly number[] => {
      this.#allowance.take(1 + Math.min(rules.length, among?.length ?? rules.length))
      return among === undefined ? rules : common(rules, among)
    }
    const shared = within(always)
    const groups = new Map<string, { readonly values: Wanted[]; readonly own: readonly number[] }>()
    for (const value of this.#block.get(dimension) ?? []) {
      const own = within(of(value))
      const key = own.join(' ')
      const same = groups.get(key)
      if (same === undefined) groups.set(key, { values: [value], own })
      else same.values.push(value)
    }
    for (const { values, own } of groups.values()) {
      this.#allowance.take(shared.length + own.length)
      yield { values, rules: union(shared, own) }
    }
  }
}
