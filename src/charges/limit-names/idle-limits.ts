import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { qualified } from '../../machinery/status.ts'
import type { Evaluator } from '../evaluator.ts'
import type { EvaluatorTable } from '../evaluators/table.ts'
import { countedResource } from '../evaluators/object-count.ts'
import { canBeMetTogether } from './met-together.ts'
import { meantLimit, meantScope, namesOfferedKind, type NamesOfLimits } from './meant-limit.ts'
import type { OfferedResources } from './offered-resources.ts'

/** A limit under whose name nothing is charged. */
export interface IdleLimit {
  readonly name: string
  /** Why it is idle, and what was probably meant. */
  readonly text: string
  /** Whether it is idle only because of the scopes of its quota. */
  readonly isOutOfScope: boolean
  /** Does it limit something when a CRD comes (`notYet`), on an API server of another version (`notHere`), or `never`? */
  readonly outlook: 'notYet' | 'notHere' | 'never'
}

export interface IdleLimitsOptions {
  readonly evaluators: EvaluatorTable
  readonly offered: OfferedResources
  /** The requirements of the scopes of the quota; left out: none. */
  readonly requirements?: readonly ScopeRequirement[]
  /** More than these are not looked for; left out: all. */
  readonly most?: number
}

/** As many warnings as one answer needs to be understood. */
export const MOST_WARNINGS = 20

/** The verbs that a server must offer of a resource for its objects to be counted (upstream `GetQuotableResources`). */
const COUNTABLE: readonly string[] = ['create', 'list', 'watch', 'delete']

/** The limits among these names that limit nothing, whatever objects there are: no evaluator charges a thing under them. */
export function idleLimits(hard: readonly string[], options: IdleLimitsOptions): readonly IdleLimit[] {
  const { most = Number.POSITIVE_INFINITY } = options
  const judge = new Judge(options)
  const idle: IdleLimit[] = []
  for (const name of hard) {
    const found = judge.of(name)
    if (found !== undefined) idle.push(found)
    if (idle.length >= most) break
  }
  return idle
}

/** The idle limits as the warnings of the field that holds them. */
export const idleWarning = (path: string, { name, text }: IdleLimit): string => `${path}[${name}]: ${text}`

/** An idle limit as the error of the field that holds it. */
export const idleError = (path: string, { name, text }: IdleLimit): FieldError =>
  invalid(`${path}[${name}]`, name, text)

class Judge {
  readonly #evaluators: EvaluatorTable
  readonly #requirements: readonly ScopeRequirement[]
  readonly #names: NamesOfLimits
  /** By evaluator. */
  readonly #reachable = new Map<string, boolean>()

  constructor({ evaluators, offered, requirements = [] }: IdleLimitsOptions) {
    this.#evaluators = evaluators
    this.#requirements = requirements
    this.#names = {
      offered,
      patterns: evaluators.entries.flatMap(({ names }) => names),
      isCharged: (name) => this.#unchargedReason(name) === undefined,
    }
  }

  of(name: string): IdleLimit | undefined {
    const why = this.#unchargedReason(name)
    if (why !== undefined) {
      const meant = meantLimit(name, this.#names)
      const outlook = this.#outlook(name)
      const scope = meant === undefined ? meantScope(name) : undefined
      const advice =
        meant === undefined
          ? scope === undefined
            ? ''
            : `; the scope ${scope} was probably meant`
          : `; ${meant} was probably meant`
      return {
        name,
        text: `limits nothing${outlook === 'notYet' ? ' now' : ''}: ${why}${advice}`,
        isOutOfScope: false,
        outlook,
      }
    }
    if (this.#requirements.length === 0 || this.#chargers(name).some((one) => this.#isReachable(one))) return undefined
    const scopes = [...new Set(this.#requirements.map(({ scopeName }) => scopeName))]
    const of = scopes.length === 1 ? `the scope ${scopes[0] ?? ''}` : `all of the scopes ${scopes.join(', ')}`
    return {
      name,
      text: `limits nothing: no object that it counts can be in ${of} of this quota; a quota without ${scopes.length === 1 ? 'it' : 'them'} was probably meant`,
      isOutOfScope: true,
      outlook: 'never',
    }
  }

  /** Why no object is ever charged under the name, were there no scopes. */
  #unchargedReason(name: string): string | undefined {
    const counted = countedResource(name)
    if (counted === undefined)
      return this.#chargers(name).length > 0 ? undefined : 'no object is charged under this name'
    const id = qualified(counted)
    const found = this.#names.offered.find(counted)
    if (found === undefined) return `the API server serves no resource ${JSON.stringify(id)}`
    if (!found.namespaced) return `${id} are in no namespace, and a quota counts the objects of a namespace`
    if (this.#chargers(name).length === 0) return `${id} are never charged to a quota`
    const missing = COUNTABLE.filter((verb) => !found.verbs.includes(verb))
    return missing.length === 0 ? undefined : `${id} cannot be counted, for lack of the verb ${missing[0] ?? ''}`
  }

  #chargers(name: string): readonly Evaluator[] {
    return this.#evaluators.countingTowards([name]).filter(({ charges }) => charges?.(name) ?? true)
  }

  #isReachable(evaluator: Evaluator): boolean {
    const id = qualified(evaluator)
    const known = this.#reachable.get(id)
    if (known !== undefined) return known
    const found = canBeMetTogether(evaluator, this.#requirements)
    this.#reachable.set(id, found)
    return found
  }

  /** Only a group with a dot can come with a CRD; and a kind that is there already has its plural. */
  #outlook(name: string): IdleLimit['outlook'] {
    const counted = countedResource(name)
    if (counted === undefined || this.#names.offered.find(counted) !== undefined) return 'never'
    if (counted.resource !== counted.resource.toLowerCase() || namesOfferedKind(name, this.#names)) return 'never'
    return counted.group.includes('.') ? 'notYet' : 'notHere'
  }
}
