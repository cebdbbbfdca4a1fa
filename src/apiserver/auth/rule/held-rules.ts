import type { PolicyRule } from './policy-rule.ts'
import { compareText } from '../../../machinery/text/compare.ts'

/** The lists of a rule that, multiplied, say what it allows. */
export type Dimension = 'verbs' | 'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs'

/** Wanted in place of a name where a rule is about all names: only a rule without names holds that. */
export const ALL_NAMES = Symbol('all names')
export type Wanted = string | typeof ALL_NAMES

/** The rules that hold a value, by their place in a list. */
interface Holders {
  /** They hold every value. */
  readonly always: readonly number[]
  /** They hold this one, besides those. In the order of their places. */
  readonly of: (value: Wanted) => readonly number[]
}

/** The places that stand in either, ordered. */
export function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b
  return b.length === 0 ? a : [...new Set([...a, ...b])].toSorted((x, y) => x - y)
}

/** Which of the places in `a` stand in `b` too: both ordered. Takes time linear in the shorter, but for a logarithm. */
export function common(a: readonly number[], b: readonly number[]): readonly number[] {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a]
  let from = 0
  return few.filter((place) => {
    from = firstAtLeast(many, place, from)
    return many[from] === place
  })
}

/** The index of the first number that is not smaller, found in steps that double. */
function firstAtLeast(sorted: readonly number[], wanted: number, from: number): number {
  let step = 1
  while (from + step < sorted.length && (sorted[from + step] ?? 0) < wanted) step *= 2
  let low = from + (step >> 1)
  let high = Math.min(from + step, sorted.length)
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

const ALL = '*'
const NOBODY: readonly number[] = []

/** Rules by the values that they hold in each of their lists. Made in time linear in their values (but for paths: n log n). */
export class HeldRules {
  readonly #holders: Readonly<Record<Dimension, Holders>>

  constructor(rules: readonly PolicyRule[]) {
    const named = (dimension: Dimension): Named => byValue(rules.map((rule) => rule[dimension]))
    this.#holders = {
      verbs: plain(named('verbs')),
      apiGroups: plain(named('apiGroups')),
      resources: resources(named('resources')),
      resourceNames: {
        ...plain(named('resourceNames')),
        always: rules.flatMap(({ resourceNames }, at) => (resourceNames.length === 0 ? [at] : [])),
      },
      nonResourceURLs: paths(named('nonResourceURLs')),
    }
  }

  in(dimension: Dimension): Holders {
    return this.#holders[dimension]
  }
}

interface Named {
  readonly always: readonly number[]
  readonly by: ReadonlyMap<string, readonly number[]>
}

/** A star among names is a name, but one that no object can have. */
function byValue(lists: readonly (readonly string[])[]): Named {
  const always: number[] = []
  const by = new Map<string, number[]>()
  for (const [at, list] of lists.entries()) {
    if (list.includes(ALL)) always.push(at)
    for (const value of new Set(list)) {
      const same = by.get(value)
      if (same === undefined) by.set(value, [at])
      else same.push(at)
    }
  }
  return { always, by }
}

const plain = ({ always, by }: Named): Holders => ({
  always,
  of: (value) => (value === ALL_NAMES ? NOBODY : (by.get(value) ?? NOBODY)),
})

/** A star before a subresource stands for every resource that has it. */
const resources = ({ always, by }: Named): Holders => ({
  always,
  of: (value) => {
    if (value === ALL_NAMES) return NOBODY
    const slash = value.indexOf('/')
    const exact = by.get(value) ?? NOBODY
    const general = slash < 0 ? NOBODY : (by.get(`${ALL}${value.slice(slash)}`) ?? NOBODY)
    return union(exact, general)
  },
})

/** A path that ends in a star stands for all that begin like it. */
function paths({ always, by }: Named): Holders {
  const prefixes = new PrefixIndex([...by.keys()].filter((one) => one.endsWith(ALL)).map((one) => one.slice(0, -1)))
  return {
    always,
    of: (value) => {
      if (value === ALL_NAMES) return NOBODY
      let found = by.get(value) ?? NOBODY
      for (const prefix of prefixes.of(value)) found = union(found, by.get(`${prefix}${ALL}`) ?? NOBODY)
      return found
    },
  }
}

/** Finds which of some texts another one begins with, in time logarithmic in their number. */
class PrefixIndex {
  readonly #sorted: readonly string[]
  /** For each of them the longest other one that it begins with itself; -1 for none. */
  readonly #outer: readonly number[]

  constructor(texts: readonly string[]) {
    this.#sorted = texts.toSorted(compareText)
    const outer: number[] = []
    const open: number[] = []
    for (const [at, text] of this.#sorted.entries()) {
      while (open.length > 0 && !text.startsWith(this.#sorted[open.at(-1) ?? 0] ?? '')) open.pop()
      outer.push(open.at(-1) ?? -1)
      open.push(at)
    }
    this.#outer = outer
  }

  *of(text: string): Iterable<string> {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#sorted[middle] ?? '') <= text) low = middle + 1
      else high = middle
    }
    for (let at = low - 1; at >= 0; at = this.#outer[at] ?? -1) {
      const prefix = this.#sorted[at] ?? ''
      if (text.startsWith(prefix)) yield prefix
    }
  }
}
