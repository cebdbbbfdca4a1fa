import type { ClusterRole } from '../../../builtin/rbac-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { objectsOf, textsOf } from '../../../machinery/read.ts'
import type { Action, ResourceAction } from '../request/action.ts'

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
export const rulesOf = (role: Role | ClusterRole): readonly PolicyRule[] =>
  objectsOf(role.rules).map((rule) => ({
    verbs: textsOf(rule.verbs),
    apiGroups: textsOf(rule.apiGroups),
    resources: textsOf(rule.resources),
    resourceNames: textsOf(rule.resourceNames),
    nonResourceURLs: textsOf(rule.nonResourceURLs),
  }))

/** A rule as the API carries it: without the lists that are empty. */
export const ruleObject = (rule: PolicyRule): JsonObject => ({
  verbs: rule.verbs,
  ...(rule.apiGroups.length === 0 ? {} : { apiGroups: rule.apiGroups }),
  ...(rule.resources.length === 0 ? {} : { resources: rule.resources }),
  ...(rule.resourceNames.length === 0 ? {} : { resourceNames: rule.resourceNames }),
  ...(rule.nonResourceURLs.length === 0 ? {} : { nonResourceURLs: rule.nonResourceURLs }),
})

/** How many values all the lists of a rule have. */
export const valueCount = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length

/** Lists that are longer are looked up. */
const MOST_LOOKED_THROUGH = 16

type Values = readonly string[] | ReadonlySet<string>

const valuesOf = (list: readonly string[]): Values => (list.length > MOST_LOOKED_THROUGH ? new Set(list) : list)

const has = (values: Values, value: string): boolean =>
  values instanceof Set ? values.has(value) : (values as readonly string[]).includes(value)

/** A rule that can be asked quickly, however long its lists are. */
interface FoundRule {
  readonly verbs: Values
  readonly apiGroups: Values
  readonly resources: Values
  /** Undefined: all names. */
  readonly names: Values | undefined
  readonly paths: readonly string[]
}

const foundRule = (rule: PolicyRule): FoundRule => ({
  verbs: valuesOf(rule.verbs),
  apiGroups: valuesOf(rule.apiGroups),
  resources: valuesOf(rule.resources),
  names: rule.resourceNames.length === 0 ? undefined : valuesOf(rule.resourceNames),
  paths: rule.nonResourceURLs,
})

function allows(rule: FoundRule, action: Action): boolean {
  if (!has(rule.verbs, action.verb) && !has(rule.verbs, ALL)) return false
  return action.type === 'path'
    ? rule.paths.some((pattern) => coversPath(pattern, action.path))
    : concernsResource(rule, action)
}

function concernsResource(rule: FoundRule, { group, resource, subresource, name }: ResourceAction): boolean {
  if (!has(rule.apiGroups, group) && !has(rule.apiGroups, ALL)) return false
  if (!namesResource(rule.resources, resource, subresource)) return false
  return rule.names === undefined || has(rule.names, name)
}

/** `pods` does not name `pods/log`; `*` names everything, and `*` before a subresource names that of every resource. */
function namesResource(resources: Values, resource: string, subresource: string): boolean {
  if (has(resources, ALL)) return true
  if (subresource === '') return has(resources, resource)
  return has(resources, `${resource}/${subresource}`) || has(resources, `${ALL}/${subresource}`)
}

/** Does a pattern name the path (or all that another pattern names)? Only a star at its end has a meaning. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === path || pattern === ALL || (pattern.endsWith(ALL) && path.startsWith(pattern.slice(0, -1)))

/** So many combinations of verb, group and resource are kept of one role. */
const MOST_COMBINATIONS = 1000

/** The rules of one role. Those without stars are found by what they name, which is what most roles consist of. */
export class Role {
  readonly rules: readonly PolicyRule[]
  /** How many values all the lists of the rules have. */
  readonly values: number
  /** Rules whose combinations are few, by each of these. */
  readonly #named = new Map<string, FoundRule[]>()
  /** Rules that have too many of them, by their resources. */
  readonly #byResource = new Map<string, FoundRule[]>()
  readonly #others: FoundRule[] = []

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules
    this.values = rules.reduce((sum, rule) => sum + valueCount(rule), 0)
    let left = MOST_COMBINATIONS
    for (const rule of rules) {
      const found = foundRule(rule)
      const combinations = rule.verbs.length * rule.apiGroups.length * rule.resources.length
      if (!isNamed(rule)) this.#others.push(found)
      else if (combinations > left)
        for (const resource of new Set(rule.resources)) add(this.#byResource, resource, found)
      else {
        left -= combinations
        for (const target of targetsOf(rule)) add(this.#named, target, found)
      }
    }
  }

  /** `target` is that of the action: a caller that asks many roles makes it once. */
  allows(action: Action, target: string = targetOf(action)): boolean {
    if (some(this.#named.get(target), action) || some(this.#others, action)) return true
    return this.#byResource.size > 0 && action.type === 'resource' && some(this.#byResource.get(whole(action)), action)
  }
}

function add(map: Map<string, FoundRule[]>, key: string, rule: FoundRule): void {
  const same = map.get(key)
  if (same === undefined) map.set(key, [rule])
  else same.push(rule)
}

const whole = ({ resource, subresource }: ResourceAction): string =>
  subresource === '' ? resource : `${resource}/${subresource}`

export const targetOf = (action: Action): string =>
  action.type === 'path' ? '' : target(action.verb, action.group, whole(action))

const target = (verb: string, group: string, resource: string): string => `${verb} ${group} ${resource}`

/** Does the rule have no stars, and no paths? */
const isNamed = ({ verbs, apiGroups, resources, nonResourceURLs }: PolicyRule): boolean =>
  nonResourceURLs.length === 0 &&
  !verbs.includes(ALL) &&
  !apiGroups.includes(ALL) &&
  !resources.some((resource) => resource.startsWith(ALL))

/** Returns the targets that the rule names, each once. */
const targetsOf = ({ verbs, apiGroups, resources }: PolicyRule): ReadonlySet<string> =>
  new Set(
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => target(verb, group, resource)))),
  )

/** Targets that read alike need not be the same, so each rule is asked in full. */
function some(rules: readonly FoundRule[] | undefined, action: Action): boolean {
  if (rules !== undefined) for (const rule of rules) if (allows(rule, action)) return true
  return false
}
