import { type Condition, conditionOf } from '../../api/condition.ts'
import { RECONCILING, STALLED } from '../../api/progress.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { EFFECT_ANNOTATION, PROBLEM_ANNOTATION } from '../../systems/quota-increase/api/increase-names.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { ALLOCATED, EXPIRED } from '../../systems/resource-pool/api/pool-names.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { Cause, Explanation } from './explanation.ts'
import { idOf } from './facts.ts'
import { claimHolders, type ClaimRoom, roomForClaim } from './remedy/room-for-claim.ts'

/** What a request for room has come to. */
interface State {
  readonly verdict: Explanation['verdict']
  readonly said: string
  /** Where it waits, and why. */
  readonly cause?: Pick<Cause, 'by' | 'text'>
}

/**
 * Explains a claim on a pool or a quota increase from what allot has written into it; undefined for objects of other kinds. `room`: what was read
 * for a claim, so that holders and remedies are named; left out: they are not asked.
 */
export function explainRequest(object: KubeObject, namespace: string, room?: ClaimRoom): Explanation | undefined {
  const state = stateOf(object)
  if (state === undefined) return undefined
  const id = idOf(object, namespace)
  const { verdict, said, cause } = state
  const claim =
    room !== undefined && verdict === 'blocked' && isOf(object, resourcePoolClaim)
      ? resourcePoolClaim.read(object)
      : undefined
  const { holders, unseenHolders } = claim && room ? claimHolders(claim, room) : { holders: [], unseenHolders: [] }
  return {
    format: 1,
    object: id,
    verdict,
    summary: `${id.kind} ${id.name} ${said}`,
    chain: [id],
    wanted: [],
    budgets: [],
    causes: cause === undefined ? [] : [{ type: 'waits', refused: id.kind, containers: [], ...cause }],
    warnings: [],
    holders,
    ...(unseenHolders.length === 0 ? {} : { unseenHolders }),
    remedies: claim && room ? roomForClaim(claim, room) : [],
    notSeen: claim && room ? room.notSeen.map(({ resource, reason }) => `${resource}: ${reason}`) : [],
  }
}

const isOf = (object: KubeObject, { group, kind }: { readonly group: string; readonly kind: string }): boolean =>
  object.kind === kind && object.apiVersion.startsWith(`${group}/`)

function stateOf(object: KubeObject): State | undefined {
  if (isOf(object, resourcePoolClaim)) return stateOfClaim(object)
  return isOf(object, quotaIncrease) ? stateOfIncrease(object) : undefined
}

const UNDECIDED: State = { verdict: 'unknown', said: 'has not been looked at: does allot run in this cluster?' }

function stateOfClaim(object: KubeObject): State {
  const { spec, status } = resourcePoolClaim.read(object)
  const { waiting, conditions, pool } = status ?? {}
  if (waiting !== undefined) {
    const place = waiting.position === undefined ? '' : `; it has place ${waiting.position} in the queue`
    const by = { kind: 'ResourcePool', name: pool?.name ?? spec.pool }
    return { verdict: 'blocked', said: 'waits', cause: { by, text: `${waiting.message}${place}` } }
  }
  const [allocated, expired] = [conditionOf(conditions, ALLOCATED), conditionOf(conditions, EXPIRED)]
  if (expired?.status === 'True') return { verdict: 'clear', said: `has ended: ${expired.message}` }
  const why = allocated ?? progressIn(conditions)
  if (why === undefined) return UNDECIDED
  if (allocated?.status === 'True')
    return { verdict: 'clear', said: `has its amounts from pool ${pool?.name ?? spec.pool}` }
  return {
    verdict: 'blocked',
    said: 'has no amounts',
    cause: { by: { kind: 'ResourcePool', name: spec.pool }, text: why.message },
  }
}

function stateOfIncrease(object: KubeObject): State {
  const { metadata, status } = quotaIncrease.read(object)
  const { [PROBLEM_ANNOTATION]: problem, [EFFECT_ANNOTATION]: effect } = metadata.annotations ?? {}
  const text = problem ?? progressIn(status?.conditions)?.message
  if (text !== undefined)
    return { verdict: 'blocked', said: 'contributes nothing', cause: { by: { kind: '', name: '' }, text } }
  return effect === undefined
    ? UNDECIDED
    : { verdict: 'clear', said: `contributes ${effect === '' ? 'nothing' : effect}` }
}

/** The condition that says what keeps an object from being as its spec asks. */
const progressIn = (conditions: readonly Condition[] | undefined): Condition | undefined =>
  [STALLED, RECONCILING].map((type) => conditionOf(conditions, type)).find((one) => one?.status === 'True')
