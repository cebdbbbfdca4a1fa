import type { PolicyRule } from './policy-rule.ts'

/** Missing permissions are listed up to so many combinations of a verb and a target, and so many characters of them. */
const MOST_PARTS = 5000
const MOST_TEXT = 128 * 1024

/** One line for each resource or path, verbs together, sorted: how a refusal lists missing permissions, up to the bounds. */
export function describeRules(rules: readonly PolicyRule[]): string {
  const described: PolicyRule[] = []
  let text = 0
  for (const part of parts(rules)) {
    if (described.length >= MOST_PARTS || text > MOST_TEXT) break
    described.push(part)
    text += textOf(part)
  }
  const lines = [...new Set(compacted(described).map(describeRule))].toSorted(byBytes)
  const more = rules.reduce((sum, rule) => sum + partCount(rule), 0) - described.length
  return (more > 0 ? [...lines, `and ${more} more`] : lines).join('\n')
}

/** Rules as rules that each name one verb and one thing. */
export function* parts(rules: readonly PolicyRule[]): Iterable<PolicyRule> {
  const nothing = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
  for (const rule of rules) {
    const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
    for (const group of rule.apiGroups)
      for (const resource of rule.resources)
        for (const verb of rule.verbs)
          for (const resourceNames of names)
            yield { ...nothing, verbs: [verb], apiGroups: [group], resources: [resource], resourceNames }
    for (const path of rule.nonResourceURLs)
      for (const verb of rule.verbs) yield { ...nothing, verbs: [verb], nonResourceURLs: [path] }
  }
}

const partCount = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)

const textOf = (part: PolicyRule): number =>
  [part.verbs, part.apiGroups, part.resources, part.resourceNames, part.nonResourceURLs]
    .flat()
    .reduce((sum, text) => sum + text.length, 0)

/** Rules about the same resource (and name) become one with all their verbs. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.resources.length === 0) others.push(rule)
    else {
      const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
      const same = merged.get(key)
      if (same === undefined) merged.set(key, { rule, verbs: new Set(rule.verbs) })
      else for (const verb of rule.verbs) same.verbs.add(verb)
    }
  }
  return [...others, ...[...merged.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs] }))]
}

function describeRule(rule: PolicyRule): string {
  const lists = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  const named = lists.filter(([, values]) => values.length > 0).map(([name, values]) => `${name}:${quotedList(values)}`)
  return `{${named.join(', ')}}`
}

/** `["a" "b"]`, as Go prints a list of texts. */
export const quotedList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
