import { vectors } from '../../load-vectors.ts'

/** The place of an object and its expected fields; `scenario-player.ts` defines the names. */
export type Expectation = Readonly<Record<string, unknown>>

export interface Target {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface Step {
  readonly apply?: Target & { readonly metadata: { readonly name: string; readonly namespace?: string } }
  readonly patch?: Target & { readonly set: Readonly<Record<string, unknown>> }
  readonly delete?: Target & { readonly gracePeriodSeconds?: number }
  readonly concurrent?: { readonly count: number; readonly apply: NonNullable<Step['apply']> }
  readonly expect?: Expectation
  readonly wait?: Expectation
  readonly errorContains?: string
  readonly retry?: string
  readonly outcome?: string
  readonly waitUntil?: string
}

export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
  readonly expect: Expectation | readonly Expectation[]
}

/** The scenarios of a file of `vectors/capsule`. */
export const scenariosOf = (file: string): readonly Scenario[] =>
  vectors<{ readonly cases: readonly Scenario[] }>(file).cases

/** The label by which the pools of a scenario select its namespaces. */
const SUITE = 'e2e.capsule.dev/test-suite'

/** The values that a scenario has for itself: the names of its objects, and the values of the label that its pools select by. */
export function wordsOf(scenario: Scenario): ReadonlySet<string> {
  const words = new Set<string>()
  for (const { apply } of scenario.steps) if (apply !== undefined) words.add(apply.metadata.name)
  walk(scenario, (value, key) => {
    if (key === SUITE && typeof value === 'string') words.add(value)
    return value
  })
  return words
}

/** The names of the cluster-scoped objects, and the values of the label, which another scenario must not have meanwhile. */
export function clusterWordsOf(scenario: Scenario): ReadonlySet<string> {
  const inNamespaces = scenario.steps.flatMap(({ apply }) =>
    apply?.metadata.namespace === undefined ? [] : [apply.metadata.name],
  )
  return new Set([...wordsOf(scenario)].filter((word) => !inNamespaces.includes(word)))
}

/** The same scenario with other names. */
export function renamed(scenario: Scenario, suffix: string): Scenario {
  const words = wordsOf(scenario)
  const quota = 'capsule-pool-'
  const rename = (text: string): string => {
    if (words.has(text)) return `${text}${suffix}`
    // A message has names between quotes.
    if (text.includes('"'))
      return text.replaceAll(/"([^"]+)"/g, (quoted, name: string) => (words.has(name) ? `"${name}${suffix}"` : quoted))
    return text.startsWith(quota) ? `${quota}${rename(text.slice(quota.length))}` : text
  }
  return { ...walk(scenario, (value) => (typeof value === 'string' ? rename(value) : value)), name: scenario.name }
}

const RESOURCE = /^(?:(?:requests|limits)\.)?(?:cpu|memory|storage)$/

/** The same scenario about other amounts: each one, and each one in a message, becomes what `change` makes of it. */
export function withAmounts(scenario: Scenario, change: (amount: string) => string): Scenario {
  return walk(scenario, (value, key) => {
    if (key === 'messagePartsAnyOrder')
      return (value as readonly string[]).map((part) =>
        part.replace(/=(.*)$/, (_, amount: string) => `=${change(amount)}`),
      )
    return RESOURCE.test(key) && typeof value === 'string' ? change(value) : value
  })
}

/** A copy of a JSON value in which each member and item is replaced by what `visit` makes of it. */
function walk<T>(value: T, visit: (value: unknown, key: string) => unknown): T {
  const go = (node: unknown, key: string): unknown => {
    const seen = visit(node, key)
    if (seen !== node) return seen
    if (Array.isArray(node)) return node.map((item) => go(item, key))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, go(member, name)]))
  }
  return go(value, '') as T
}
