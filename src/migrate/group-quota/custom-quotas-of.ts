import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { type ScopeRequirement, scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import type { Evaluator } from '../../charges/evaluator.ts'
import type { EvaluatorTable } from '../../charges/evaluators/table.ts'
import { countedResource } from '../../charges/evaluators/object-count.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { ifReadable, Quantity } from '../../quantity/quantity.ts'
import type { GroupQuota, Shortfall } from './group-quota.ts'
import { measureOf } from './limit-measures.ts'
import { migratedName } from './migrated-name.ts'
import { scopeExpression } from './scope-expression.ts'

/** A kind of objects in namespaces, as sources of custom quotas name it. */
export interface CountableKind {
  readonly apiVersion: string
  readonly kind: string
}

export interface CustomQuotasOptions {
  readonly evaluators: EvaluatorTable
  /** The kind of a resource; undefined where none such is known. */
  readonly kindOf: (resource: GroupResource) => CountableKind | undefined
}

/** The manifests that take the place of quotas, and what does not become of them. */
export interface CarriedOver {
  readonly manifests: readonly JsonObject[]
  readonly shortfalls: readonly Shortfall[]
}

/** On a custom quota: the quota and the limit that it was made from. */
const MIGRATED_FROM = 'allot.dev/migrated-from'
/** Less than any amount, and above 0, which the limit of a custom quota must be. */
const NEXT_TO_NOTHING = '1n'

/** A GlobalCustomQuota for each limit of the quotas, in their order. A limit of a quota gets the same name in each run, and no other the same. */
export function customQuotasOf(quotas: readonly GroupQuota[], options: CustomQuotasOptions): CarriedOver {
  const shortfalls: Shortfall[] = []
  const manifests: JsonObject[] = []
  for (const of of quotas) {
    shortfalls.push(...of.shortfalls)
    const limits = Object.entries(of.quota.hard ?? {})
    if (limits.length === 0) shortfalls.push({ quota: of.title, effect: 'NotCarriedOver', text: 'it has no limits' })
    for (const [name, amount] of limits) {
      const note = (effect: Shortfall['effect'], text: string): void =>
        void shortfalls.push({ quota: of.title, limit: name, effect, text })
      const limit = limitOf(amount)
      if (limit === undefined) {
        note('NotCarriedOver', `${amount} is not an amount of at least 0`)
        continue
      }
      const sources = sourcesOf(name, limit.format === 'BinarySI', scopeRequirements(of.quota), options, note)
      if (sources.length === 0) continue
      manifests.push({
        apiVersion: globalCustomQuota.apiVersion,
        kind: globalCustomQuota.kind,
        metadata: {
          name: migratedName(of.origin, name),
          annotations: { [MIGRATED_FROM]: `${of.title}: ${name}` },
        },
        spec: { limit: limit.isZero() ? NEXT_TO_NOTHING : amount, namespaceSelectors: [of.namespaces], sources },
      })
    }
  }
  return { manifests, shortfalls }
}

function limitOf(amount: string): Quantity | undefined {
  return ifReadable(() => {
    const quantity = Quantity.parse(amount)
    return quantity.sign() < 0 ? undefined : quantity
  }, undefined)
}

type Note = (effect: Shortfall['effect'], text: string) => void

/** A source for each kind of objects that is charged under the name; none, with the reason, where one cannot be counted. */
function sourcesOf(
  name: string,
  isBinary: boolean,
  requirements: readonly ScopeRequirement[],
  { evaluators, kindOf }: CustomQuotasOptions,
  note: Note,
): readonly JsonObject[] {
  const lost = (text: string): readonly JsonObject[] => {
    note('NotCarriedOver', text)
    return []
  }
  const charging = evaluators.countingTowards([name]).filter(({ charges }) => charges?.(name) ?? true)
  if (charging.length === 0) return lost('limits nothing: no object is charged under this name')
  const inScope = charging.filter(({ scopes }) =>
    requirements.every(({ scopeName }) => scopes?.has(scopeName) === true),
  )
  if (inScope.length === 0) return lost('limits nothing: what it counts has none of the scopes of the quota')
  const conditions = requirements.map(scopeExpression)
  if (conditions.some((one) => one === undefined))
    return lost('the scopes of the quota cannot be evaluated: an operator or its values are missing')
  const expressions = conditions.filter((one) => one !== undefined)
  const sources: JsonObject[] = []
  const lacking: string[] = []
  for (const evaluator of inScope) {
    const kind = kindOf(evaluator)
    if (kind === undefined) return lost(unknownKind(evaluator, name))
    const measure = measureOf(evaluator, name, isBinary)
    if (measure === undefined) continue
    if (measure.lacks !== undefined) lacking.push(measure.lacks)
    const { cel, fieldSelectors = [], celExpressions = [] } = measure
    const all = [...celExpressions, ...expressions]
    const selector = {
      ...(fieldSelectors.length === 0 ? {} : { fieldSelectors }),
      ...(all.length === 0 ? {} : { celExpressions: all }),
    }
    sources.push({
      ...kind,
      ...(cel === undefined ? { op: 'count' } : { op: 'add', cel }),
      ...(Object.keys(selector).length === 0 ? {} : { selectors: [selector] }),
    })
  }
  for (const text of lacking) note('Differs', text)
  return sources.length === 0 ? lost('what is charged under this name is in no field of an object') : sources
}

function unknownKind(evaluator: Evaluator, name: string): string {
  const resource = qualified(countedResource(name) ?? evaluator)
  return `no kind is known for ${resource}; --kubeconfig or --context names an API server that serves it`
}
