import type { ResourcePool } from '../../../../src/systems/resource-pool/api/resource-pool.ts'
import { CPU, newVersion, versioned, type State, type Wishes, type World } from './state.ts'
import { NOW } from '../pool-arena.ts'

/** A possible next step, and the state after it. */
export interface Move {
  readonly name: string
  readonly to: State
  /** Did the administrator change what counts as too much? */
  readonly isAdministrators?: boolean
}

/** The next event of administrators and users. */
export function happeningMoves(world: World, state: State): readonly Move[] {
  const happening = world.happenings[state.happened]
  if (happening === undefined) return []
  const { pool } = state
  const since = { ...state, happened: state.happened + 1 }
  const { claims, namespaces } = state.wishes
  const wishing = (more: Partial<Wishes>): State => ({ ...since, wishes: { ...state.wishes, ...more } })
  const repooled = (more: object): ResourcePool => ({
    ...pool,
    ...more,
    metadata: { ...pool.metadata, resourceVersion: newVersion() },
  })
  const move = (to: State, isAdministrators = false): readonly Move[] => [
    { name: JSON.stringify(happening), to, isAdministrators },
  ]
  switch (happening.what) {
    case 'claim': {
      const { name, namespace, cpu } = happening
      const age = 100 + state.happened
      return move(wishing({ claims: [...claims, { name, namespace, cpu, age }] }))
    }
    case 'unclaim':
      return move(wishing({ claims: claims.filter(({ name }) => name !== happening.name) }))
    case 'select':
      return move(wishing({ namespaces: [...namespaces, happening.namespace] }))
    case 'unselect':
      return move(wishing({ namespaces: namespaces.filter((name) => name !== happening.namespace) }))
    case 'pool':
      return move(
        { ...since, pool: repooled({ spec: { ...pool.spec, quota: { hard: { [CPU]: String(happening.cpu) } } } }) },
        true,
      )
    case 'defaults':
      return move(
        { ...since, pool: repooled({ spec: { ...pool.spec, defaults: { [CPU]: String(happening.cpu) } } }) },
        true,
      )
    case 'scopes': {
      const quota = { ...pool.spec.quota, scopes: happening.scopes }
      return move({ ...since, pool: repooled({ spec: { ...pool.spec, quota } }) })
    }
    case 'delete-pool': {
      const deleted = repooled({})
      return move({ ...since, pool: { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: NOW } } })
    }
    case 'delete-quota': {
      const { [happening.namespace]: _, ...quotas } = state.quotas
      return move({ ...since, quotas })
    }
    default:
      return happening satisfies never
  }
}

/** Admission lets a pod in while what is used stays within `status.hard`; the count follows a pod that ends. */
export function podMoves(state: State): readonly Move[] {
  return Object.entries(state.quotas).flatMap(([namespace, quota]) => {
    const limit = quota.status?.hard?.[CPU]
    const pods = state.pods[namespace] ?? 0
    if (limit === undefined) return []
    const counted = (count: number): Pick<State, 'pods' | 'quotas'> => ({
      pods: { ...state.pods, [namespace]: count },
      quotas: {
        ...state.quotas,
        [namespace]: versioned({
          ...quota,
          status: { hard: quota.status?.hard ?? {}, used: { [CPU]: String(count) } },
        }),
      },
    })
    const moves: Move[] = []
    if (state.podsLeft > 0 && pods + 1 <= Number(limit))
      moves.push({ name: `pod in ${namespace}`, to: { ...state, ...counted(pods + 1), podsLeft: state.podsLeft - 1 } })
    if (state.endsLeft > 0 && pods > 0)
      moves.push({
        name: `pod ends in ${namespace}`,
        to: { ...state, ...counted(pods - 1), endsLeft: state.endsLeft - 1 },
      })
    return moves
  })
}

/** The server's quota controller takes `spec.hard` over whenever it likes, and counts. */
export function controllerMoves(state: State): readonly Move[] {
  return Object.entries(state.quotas).flatMap(([namespace, quota]) => {
    const hard = quota.spec?.hard ?? {}
    if (quota.status?.hard?.[CPU] === hard[CPU] && quota.status !== undefined) return []
    const used = hard[CPU] === undefined ? {} : { [CPU]: String(state.pods[namespace] ?? 0) }
    const to = { ...state, quotas: { ...state.quotas, [namespace]: versioned({ ...quota, status: { hard, used } }) } }
    return [{ name: `limit enforced in ${namespace}`, to }]
  })
}
