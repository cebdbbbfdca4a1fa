import { parsedInt64, type LabelMatcher, type Labels, type Requirement } from './requirement.ts'

const NO_LABELS: Labels = Object.freeze({})
/** So few keys are looked up among the labels; of more, the labels are looked up among the keys. */
const FEW = 8

/**
 * Compiles requirements, all of which must hold, to one closure. They are put together by their keys, so that matching costs
 * about the number of labels, or of keys where there are fewer of those, whatever the number of requirements is.
 */
export function matcherOf(requirements: readonly Requirement[]): LabelMatcher {
  const rules = rulesOf(requirements)
  if (rules === undefined) return () => false
  if (rules.size <= FEW) {
    const list = [...rules]
    return (labels = NO_LABELS) => {
      for (const [key, rule] of list) if (!rule.admits(labels[key])) return false
      return true
    }
  }
  let needed = 0
  for (const rule of rules.values()) if (rule.isNeeded) needed++
  return (labels = NO_LABELS) => {
    let found = 0
    for (const key of Object.keys(labels)) {
      const rule = rules.get(key)
      if (rule === undefined) continue
      if (!rule.admits(labels[key])) return false
      if (rule.isNeeded) found++
    }
    return found === needed
  }
}

/** Returns the rule for each label; undefined where no labels can match. */
function rulesOf(requirements: readonly Requirement[]): ReadonlyMap<string, Rule> | undefined {
  const rules = new Map<string, Rule>()
  for (const requirement of requirements) {
    const { key } = requirement
    const rule = rules.get(key) ?? new Rule()
    rules.set(key, rule)
    if (!rule.add(requirement)) return undefined
  }
  return rules
}

/** Mostly one value, which needs no set. */
type Values = string | ReadonlySet<string>

const has = (values: Values, value: string): boolean =>
  typeof values === 'string' ? values === value : values.has(value)

/** All that the requirements of one key ask for. */
class Rule {
  /** Must the label be there? */
  isNeeded = false
  #isBarred = false
  #allowed: Values | undefined
  #excluded: string | Set<string> | undefined
  #above: bigint | undefined
  #below: bigint | undefined

  /** False where nothing can fulfil the requirement. */
  add({ operator, values }: Requirement): boolean {
    switch (operator) {
      case '=':
      case '==':
      case 'in':
        this.isNeeded = true
        return this.#allow(values)
      case '!=':
      case 'notin':
        this.#exclude(values)
        return true
      case 'exists':
        this.isNeeded = true
        return true
      case '!':
        this.#isBarred = true
        return true
      case 'gt':
      case 'lt':
        this.isNeeded = true
        return this.#bound(operator, parsedInt64(values[0] ?? ''))
      default:
        return false
    }
  }

  /** A label is there iff it is a text: so a key like `constructor` does not find what every object inherits. */
  admits(label: unknown): boolean {
    if (typeof label !== 'string') return !this.isNeeded
    if (this.#isBarred) return false
    if (this.#allowed !== undefined && !has(this.#allowed, label)) return false
    if (this.#excluded !== undefined && has(this.#excluded, label)) return false
    return this.#isBetween(label)
  }

  #allow(values: readonly string[]): boolean {
    const allowed = this.#allowed
    const left = allowed === undefined ? values : values.filter((value) => has(allowed, value))
    const [only] = left
    this.#allowed = left.length === 1 && only !== undefined ? only : new Set(left)
    return only !== undefined
  }

  #exclude(values: readonly string[]): void {
    const [only] = values
    if (this.#excluded === undefined && values.length === 1) {
      this.#excluded = only
      return
    }
    const excluded = typeof this.#excluded === 'string' ? new Set([this.#excluded]) : (this.#excluded ?? new Set())
    for (const value of values) excluded.add(value)
    this.#excluded = excluded
  }

  #bound(operator: 'gt' | 'lt', bound: bigint | undefined): boolean {
    if (bound === undefined) return false
    if (operator === 'gt') this.#above = this.#above === undefined || bound > this.#above ? bound : this.#above
    else this.#below = this.#below === undefined || bound < this.#below ? bound : this.#below
    return true
  }

  #isBetween(label: string): boolean {
    if (this.#above === undefined && this.#below === undefined) return true
    const number = parsedInt64(label)
    if (number === undefined || (this.#above !== undefined && number <= this.#above)) return false
    return this.#below === undefined || number < this.#below
  }
}
