import type { ResourcePoolClaim } from '../../../../src/systems/resource-pool/api/claim.ts'
import type { ResourcePool } from '../../../../src/systems/resource-pool/api/resource-pool.ts'
import type { ResourceQuota } from '../../../../src/kinds/resource-quota/resource-quota.ts'
import { poolStatusChange } from '../../../../src/systems/resource-pool/decide/apply-outcome.ts'
import type { decidePool } from '../../../../src/systems/resource-pool/decide/decide-pool.ts'
import type { nextSteps, QuotaWrite } from '../../../../src/systems/resource-pool/decide/quota/write-order.ts'
import { CPU, newVersion, scopesOf, versioned, type Claim, type Operator, type State, type View } from './state.ts'
import { claimOf, inPool, NOW } from '../pool-arena.ts'

/** The functions that are explored, or a mutant of them, and what the server checks of their writes. */
export interface WriteProtocol {
  readonly decidePool: typeof decidePool
  readonly nextSteps: typeof nextSteps
  /** Is the pool's status written with its resourceVersion? */
  readonly swapsPool: boolean
  /** Are quotas written and deleted with theirs? */
  readonly swapsQuota: boolean
}

/** An operator that has read nothing yet. */
export const START: Operator = { at: 'start' }

/** A call, what is stored after it, and where the operator is then. */
export interface OperatorMove {
  readonly name: string
  readonly to: State
  readonly next: Operator
}

/** The next steps of an operator: its next call, or a crash. */
export function operatorMoves(state: State, operator: Operator, protocol: WriteProtocol): readonly OperatorMove[] {
  const { pool, quotas, wishes } = state
  const crash: readonly OperatorMove[] = operator.at === 'start' ? [] : [{ name: 'crashes', to: state, next: START }]
  const ready = (of: ResourcePool, view: View): Operator => ({ at: 'all', pool: of, view, gone: [] })
  switch (operator.at) {
    case 'start':
      return [
        { name: 'reads the pool', to: state, next: { at: 'pool', pool, wishes } },
        { name: 'reads the quotas', to: state, next: { at: 'quotas', quotas } },
      ]
    case 'pool': {
      const { pool: read, wishes: before } = operator
      return [
        ...crash,
        { name: 'reads the quotas', to: state, next: ready(read, { quotas, wishes: before }) },
        ...(before === wishes ? [] : [{ name: 'reads the rest', to: state, next: ready(read, { quotas, wishes }) }]),
      ]
    }
    case 'quotas':
      return [...crash, { name: 'reads the pool', to: state, next: ready(pool, { quotas: operator.quotas, wishes }) }]
    case 'all':
      return [...crash, decide(state, operator, protocol)]
    case 'writing':
      return [...crash, write(state, operator, protocol)]
    default:
      return operator satisfies never
  }
}

const claimObjects = new WeakMap<Claim, ResourcePoolClaim>()

function claimObject(claim: Claim): ResourcePoolClaim {
  const { name, namespace, cpu, age } = claim
  const object = claimObjects.get(claim) ?? claimOf(name, { [CPU]: String(cpu) }, { namespace, age })
  claimObjects.set(claim, object)
  return object
}

function decide(
  state: State,
  { pool, view, gone }: Extract<Operator, { at: 'all' }>,
  { decidePool, nextSteps, swapsPool }: WriteProtocol,
): OperatorMove {
  const quotas = new Map(Object.entries(view.quotas))
  const claims = view.wishes.claims.map(claimObject)
  const namespaces = inPool('p', ...view.wishes.namespaces)
  const status = poolStatusChange(pool, decidePool({ pool, quotas, claims, namespaces, gone: new Set(gone) }), NOW)
  const isCurrent = pool.metadata.resourceVersion === state.pool.metadata.resourceVersion
  if (status !== undefined) {
    if (swapsPool && !isCurrent) return { name: 'conflicts on the pool', to: state, next: START }
    const written = { ...state.pool, status, metadata: { ...state.pool.metadata, resourceVersion: newVersion() } }
    const { writes } = nextSteps({ pool: written, quotas, isLive: true })
    return { name: 'writes the pool', to: { ...state, pool: written }, next: writing(written, view, writes) }
  }
  const careful = nextSteps({ pool, quotas, isLive: false })
  if (!careful.needsLivePool || !isCurrent)
    return { name: 'plans', to: state, next: writing(pool, view, careful.writes) }
  const { writes } = nextSteps({ pool, quotas, isLive: true })
  return { name: 'reads the pool again and plans', to: state, next: writing(pool, view, writes) }
}

function writing(pool: ResourcePool, view: View, writes: readonly QuotaWrite[]): Operator {
  if (writes.length === 0) return START
  const goesOn = writes.some(({ kind }) => kind === 'confirm-gone')
  return { at: 'writing', writes, ...(goesOn ? { from: { pool, view } } : {}) }
}

function write(
  state: State,
  { writes: [first, ...others], from }: Extract<Operator, { at: 'writing' }>,
  { swapsQuota }: WriteProtocol,
): OperatorMove {
  if (first === undefined) return { name: 'is done', to: state, next: START }
  const { namespace } = first
  const goesOn = from === undefined ? {} : { from }
  const next: Operator = others.length === 0 ? START : { at: 'writing', writes: others, ...goesOn }
  const there = state.quotas[namespace]
  const refused = { name: `is refused to ${first.kind} ${namespace}`, to: state, next }
  const put = (quota: ResourceQuota): OperatorMove => ({
    name: `${first.kind}s ${namespace} ${quota.spec?.hard?.[CPU] ?? '-'}`,
    to: { ...state, quotas: { ...state.quotas, [namespace]: versioned(quota) } },
    next,
  })
  switch (first.kind) {
    case 'create':
      return there === undefined
        ? put({ ...first.quota, metadata: { ...first.quota.metadata, uid: newVersion() } })
        : refused
    case 'update': {
      const isSame = first.quota.metadata.resourceVersion === there?.metadata.resourceVersion
      if (there === undefined || (swapsQuota && !isSame) || scopesOf(there) !== scopesOf(first.quota)) return refused
      return put({ ...first.quota, ...(there.status === undefined ? {} : { status: there.status }) })
    }
    case 'delete': {
      if (there === undefined || (swapsQuota && there.metadata.resourceVersion !== first.resourceVersion))
        return refused
      const { [namespace]: _, ...quotas } = state.quotas
      return { name: `deletes ${namespace}`, to: { ...state, quotas }, next }
    }
    case 'replace': {
      const isSame = first.resourceVersion === there?.metadata.resourceVersion
      if (there === undefined || (swapsQuota && !isSame)) return refused
      const { [namespace]: _, ...quotas } = state.quotas
      const create: QuotaWrite = { kind: 'create', namespace, quota: first.quota }
      return {
        name: `replaces ${namespace}`,
        to: { ...state, quotas },
        next: { at: 'writing', writes: [create, ...others], ...goesOn },
      }
    }
    case 'let-go':
      return refused
    case 'confirm-gone':
      if (there !== undefined || from === undefined) return { name: `finds ${namespace}`, to: state, next }
      return { name: `finds ${namespace} gone`, to: state, next: { at: 'all', ...from, gone: [namespace] } }
    default:
      return first satisfies never
  }
}
