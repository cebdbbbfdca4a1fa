import type { KubeObject } from '../../../machinery/object.ts'
import { cutText, inOneLine } from '../../../machinery/text/shown.ts'
import { goQuote } from '../../../machinery/go/quote.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { LedgerRefusal } from '../../counted/protocol/ledger-errors.ts'
import type { MeasureError } from './measure-error.ts'
import { kindOfObject, kindText } from './source-kind.ts'
import { compareText } from '../../../machinery/text/compare.ts'

export type WriteOperation = 'CREATE' | 'UPDATE'

/** Longer than most names may be. Some kinds have no bound. */
const LONGEST_NAME = 320

const VERBS: Readonly<Record<WriteOperation, string>> = { CREATE: 'creating', UPDATE: 'updating' }

/**
 * Returns why quotas refuse a request, in Capsule's words for the first quota. Then it names every other quota that
 * refuses, how much would fit, and whether only reserved room is in the way. `ofOthers`: which quotas of other systems
 * refuse it as well, and why.
 */
export function exceededText(
  operation: WriteOperation,
  refusals: readonly [LedgerRefusal, ...LedgerRefusal[]],
  ofOthers: readonly string[] = [],
): string {
  const [first = refusals[0], ...others] = refusals.toSorted(compareQuotas)
  const also = [...others.map(amounts), ...ofOthers].map((one) => `; also refused by ${one}`).join('')
  const free = ofOthers.length > 0 ? '' : givenBack([first, ...others])
  return `${VERBS[operation]} resource exceeds limit for ${amounts(first)}${also}; ${fitting([first, ...others])}${free}`
}

/** A custom quota among others that count the same object. */
interface RankedQuota {
  readonly budget: BudgetRef
  readonly limit: Quantity
}

/**
 * The order in which the quotas that refuse a request are named: the smallest limit first; among equal limits global quotas
 * first, then by namespace and name.
 */
function compareQuotas(a: RankedQuota, b: RankedQuota): number {
  return (
    a.limit.cmp(b.limit) ||
    Number(a.budget.namespace !== '') - Number(b.budget.namespace !== '') ||
    compareText(a.budget.namespace, b.budget.namespace) ||
    compareText(a.budget.name, b.budget.name)
  )
}

/** Requests that hold room may fail yet: where the request would fit without them, somebody may try again. */
function givenBack(refusals: readonly LedgerRefusal[]): string {
  const fitsWithout = ({ requested, usedByOthers, reservedByOthers, limit }: LedgerRefusal): boolean =>
    reservedByOthers.sign() > 0 && usedByOthers.sub(reservedByOthers).add(requested).cmp(limit) <= 0
  if (!refusals.every(fitsWithout)) return ''
  const held = refusals.map((one) =>
    refusals.length === 1 ? one.reservedByOthers.toString() : `${one.reservedByOthers.toString()} of ${named(one)}`,
  )
  return `; ${held.join(', ')} is reserved by requests that are not stored yet, and may be given back`
}

/** As the status shows them: a sum of which more is subtracted than added uses nothing. */
function amounts(refusal: LedgerRefusal): string {
  const { requested, limit, reserved } = refusal
  const used = atLeastZero(refusal.used)
  return (
    `${named(refusal)} (requested=${requested.toString()}, currentUsed=${used.toString()}, ` +
    `available=${atLeastZero(limit.sub(used)).toString()}, limit=${limit.toString()}, inflightReserved=${reserved.toString()})`
  )
}

/** Amounts of several quotas may be of different things, so each is named. */
function fitting(refusals: readonly LedgerRefusal[]): string {
  const room = ({ limit, usedByOthers, requested }: LedgerRefusal): string => {
    const left = limit.sub(usedByOthers)
    // An object that lowers the sum must lower it by so much.
    return (requested.sign() < 0 ? left : atLeastZero(left)).toString()
  }
  const [first, second] = refusals
  if (first !== undefined && second === undefined) return `at most ${room(first)} would fit`
  return `at most ${refusals.map((one) => `${room(one)} would fit in ${named(one)}`).join(', ')}`
}

const named = ({ budget }: LedgerRefusal): string => `${budget.kind} ${goQuote(budget.name)}`

function atLeastZero(amount: Quantity): Quantity {
  return amount.sign() < 0 ? Quantity.zero : amount
}

/** Why a request is refused whose object a quota cannot measure (Capsule's words). */
export function unmeasurableText(
  operation: WriteOperation,
  object: KubeObject,
  quota: BudgetRef,
  error: MeasureError,
): string {
  if (error.measured === 'selectors')
    return `evaluate selectors for ${namespacedName(object)} on ${quota.kind} ${place(quota)}: ${error.message}`
  const resource = `${namespacedName(object)} (${kindText(kindOfObject(object))})`
  const which = operation === 'CREATE' ? 'custom quota' : 'new custom quota'
  return (
    `${VERBS[operation]} resource ${resource} cannot be admitted because ${which} usage could not be calculated: ` +
    `${quota.kind} ${goQuote(quota.name)} source ${sourceText(error)} did not resolve to a valid quantity: ${error.message}`
  )
}

/** Returns the message of the condition Ready for an object that the quota cannot measure (Capsule's words). */
export function uncountedText(object: KubeObject, error: MeasureError): string {
  const of = `${namespacedName(object)} (${kindText(kindOfObject(object))})`
  if (error.measured === 'selectors') return `evaluate selectors for ${of}: ${error.message}`
  return `get usage from ${of} ${sourceText(error)}: ${error.message}`
}

/** Why a request is refused that a quota which has not been counted yet concerns; to be answered as a retryable error. */
export function notReadyText(quota: BudgetRef, generation: bigint | number | string): string {
  return `${quota.kind} ${place(quota)} is not ready for generation ${generation}`
}

/** Why a request is refused in whose namespace an object cannot be measured; to be answered as a retryable error. `problem`: as in `Ready`. */
export function closedNamespaceText(quota: BudgetRef, namespace: string, problem: string): string {
  const where = namespace === '' ? 'outside namespaces' : `in namespace ${goQuote(namespace)}`
  return `${quota.kind} ${place(quota)} allows nothing more ${where} until an object there can be measured: ${problem}; correct or delete that object`
}

function sourceText({ source: { path = '', cel = '', op } }: MeasureError): string {
  return `path ${goQuote(path)} cel ${goQuote(cel)} op ${goQuote(op)}`
}

function place({ namespace, name }: BudgetRef): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

function namespacedName({ metadata: { namespace = '', name, generateName = '' } }: KubeObject): string {
  return `${namespace}/${cutText(inOneLine(name ?? generateName), LONGEST_NAME)}`
}
