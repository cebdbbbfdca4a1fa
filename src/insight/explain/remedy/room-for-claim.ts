import { conditionOf } from '../../../api/condition.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { enumerated } from '../../../machinery/text/enumerated.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { add, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { ALLOCATED, BOUND } from '../../../systems/resource-pool/api/pool-names.ts'
import { type ResourcePool, resourcePool } from '../../../systems/resource-pool/api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../../systems/resource-pool/api/claim.ts'
import { readShortages, type WaitingShortage } from '../../../systems/resource-pool/decide/waiting/read-shortages.ts'
import type { Holder, Remedy, UnseenUse } from '../explanation.ts'
import { combinations } from './combinations.ts'

/** What was read for a claim. */
export interface ClaimRoom {
  /** The pools that the caller may read; of other namespaces they tell only what the caller may list. Undefined: the caller may read none. */
  readonly pools: readonly ResourcePool[] | undefined
  /** The claims of the namespace. */
  readonly claims: readonly ResourcePoolClaim[]
  /** The beginning of commands that lead to this cluster and namespace, such as `kubectl -n shop`. */
  readonly kubectl: string
  readonly notSeen: readonly { readonly resource: string; readonly reason: string }[]
}

/** So many claims are named, and tried together. */
const MOST = 10
const MOST_TOGETHER = 3

/**
 * Returns the claims that use the pool for which a claim waits, the largest of each resource first. If the pool cannot
 * be read, returns the claims of the namespace.
 */
export function claimHolders(
  claim: ResourcePoolClaim,
  room: ClaimRoom,
): { readonly holders: readonly Holder[]; readonly unseenHolders: readonly UnseenUse[] } {
  const pool = poolOf(claim, room)
  const allGiven = pool === undefined ? givenToNamespace(claim, room) : givenBy(pool)
  const limits = shortagesOf(claim).map(({ resource }) => {
    const given = allGiven.flatMap(({ namespace, name, amounts }) => {
      const amount = quantityOf(amounts, resource)
      return amount === undefined || amount.sign() <= 0 ? [] : [{ namespace, name, amount }]
    })
    const used = quantityOf(amountsOf(pool?.status?.allocation?.used), resource) ?? Quantity.zero
    const unseen = used.sub(given.reduce((sum, { amount }) => sum.add(amount), Quantity.zero))
    const limit = { budget: poolNameIn(claim), budgetKind: resourcePool.kind, resource }
    const holders = given
      .toSorted((a, b) => b.amount.cmp(a.amount))
      .slice(0, MOST)
      .map(({ namespace, name, amount }): Holder => {
        const owner = { apiVersion: resourcePoolClaim.apiVersion, kind: resourcePoolClaim.kind, namespace, name }
        return { owner, objects: 1, ...limit, amount: amount.toString() }
      })
    return { holders, unseenHolders: unseen.sign() > 0 ? [{ ...limit, amount: unseen.toString() }] : [] }
  })
  return {
    holders: limits.flatMap(({ holders }) => holders),
    unseenHolders: limits.flatMap(({ unseenHolders }) => unseenHolders),
  }
}

/** A claim that has amounts of a pool. */
interface Given {
  readonly namespace: string
  readonly name: string
  readonly amounts: ResourceList
}

const givenBy = ({ status }: ResourcePool): readonly Given[] =>
  Object.entries(status?.claims ?? {}).flatMap(([namespace, claims]) =>
    claims.map(({ name, claims: amounts }) => ({ namespace, name, amounts: amountsOf(amounts) })),
  )

const givenToNamespace = (claim: ResourcePoolClaim, { claims }: ClaimRoom): readonly Given[] =>
  claims
    .filter((one) => hasAmounts(one) && poolNameIn(one) === poolNameIn(claim))
    .map((one) => ({ namespace: one.metadata.namespace ?? '', name: nameOf(one), amounts: amountsOf(one.spec.claim) }))

/** What gives a claim that waits its amounts, the owner's own means first. */
export function roomForClaim(claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] {
  const { reason } = claim.status?.waiting ?? {}
  return reason === undefined ? [] : HELP[reason].flatMap((help) => help(claim, room))
}

/**
 * Returns the remedies by which a waiting claim gives a workload the room that it lacks. It leaves out remedies that
 * lower claims of the namespace, because the quota would lose as much. It leaves out other pools, because the quota
 * would not change.
 */
export function moreByClaim(claim: ResourcePoolClaim, lack: ResourceList, room: ClaimRoom): readonly Remedy[] {
  const { reason } = claim.status?.waiting ?? {}
  if (reason === undefined) return []
  const isEnough = ({ amounts }: Smaller): boolean => {
    const asked: ResourceList = { ...amountsOf(claim.spec.claim), ...amounts }
    return Object.entries(lack).every(([name, amount]) => (quantityOf(asked, name) ?? Quantity.zero).cmp(amount) >= 0)
  }
  const lowerEnough = (): readonly Remedy[] =>
    smaller(claim, room)
      .filter(isEnough)
      .flatMap((one) => lowered(claim, one, room))
  return HELP[reason]
    .filter((help) => help !== free && help !== otherPools)
    .flatMap((help) => (help === lower ? lowerEnough() : help(claim, room)))
}

type Waiting = NonNullable<NonNullable<ResourcePoolClaim['status']>['waiting']>

const shortagesOf = ({ status }: ResourcePoolClaim): readonly WaitingShortage[] =>
  status?.waiting === undefined ? [] : readShortages(status.waiting)

const poolNameIn = ({ spec, status }: ResourcePoolClaim): string => status?.pool?.name ?? spec.pool
const poolOf = (claim: ResourcePoolClaim, { pools }: ClaimRoom): ResourcePool | undefined =>
  pools?.find(({ metadata }) => metadata.name === poolNameIn(claim))

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
const right = (verb: string, name: string): Remedy['needs'] => ({
  verb,
  group: resourcePoolClaim.group,
  resource: resourcePoolClaim.resource,
  name,
})
const poolRight = (verb: string, name: string): Remedy['needs'] => ({
  verb,
  group: resourcePool.group,
  resource: resourcePool.resource,
  name,
})
const merged = (kubectl: string, word: string, patch: JsonObject): string =>
  `${kubectl} patch ${shellWord(word)} --type=merge --patch ${shellWord(JSON.stringify(patch))}`

/** Smaller amounts of a claim. */
interface Smaller {
  readonly amounts: ResourceList
  /** What is said of them. */
  readonly why: string
}

/** A claim may ask for what is free, and else for what the pool has once others have given back what they hold of it. */
function smaller(claim: ResourcePoolClaim, room: ClaimRoom): readonly Smaller[] {
  const shortages = shortagesOf(claim)
  const amounts = Object.fromEntries(shortages.map(({ resource, amount }) => [resource, amount]))
  if (shortages.some(({ of }) => of === 'free')) return [{ amounts, why: 'so much is free' }]
  const whole = { amounts, why: 'so much the whole pool has' }
  const available = freeIn(claim, room)
  const asked = { ...amountsOf(claim.spec.claim), ...amounts }
  const held = Object.entries(asked).flatMap(([resource, amount]) => {
    const free = quantityOf(available, resource)
    return free !== undefined && free.cmp(amount) < 0 ? [{ resource, free, more: amount.sub(free) }] : []
  })
  if (held.length === 0) return [whole]
  const free = Object.fromEntries(held.map((one) => [one.resource, one.free]))
  const more = held.map((one) => `${one.resource} ${one.more.toString()}`).join(', ')
  return [
    { amounts: { ...amounts, ...free }, why: 'so much is free' },
    { ...whole, why: `${whole.why}; it waits until others give back ${more}` },
  ]
}

const lower = (claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] =>
  smaller(claim, room).flatMap((one) => lowered(claim, one, room))

function lowered(claim: ResourcePoolClaim, { amounts, why }: Smaller, { kubectl }: ClaimRoom): readonly Remedy[] {
  const wanted = Object.entries(amounts).map(
    ([resource, amount]) => [resource, amount.sign() > 0 ? amount.toString() : null] as const,
  )
  const isLeft = Object.keys(claim.spec.claim).some((name) =>
    wanted.every(([resource, amount]) => resource !== name || amount !== null),
  )
  if (wanted.length === 0 || !isLeft) return []
  const said = wanted.map(([name, amount]) => (amount === null ? `no ${name}` : `${name} ${amount}`)).join(', ')
  return [
    {
      type: 'lower',
      text: `claim ${said}: ${why}`,
      command: merged(kubectl, `resourcepoolclaim/${nameOf(claim)}`, { spec: { claim: Object.fromEntries(wanted) } }),
      needs: right('patch', nameOf(claim)),
    },
  ]
}

/** What is free of a pool: the pool says it, or else the claims of the namespace that wait for it. */
function freeIn(claim: ResourcePoolClaim, room: ClaimRoom): ResourceList {
  const pool = poolOf(claim, room)
  if (pool !== undefined) return amountsOf(pool.status?.allocation?.available)
  const said = room.claims
    .filter((one) => poolNameIn(one) === poolNameIn(claim))
    .flatMap((one) =>
      shortagesOf(one).flatMap(({ resource, of, amount }) => (of === 'free' ? [[resource, amount] as const] : [])),
    )
  return Object.fromEntries(said)
}

/** How much more of each resource has to be free. `atMost`: what is free of the pool is not known, and may be nothing. */
function lackOf(
  claim: ResourcePoolClaim,
  room: ClaimRoom,
): { readonly lack: ResourceList; readonly atMost: boolean } | undefined {
  const available = freeIn(claim, room)
  let atMost = false
  const lacks = shortagesOf(claim).map(({ resource, requested, of, amount }) => {
    const said = of === 'free' ? amount : quantityOf(available, resource)
    atMost ||= said === undefined
    return [resource, (of === 'before it' ? requested.add(amount) : requested).sub(said ?? Quantity.zero)] as const
  })
  if (lacks.length === 0) return undefined
  return { lack: Object.fromEntries(lacks.filter(([, amount]) => amount.sign() > 0)), atMost }
}

/** Claims of the same namespace that no workload uses give back their amounts. */
function free(claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] {
  const { lack = {} } = lackOf(claim, room) ?? {}
  if (Object.keys(lack).length === 0) return []
  const idle = room.claims
    .filter((one) => isIdle(one) && poolNameIn(one) === poolNameIn(claim) && nameOf(one) !== nameOf(claim))
    .slice(0, MOST)
  const isEnough = (some: readonly ResourcePoolClaim[]): boolean => {
    const given = some.map(({ spec }) => amountsOf(spec.claim)).reduce<ResourceList>(add, {})
    return Object.entries(lack).every(([name, amount]) => (quantityOf(given, name) ?? Quantity.zero).cmp(amount) >= 0)
  }
  for (let size = 1; size <= MOST_TOGETHER; size++)
    for (const some of combinations(idle, size))
      if (isEnough(some)) return [deleted(some, 'whose amounts no workload uses', room)]
  return []
}

/** Has a claim amounts that no workload uses? */
const isIdle = (claim: ResourcePoolClaim): boolean =>
  hasAmounts(claim) && conditionOf(claim.status?.conditions, BOUND)?.status === 'False'

const hasAmounts = ({ status }: ResourcePoolClaim): boolean =>
  status?.waiting === undefined && conditionOf(status?.conditions, ALLOCATED)?.status === 'True'

/** Deletes the older waiting claims. Offered if all of them are in the same namespace and the claim alone may fit. */
function stepForward(claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] {
  const position = claim.status?.waiting?.position ?? Infinity
  const available = freeIn(claim, room)
  const shortages = shortagesOf(claim).map(({ resource, requested }) => ({
    requested,
    free: quantityOf(available, resource),
  }))
  const older = room.claims.filter(
    (one) => poolNameIn(one) === poolNameIn(claim) && (one.status?.waiting?.position ?? Infinity) < position,
  )
  const isKnown = poolOf(claim, room) !== undefined || shortages.every(({ free: amount }) => amount !== undefined)
  const mayBeRoom = shortages.every(
    ({ requested, free: amount = isKnown ? Quantity.zero : requested }) => amount.cmp(requested) >= 0,
  )
  if (!mayBeRoom || older.length === 0 || older.length !== position - 1 || older.length > MOST_TOGETHER) return []
  const remedy = deleted(older, older.length === 1 ? 'which waits before it' : 'which wait before it', room)
  return [isKnown ? remedy : { ...remedy, text: `${remedy.text}; you may not see whether there is room then` }]
}

function deleted(some: readonly ResourcePoolClaim[], why: string, { kubectl }: ClaimRoom): Remedy {
  const names = some.map(nameOf)
  const [first = '', ...others] = names
  const isOne = others.length === 0
  const said = isOne ? `claim ${first}` : `claims ${enumerated(names)}`
  const text = `delete ${said}, ${why}, if nobody needs ${isOne ? 'it' : 'them'}`
  return {
    type: 'free',
    text,
    command: `${kubectl} delete ${names.map((name) => shellWord(`resourcepoolclaim/${name}`)).join(' ')}`,
    needs: right('delete', first),
    ...(others.length === 0 ? {} : { alsoNeeds: others.map((name) => right('delete', name)) }),
  }
}

/** Whoever keeps the pool lets it grow by what lacks. */
function raise(claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] {
  const found = lackOf(claim, room)
  const name = poolNameIn(claim)
  const needs = poolRight('patch', name)
  if (found === undefined) return [{ type: 'raise', text: `have pool ${name} raised`, needs }]
  const amounts = Object.entries(found.lack)
  if (amounts.length === 0) return []
  const more = amounts.map(([resource, amount]) => `${resource} ${amount.toString()}`).join(', ')
  const pool = poolOf(claim, room)
  if (pool === undefined)
    return [{ type: 'raise', text: `have pool ${name} raised by ${found.atMost ? 'at most ' : ''}${more}`, needs }]
  const before = amountsOf(pool.spec.quota.hard)
  const hard = Object.fromEntries(
    amounts.map(([resource, amount]) => [
      resource,
      amount.add(quantityOf(before, resource) ?? Quantity.zero).toString(),
    ]),
  )
  const said = Object.entries(hard).map(([resource, amount]) => `${resource} ${amount}`)
  return [
    {
      type: 'raise',
      text: `have pool ${name} raised to ${said.join(', ')}`,
      command: merged(room.kubectl, `resourcepool/${name}`, { spec: { quota: { hard } } }),
      needs,
    },
  ]
}

/** Pools that serve the namespace, and have all that is claimed. */
function otherPools(claim: ResourcePoolClaim, { pools = [], kubectl }: ClaimRoom): readonly Remedy[] {
  const { namespace = '' } = claim.metadata
  return pools
    .filter(
      ({ status, spec }) =>
        status?.namespaces?.includes(namespace) === true &&
        Object.keys(claim.spec.claim).every((name) => spec.quota.hard?.[name] !== undefined),
    )
    .slice(0, MOST_TOGETHER)
    .map((pool) => ({
      type: 'claim',
      text: `claim from pool ${nameOf(pool)}, which serves the namespace`,
      command: merged(kubectl, `resourcepoolclaim/${nameOf(claim)}`, { spec: { pool: nameOf(pool) } }),
      needs: right('patch', nameOf(claim)),
    }))
}

/** The pool comes to select the namespace: by its labels, where one selector says plainly which. */
function selected(claim: ResourcePoolClaim, room: ClaimRoom): readonly Remedy[] {
  const { namespace = '' } = claim.metadata
  const names = Object.keys(claim.spec.claim).join(', ')
  const { reason } = claim.status?.waiting ?? {}
  if (reason !== 'PoolDoesNotSelectNamespace') {
    const pool = reason === 'NoSuchPool' ? `pool ${poolNameIn(claim)}` : 'a pool'
    const text = `have ${pool} created that selects namespace ${namespace} and has ${names}`
    return [{ type: 'raise', text, needs: poolRight('create', '') }]
  }
  const labels = (poolOf(claim, room)?.spec.selectors ?? []).flatMap(({ matchLabels = {}, matchExpressions = [] }) =>
    matchExpressions.length === 0 && Object.keys(matchLabels).length > 0 ? [Object.entries(matchLabels)] : [],
  )
  const needs = { verb: 'patch', group: '', resource: 'namespaces', name: namespace }
  const text = `have namespace ${namespace} labelled so that pool ${poolNameIn(claim)} selects it`
  const [first] = labels
  if (first === undefined) return [{ type: 'label', text, needs }]
  const words = first.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ')
  return [
    {
      type: 'label',
      text: `${text}: ${first.map(([key, value]) => `${key}=${value}`).join(', ')}`,
      command: `${room.kubectl} label --overwrite ${shellWord(`namespace/${namespace}`)} ${words}`,
      needs,
    },
  ]
}

/** What helps, by the reason of the wait. */
const HELP: Readonly<
  Record<Waiting['reason'], readonly ((claim: ResourcePoolClaim, room: ClaimRoom) => readonly Remedy[])[]>
> = {
  WaitingForRoom: [lower, free, raise],
  NeverFits: [lower, raise],
  WaitingInQueue: [stepForward, free, raise],
  NoSuchPool: [otherPools, selected],
  NoPool: [otherPools, selected],
  PoolDoesNotSelectNamespace: [otherPools, selected],
  // The cause says it: the quota of the namespace, or the number of claims.
  NoQuota: [],
  LedgerFull: [],
}
