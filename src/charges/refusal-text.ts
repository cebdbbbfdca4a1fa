import type { ScopeRequirement } from '../kinds/resource-quota/resource-quota.ts'
import { type ApiError, failure, forbidden } from '../machinery/status.ts'
import type { Quantity } from '../quantity/quantity.ts'
import type { BudgetRef } from './budget.ts'
import type { Attributes } from './evaluator.ts'
import type { Denied } from './decide.ts'
import type { Excess, Refusal } from './refusal.ts'

/** `first`: what Kubernetes says, to the letter. `all`: every refusal in the same words, joined by `; `. */
export type Wording = 'first' | 'all'

/** Why a request is refused, as a sentence without its subject, worded as upstream. */
export function refusalText({ refusals: [first, ...others] }: Denied, wording: Wording): string {
  return wording === 'first' ? sentenceOf(first) : refusalSentences({ refusals: [first, ...others] }).join('; ')
}

/** The reasons of a refusal in the same words, a sentence each. */
export const refusalSentences = ({ refusals }: Pick<Denied, 'refusals'>): readonly string[] => refusals.map(sentenceOf)

/**
 * Returns the answer to a refused request: 403 Forbidden with `<resource> "<name>" is forbidden: …`. It is 500 if
 * upstream answers the first refusal with a plain error.
 */
export function refusalError(attributes: Attributes, decision: Denied, wording: Wording): ApiError {
  const text = refusalText(decision, wording)
  const [first] = decision.refusals
  return first.code === 500 ? failure(500, 'InternalError', text) : forbidden(attributes, requestName(attributes), text)
}

/** Returns the name that a request is about: the name on its URL, else the object's, else what a name will be generated from. */
export function requestName({ name, object }: Attributes): string {
  const { metadata } = object
  return name || metadata.name || metadata.generateName || 'Unknown'
}

/** A ResourceQuota goes by its name, as Kubernetes has it; any other budget by its kind and namespace too. */
function nameOf({ group, kind, namespace, name }: BudgetRef): string {
  if (group === '' && kind === 'ResourceQuota') return name
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}

function sentenceOf(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'exceeded':
      return exceededText(nameOf(refusal.budget), refusal.excesses)
    case 'missing-values': {
      const demands = refusal.missing.map(({ resource, containers }) => `${resource} for: ${containers.join(',')}`)
      return `failed quota: ${nameOf(refusal.budget)}: must specify ${demands.join('; ')}`
    }
    case 'status-unknown':
      return `status unknown for quota: ${nameOf(refusal.budget)}, resources: ${refusal.resources.join(',')}`
    case 'negative-usage':
      return `quota usage is negative for resource(s): ${refusal.resources.join(',')}`
    case 'no-old-object':
      return 'unable to get previous usage since prior version of object was not found'
    case 'insufficient-quota':
      return `insufficient quota to consume: ${refusal.resources.join(',')}`
    case 'insufficient-scopes':
      return `insufficient quota to match these scopes: [${refusal.scopes.map(asGo).join(' ')}]`
    case 'scope-error':
      return `error matching scopes of quota ${nameOf(refusal.budget)}, err: ${refusal.message}`
    case 'unmeasurable':
      return refusal.message
    default:
      return refusal satisfies never
  }
}

/** Says by which amounts a request exceeds a quota, worded as upstream. */
export function exceededText(quota: string, excesses: readonly Excess[]): string {
  const list = (amount: (excess: Excess) => Quantity): string =>
    excesses.map((excess) => `${excess.resource}=${amount(excess).toString()}`).join(',')
  const requested = list((excess) => excess.requested)
  const used = list((excess) => excess.used)
  return `exceeded quota: ${quota}, requested: ${requested}, used: ${used}, limited: ${list((excess) => excess.hard)}`
}

/** As Go prints the struct: `{PriorityClass In [high low]}`. */
function asGo({ scopeName, operator = '', values = [] }: ScopeRequirement): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`
}
