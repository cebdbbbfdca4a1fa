import { coversPath, type PolicyRule } from './policy-rule.ts'

/** May everything, everywhere. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

/** The parts of `wanted`, each with one verb and one target, that no single one of `held` covers (rbac `Covers`). */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(parts).filter((part) => !held.some((rule) => covers(rule, part)))
}

/** A rule as rules that each name one verb and one thing. */
function parts(rule: PolicyRule): readonly PolicyRule[] {
  const nothing = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...nothing,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
  )
  const paths = rule.nonResourceURLs.flatMap((path) =>
    rule.verbs.map((verb) => ({ ...nothing, verbs: [verb], nonResourceURLs: [path] })),
  )
  return [...resources, ...paths]
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  if (!holdsAll(rule.verbs, part.verbs)) return false
  if (part.nonResourceURLs.length > 0)
    return part.nonResourceURLs.every((path) => rule.nonResourceURLs.some((pattern) => coversPath(pattern, path)))
  if (!holdsAll(rule.apiGroups, part.apiGroups)) return false
  if (!part.resources.every((resource) => coversResource(rule.resources, resource))) return false
  if (rule.resourceNames.length === 0) return true
  return part.resourceNames.length > 0 && part.resourceNames.every((name) => rule.resourceNames.includes(name))
}

const holdsAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes('*') || wanted.every((one) => held.includes(one))

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes('*') || held.includes(wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`)
}

/** One line for each resource or path, verbs together, sorted: how a refusal names what is missing. */
export function describeRules(rules: readonly PolicyRule[]): string {
  return [...new Set(compacted(rules).map(describeRule))].toSorted(byBytes).join('\n')
}

/** Rules about the same resource (and name) become one with all their verbs. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.resources.length === 0) others.push(rule)
    else {
      const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
      const same = merged.get(key)
      merged.set(key, same === undefined ? rule : { ...same, verbs: [...new Set([...same.verbs, ...rule.verbs])] })
    }
  }
  return [...others, ...merged.values()]
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
