import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { objectOf } from '../../../machinery/read.ts'
import {
  add,
  formatResourceList,
  mask,
  quantityOf,
  removeZeros,
  type ResourceList,
  subtractWithNonNegativeResult,
} from '../../../quantity/resource-list.ts'
import {
  type ClaimWaiting,
  resourcePoolClaim,
  type ResourcePoolClaim,
} from '../../../systems/resource-pool/api/claim.ts'
import type { ResourcePool } from '../../../systems/resource-pool/api/resource-pool.ts'
import { shortagesOf } from '../../../systems/resource-pool/decide/amount/capacity.ts'
import { readShortages, type WaitingShortage } from '../../../systems/resource-pool/decide/waiting/read-shortages.ts'
import { waitingInLine } from '../../../systems/resource-pool/decide/waiting/waiting.ts'
import type { Cause, Explanation, Remedy } from '../explanation.ts'
import { type ClaimRoom, moreByClaim } from './room-for-claim.ts'

/** So many claims that wait are named for each pool. */
const MOST = 3

/** Reports whether a remedy creates a claim, so that the room of the pool matters. */
export const claimsFromPool = ({ remedies }: Pick<Explanation, 'remedies'>): boolean =>
  remedies.some((one) => claimOf(one) !== undefined)

/**
 * The explanation of a workload by the pools that it may claim from. Where claims of the namespace wait already, they and what helps them stand in
 * place of one more claim. Where a pool has too little free, the remedy says so, and what helps stands behind it.
 */
export function withClaimRoom(explanation: Explanation, room: ClaimRoom): Explanation {
  const answers = explanation.remedies.map((remedy): Answer => {
    const claim = claimOf(remedy)
    return claim === undefined ? { causes: [], remedies: [remedy] } : answered(remedy, claim, room)
  })
  return {
    ...explanation,
    causes: [...explanation.causes, ...answers.flatMap(({ causes }) => causes)],
    remedies: answers.flatMap(({ remedies }) => remedies),
  }
}

type Answer = Pick<Explanation, 'causes' | 'remedies'>

/** The claim that a remedy creates. */
function claimOf({ manifest }: Remedy): ResourcePoolClaim | undefined {
  const { apiVersion, kind, metadata, spec } = manifest ?? {}
  return apiVersion === resourcePoolClaim.apiVersion && kind === resourcePoolClaim.kind
    ? resourcePoolClaim.read({ apiVersion, kind, metadata: objectOf(metadata), spec: objectOf(spec) })
    : undefined
}

function answered(remedy: Remedy, claim: ResourcePoolClaim, room: ClaimRoom): Answer {
  const { pool } = claim.spec
  const lack = amountsOf(claim.spec.claim)
  const waiting = waitingFor(pool, Object.keys(lack), room)
  const named = waiting.slice(0, MOST)
  const asked = waiting.map(({ spec }) => amountsOf(spec.claim)).reduce<ResourceList>(add, {})
  const rest = removeZeros(subtractWithNonNegativeResult(lack, asked))
  return {
    causes: named.map((one) => causeOf(one, pool)),
    remedies: [
      ...named.flatMap((one) => forClaim(`claim ${one.metadata.name ?? ''}`, moreByClaim(one, lack, room))),
      ...(Object.keys(rest).length === 0 ? [] : oneMore(remedy, claim, { rest, asked }, room)),
    ],
  }
}

/** The claims of the namespace that wait for amounts of these names, in the order of the queue. */
const waitingFor = (pool: string, names: readonly string[], { claims }: ClaimRoom): readonly ResourcePoolClaim[] =>
  claims
    .filter(
      ({ status, spec }) =>
        status?.waiting !== undefined &&
        (status.pool?.name ?? spec.pool) === pool &&
        names.some((name) => spec.claim[name] !== undefined),
    )
    .toSorted((a, b) => (a.status?.waiting?.position ?? Infinity) - (b.status?.waiting?.position ?? Infinity) || 0)

function causeOf({ kind, metadata, status }: ResourcePoolClaim, pool: string): Cause {
  const { position, message = '' } = status?.waiting ?? {}
  const place = position === undefined ? '' : `, place ${position}`
  return {
    type: 'waits',
    refused: kind,
    by: { kind: 'ResourcePool', name: pool },
    text: `claim ${metadata.name ?? ''} from pool ${pool} waits${place}: ${message}`,
    containers: [],
  }
}

const forClaim = (claim: string, remedies: readonly Remedy[]): readonly Remedy[] =>
  remedies.map((one) => ({ ...one, text: `for ${claim}: ${one.text}` }))

/** One more claim, on the rest that claims which wait do not ask for. What helps it where it would wait, too, stands behind it. */
function oneMore(
  remedy: Remedy,
  claim: ResourcePoolClaim,
  { rest, asked }: { readonly rest: ResourceList; readonly asked: ResourceList },
  room: ClaimRoom,
): readonly Remedy[] {
  const amounts = formatResourceList(rest)
  const pool = room.pools?.find(({ metadata }) => metadata.name === claim.spec.pool)
  const made = { ...claim, spec: { ...claim.spec, claim: { ...amounts } } }
  const said = Object.entries(amounts).map(([name, amount]) => `${name} ${amount}`)
  const text = `claim ${said.join(', ')} from pool ${claim.spec.pool}`
  const manifest = { ...remedy.manifest, spec: { pool: claim.spec.pool, claim: { ...amounts } } }
  const waiting = pool === undefined ? undefined : foreseen(rest, asked, pool)
  if (waiting === undefined) return [{ ...remedy, text, manifest }]
  const why = readShortages(waiting).map(({ resource, of, amount }) => SAID[of](`${resource} ${amount.toString()}`))
  const helped = moreByClaim({ ...made, status: { conditions: [], waiting } }, rest, room)
  return [
    { ...remedy, text: `${text}; the claim has to wait: ${why.join(', ')}`, manifest },
    ...forClaim('this claim', helped),
  ]
}

/**
 * Predicts how a claim of these amounts would wait behind the other claims of the namespace. Undefined if it would not
 * wait, or if the pool does not tell.
 */
function foreseen(
  request: ResourceList,
  asked: ResourceList,
  { spec, status }: ResourcePool,
): ClaimWaiting | undefined {
  const available = status?.allocation?.available
  if (available === undefined) return undefined
  const short = (room: ResourceList) => shortagesOf(request, { get: (name) => quantityOf(room, name) })
  const shortages = short(amountsOf(available))
  const exhaustions = Object.entries(status?.exhaustions ?? {})
  const before = spec.config.orderedQueue
    ? amountsOf(Object.fromEntries(exhaustions.map(([name, { requesting = '0' }]) => [name, requesting])))
    : mask(
        asked,
        shortages.map(({ resource }) => resource),
      )
  const queued = Object.entries(request).flatMap(([resource, requested]) => {
    const amount = quantityOf(before, resource)
    return amount === undefined ? [] : [{ resource, requested, queued: amount }]
  })
  if (queued.length === 0 && shortages.length === 0) return undefined
  const { position: _, ...waiting } = waitingInLine(
    { request, oversize: short(amountsOf(spec.quota.hard)) },
    queued.length > 0
      ? { verdict: 'waiting', reason: 'QueueExhausted', shortages: queued }
      : { verdict: 'waiting', reason: 'PoolExhausted', shortages },
    1,
  )
  return waiting
}

const SAID: Readonly<Record<WaitingShortage['of'], (amount: string) => string>> = {
  free: (amount) => `${amount} is free`,
  'in the pool': (amount) => `the whole pool has ${amount}`,
  'before it': (amount) => `older claims wait for ${amount}`,
}
