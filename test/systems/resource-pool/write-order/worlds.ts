import { decidePool } from '../../../../src/systems/resource-pool/decide/decide-pool.ts'
import { nextSteps } from '../../../../src/systems/resource-pool/decide/quota/write-order.ts'
import { RELEASE_TOKEN } from '../../../../src/systems/resource-pool/decide/quota/view.ts'
import type { ResourceQuota } from '../../../../src/kinds/resource-quota/resource-quota.ts'
import { setOwn } from '../../../../src/machinery/json-value.ts'
import type { WriteProtocol } from './operator.ts'
import type { World } from './state.ts'

/** The functions that run in the product. */
export const PRODUCTION: WriteProtocol = { decidePool, nextSteps, swapsPool: true, swapsQuota: true }

/** A claim has all of the pool, one in another namespace waits. */
const FULL = {
  cpu: 1,
  namespaces: ['a', 'b'],
  claims: [
    { name: 'has', namespace: 'a', cpu: 1 },
    { name: 'waits', namespace: 'b', cpu: 1 },
  ],
  pods: 0,
  operators: 1,
} as const satisfies Partial<World>

const gives = { what: 'unclaim', name: 'has' } as const
const leaves = { what: 'unselect', namespace: 'a' } as const
const returns = { what: 'select', namespace: 'a' } as const
const has = { what: 'claim', name: 'has', namespace: 'a', cpu: 1 } as const
const waits = { what: 'claim', name: 'waits', namespace: 'b', cpu: 1 } as const
const comesBack = { what: 'claim', name: 'again', namespace: 'a', cpu: 1 } as const

const rescoped = { what: 'scopes', scopes: ['NotTerminating'] } as const

/** Small enough for each commit. */
export const WORLDS: Readonly<Record<string, World>> = {
  'a claim goes': { ...FULL, operators: 2, happenings: [gives] },
  'a claim goes while a pod comes': { ...FULL, pods: 1, ends: 1, happenings: [gives] },
  'a claim moves': {
    ...FULL,
    cpu: 2,
    happenings: [gives, { what: 'claim', name: 'has', namespace: 'b', cpu: 2 }, { what: 'unclaim', name: 'waits' }],
  },
  'a claim comes and goes': { ...FULL, claims: [], operators: 2, happenings: [has, gives, waits] },
  'a namespace joins and leaves': {
    ...FULL,
    namespaces: ['b'],
    claims: [{ name: 'has', namespace: 'a', cpu: 1 }],
    operators: 2,
    happenings: [returns, leaves, waits],
  },
  'a namespace leaves': { ...FULL, pods: 1, operators: 2, happenings: [leaves] },
  'a namespace leaves and returns': { ...FULL, happenings: [leaves, returns] },
  'a namespace joins': { ...FULL, namespaces: ['b'], happenings: [returns] },
  'defaults are lowered': { ...FULL, cpu: 2, defaults: 1, happenings: [{ what: 'defaults', cpu: 0 }, comesBack] },
  'the pool shrinks': { ...FULL, cpu: 2, happenings: [{ what: 'pool', cpu: 1 }, gives, comesBack] },
  'the scopes change': { ...FULL, pods: 1, ends: 1, happenings: [rescoped] },
  'the scopes change while a claim goes': { ...FULL, pods: 1, happenings: [gives, rescoped] },
  'the scopes change and another claim comes': { ...FULL, happenings: [rescoped, gives] },
  'the pool is deleted': { ...FULL, pods: 1, operators: 2, happenings: [{ what: 'delete-pool' }] },
  'a quota is deleted by hand': { ...FULL, happenings: [{ what: 'delete-quota', namespace: 'a' }, gives] },
}

/** Larger ones, for a machine with time. */
export const LARGE_WORLDS: Readonly<Record<string, World>> = {
  'a claim goes while a pod comes, two operators': { ...FULL, pods: 1, ends: 1, operators: 2, happenings: [gives] },
  'a claim goes and another comes, two operators': { ...FULL, operators: 2, happenings: [gives, comesBack] },
  'a namespace leaves and returns, two operators': { ...FULL, operators: 2, happenings: [leaves, returns] },
  'defaults are lowered, two operators': {
    ...FULL,
    cpu: 2,
    defaults: 1,
    operators: 2,
    happenings: [{ what: 'defaults', cpu: 0 }],
  },
  'a claim goes, another comes and goes, two operators': {
    ...FULL,
    claims: FULL.claims.slice(0, 1),
    operators: 2,
    happenings: [gives, comesBack, { what: 'unclaim', name: 'again' }, waits],
  },
  'the scopes change, two operators': { ...FULL, operators: 2, happenings: [rescoped, gives] },
  'two pods come and end': {
    ...FULL,
    cpu: 2,
    claims: [
      { name: 'has', namespace: 'a', cpu: 2 },
      { name: 'waits', namespace: 'b', cpu: 1 },
    ],
    pods: 2,
    ends: 2,
    happenings: [gives],
  },
  'a quota is deleted by hand, two operators': {
    ...FULL,
    operators: 2,
    happenings: [{ what: 'delete-quota', namespace: 'a' }, gives],
  },
}

type Seen = Parameters<typeof decidePool>[0]

/** Lets the decision and the steps see quotas otherwise than they are. */
function seeing(
  change: (quota: ResourceQuota, namespace: string, pool: Seen['pool']) => ResourceQuota,
): Partial<WriteProtocol> {
  const changed = ({ quotas, pool }: Pick<Seen, 'quotas' | 'pool'>): Seen['quotas'] =>
    new Map([...quotas].map(([namespace, quota]) => [namespace, change(quota, namespace, pool)]))
  return {
    decidePool: (input) => decidePool({ ...input, quotas: changed(input) }),
    nextSteps: (input) => nextSteps({ ...input, quotas: changed(input) }),
  }
}

/** Protocols that are wrong, which the exploration must tell from the right one: in the world that `FOUND_IN` names. */
export const MUTANTS: Readonly<Record<string, Partial<WriteProtocol>>> = {
  'a release without a fence': seeing((quota, namespace, pool) => {
    const token = pool.status?.releasing?.[namespace]?.token
    const annotations = { ...quota.metadata.annotations, ...(token === undefined ? {} : { [RELEASE_TOKEN]: token }) }
    return { ...quota, metadata: { ...quota.metadata, annotations } }
  }),
  'room that is free before the server has lowered the limit': {
    decidePool:
      seeing((quota) => ({ ...quota, status: { ...quota.status, hard: quota.spec?.hard ?? {} } })).decidePool ??
      decidePool,
  },
  'room that is free at once': {
    decidePool: (input) => {
      const outcome = decidePool(input)
      const { releasing: _, ...status } = outcome.status
      return { ...outcome, status }
    },
  },
  'no second look at what is used': seeing((quota) => ({ ...quota, status: { ...quota.status, used: {} } })),
  'a quota that is created with all it is to have': {
    nextSteps: (input) => {
      const steps = nextSteps(input)
      const writes = steps.writes.map((write) => {
        if (write.kind !== 'create') return write
        const entries = input.pool.status?.claims?.[write.namespace] ?? []
        const sum = entries.reduce((all, { claims }) => all + Number(claims?.['requests.cpu'] ?? 0), 0)
        const extra = Number(input.pool.spec.defaults?.['requests.cpu'] ?? 0)
        return { ...write, quota: { ...write.quota, spec: { hard: { 'requests.cpu': String(sum + extra) } } } }
      })
      return { ...steps, writes }
    },
  },
  'raises by a pool that was read before the quotas': { nextSteps: (input) => nextSteps({ ...input, isLive: true }) },
  'a ledger that is written without compare-and-swap': { swapsPool: false },
  'quotas that are written without compare-and-swap': { swapsQuota: false },
  'a cache without a quota taken for its absence': {
    decidePool: (input) => {
      const releasing = Object.keys(input.pool.status?.releasing ?? {})
      return decidePool({ ...input, gone: new Set(releasing.filter((namespace) => !input.quotas.has(namespace))) })
    },
  },
  'a release that keeps the token of the last one': {
    decidePool: (input) => {
      const outcome = decidePool(input)
      const releasing: Record<string, object> = {}
      for (const [namespace, release] of Object.entries(outcome.status.releasing ?? {}))
        setOwn(releasing, namespace, release.token === undefined ? release : { ...release, token: 'always' })
      if (outcome.status.releasing === undefined) return outcome
      return { ...outcome, status: { ...outcome.status, releasing: releasing as typeof outcome.status.releasing } }
    },
  },
}

/** By mutant the world that shows what is wrong with it. */
export const FOUND_IN: Readonly<Record<string, string>> = {
  'a release without a fence': 'a claim comes and goes',
  'room that is free before the server has lowered the limit': 'a claim goes while a pod comes',
  'room that is free at once': 'a claim goes while a pod comes',
  'no second look at what is used': 'a claim goes while a pod comes',
  'a quota that is created with all it is to have': 'a namespace joins and leaves',
  'raises by a pool that was read before the quotas': 'a claim goes',
  'a ledger that is written without compare-and-swap': 'a claim comes and goes',
  'quotas that are written without compare-and-swap': 'a claim comes and goes',
  'a cache without a quota taken for its absence': 'a namespace joins and leaves',
  'a release that keeps the token of the last one': 'a claim goes, another comes and goes, two operators',
}
