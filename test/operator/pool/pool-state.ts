import { isDeepStrictEqual } from 'node:util'
import type { Operated } from '../operated.ts'

type Server = Pick<Operated, 'send'>

const API = '/apis/capsule.clastix.io/v1beta2'

export interface PoolState {
  readonly pools: readonly unknown[]
  readonly claims: readonly unknown[]
  readonly quotas: readonly QuotaState[]
}

interface QuotaState {
  readonly status?: { readonly used?: Readonly<Record<string, string>> }
}

/** The state of pools, claims and quotas of a prefix, without values that differ from run to run: times, versions, uids, the prefix. */
export async function poolState({ send }: Server, prefix: string): Promise<PoolState> {
  const of = async (path: string): Promise<readonly Item[]> =>
    ((await send('GET', path)).json.items as readonly Item[]).filter(({ metadata }) =>
      (metadata.namespace ?? metadata.name).startsWith(`${prefix}-`),
    )
  const state = {
    pools: (await of(`${API}/resourcepools`)).map(({ metadata, status }) => ({
      name: metadata.name,
      finalizers: metadata.finalizers,
      ...status,
      claims: Object.fromEntries(
        Object.entries(status?.claims ?? {}).map(([namespace, entries]) => [
          namespace,
          entries.map(({ name, claims }) => ({ name, claims })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        ]),
      ),
      conditions: withoutTimes(status?.conditions),
    })),
    claims: (await of(`${API}/resourcepoolclaims`)).map(({ metadata, spec, status }) => ({
      name: `${metadata.namespace}/${metadata.name}`,
      owners: metadata.ownerReferences?.map(({ name }) => name),
      spec,
      pool: status?.pool?.name,
      conditions: withoutTimes(status?.conditions),
    })),
    quotas: (await of('/api/v1/resourcequotas')).map(({ metadata, spec, status }) => ({
      name: `${metadata.namespace}/${metadata.name}`,
      labels: metadata.labels,
      spec,
      status,
    })),
  }
  return JSON.parse(JSON.stringify(state).replaceAll(`${prefix}-`, ''))
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface Item {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: object
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly { readonly name: string }[]
  }
  readonly spec?: object
  readonly status?: {
    readonly claims?: Readonly<Record<string, readonly { readonly name: string; readonly claims: object }[]>>
    readonly conditions?: readonly Condition[]
    readonly pool?: { readonly name: string }
  }
}

const withoutTimes = (conditions: readonly Condition[] = []): readonly Condition[] =>
  conditions
    .map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))

const STEADY = 20
const PATIENCE_MS = 90_000

/**
 * The state of pools of which nothing is used, once it has been the same for some time; where another is given, once it has been that
 * one for some time, or at last what it is instead. A real quota controller pauses for half a minute when kinds come or go, so
 * usage that stays the same for some time may still be that of pods that are gone.
 */
export async function settledState(server: Server, prefix: string, expected?: PoolState): Promise<PoolState> {
  const deadline = Date.now() + PATIENCE_MS
  let state = await poolState(server, prefix)
  for (let same = 0; same < STEADY;) {
    const now = await poolState(server, prefix)
    same = isUnused(now) && isDeepStrictEqual(now, expected ?? state) ? same + 1 : 0
    if (Date.now() > deadline && expected !== undefined) return now
    if (Date.now() > deadline) throw new Error(unsettled(now, state))
    state = now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return state
}

const isUnused = ({ quotas }: PoolState): boolean =>
  quotas.every(({ status }) => Object.values(status?.used ?? {}).every((amount) => amount === '0'))

/** What is still used, and what differs from the last look, come first: long messages are cut. */
function unsettled(now: PoolState, before: PoolState): string {
  const used = now.quotas.filter((quota) => !isUnused({ ...now, quotas: [quota] }))
  const parts = ['pools', 'claims', 'quotas'] as const
  const changed = parts.filter((part) => !isDeepStrictEqual(now[part], before[part]))
  return `the state does not settle: used: ${JSON.stringify(used)}; changed just now: ${changed.join(', ') || 'nothing'}; all: ${JSON.stringify(now)}`
}
