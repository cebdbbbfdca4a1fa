import type { JsonObject } from '../../machinery/object.ts'
import { objectsOf, textsOf } from '../kind/read.ts'
import type { Action, PathAction, ResourceAction } from './action.ts'

/** `rbac/v1 PolicyRule`, every list present. It is about resources, or about paths. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const ALL = '*'

/** The rules of a Role or ClusterRole. */
export const rulesOf = (role: JsonObject): readonly PolicyRule[] =>
  objectsOf(role['rules']).map((rule) => ({
    verbs: textsOf(rule['verbs']),
    apiGroups: textsOf(rule['apiGroups']),
    resources: textsOf(rule['resources']),
    resourceNames: textsOf(rule['resourceNames']),
    nonResourceURLs: textsOf(rule['nonResourceURLs']),
  }))

/** A rule as the API carries it: without the lists that are empty. */
export const ruleObject = (rule: PolicyRule): JsonObject => ({
  verbs: rule.verbs,
  ...(rule.apiGroups.length === 0 ? {} : { apiGroups: rule.apiGroups }),
  ...(rule.resources.length === 0 ? {} : { resources: rule.resources }),
  ...(rule.resourceNames.length === 0 ? {} : { resourceNames: rule.resourceNames }),
  ...(rule.nonResourceURLs.length === 0 ? {} : { nonResourceURLs: rule.nonResourceURLs }),
})

/** Does the rule allow the action, its verb aside? */
export const concerns = (rule: PolicyRule, action: Action): boolean =>
  action.type === 'path' ? concernsPath(rule, action) : concernsResource(rule, action)

function concernsResource(rule: PolicyRule, { group, resource, subresource, name }: ResourceAction): boolean {
  const { apiGroups, resources, resourceNames } = rule
  if (!apiGroups.includes(group) && !apiGroups.includes(ALL)) return false
  if (!namesResource(resources, resource, subresource)) return false
  return resourceNames.length === 0 || resourceNames.includes(name)
}

/** `pods` does not name `pods/log`; `*` names everything, and `*` before a subresource names that of every resource. */
function namesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.includes(ALL)) return true
  if (subresource === '') return resources.includes(resource)
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`${ALL}/${subresource}`)
}

const concernsPath = ({ nonResourceURLs }: PolicyRule, { path }: PathAction): boolean =>
  nonResourceURLs.some((pattern) => coversPath(pattern, path))

/** Does a pattern name the path (or all that another pattern names)? Only a star at its end has a meaning. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === path || pattern === ALL || (pattern.endsWith(ALL) && path.startsWith(pattern.slice(0, -1)))

/** A rule that names more combinations of verb, group and resource than this is not looked up but looked at. */
const MOST_COMBINATIONS = 1000

/** The rules of one role. Those without stars are found by what they name, which is what most roles consist of. */
export class Role {
  readonly rules: readonly PolicyRule[]
  readonly #named: ReadonlyMap<string, readonly PolicyRule[]>
  readonly #others: readonly PolicyRule[]

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules
    const named = new Map<string, PolicyRule[]>()
    const others: PolicyRule[] = []
    for (const rule of rules) {
      const targets = targetsOf(rule)
      if (targets === undefined) others.push(rule)
      else {
        for (const target of targets) {
          const same = named.get(target)
          if (same === undefined) named.set(target, [rule])
          else same.push(rule)
        }
      }
    }
    this.#named = named
    this.#others = others
  }

  /** `target` is that of the action: who asks many roles makes it once. */
  allows(action: Action, target: string = targetOf(action)): boolean {
    return some(this.#named.get(target), action) || some(this.#others, action)
  }
}

export const targetOf = (action: Action): string =>
  action.type === 'path'
    ? ''
    : target(
        action.verb,
        action.group,
        action.subresource === '' ? action.resource : `${action.resource}/${action.subresource}`,
      )

const target = (verb: string, group: string, resource: string): string => `${verb} ${group} ${resource}`

/** What the rule names, each once; undefined when it has stars, is about paths, or names too much. */
function targetsOf({ verbs, apiGroups, resources, nonResourceURLs }: PolicyRule): ReadonlySet<string> | undefined {
  if (nonResourceURLs.length > 0 || verbs.length * apiGroups.length * resources.length > MOST_COMBINATIONS)
    return undefined
  if (verbs.includes(ALL) || apiGroups.includes(ALL) || resources.some((resource) => resource.startsWith(ALL)))
    return undefined
  return new Set(
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => target(verb, group, resource)))),
  )
}

/** Targets that read alike need not be the same, so each rule is asked in full. */
function some(rules: readonly PolicyRule[] | undefined, action: Action): boolean {
  if (rules !== undefined)
    for (const rule of rules)
      if ((rule.verbs.includes(action.verb) || rule.verbs.includes(ALL)) && concerns(rule, action)) return true
  return false
}
