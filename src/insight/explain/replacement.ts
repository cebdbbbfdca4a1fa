import { rolloutOf, share } from '../../kinds/apps/rollout.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, textOf, valueAt } from '../../machinery/read.ts'
import { workloadKind } from './workload-kinds.ts'

/** How new pods take the place of old ones. */
export interface Replacement {
  readonly old: readonly KubeObject[]
  /** How many new pods there are to be. */
  readonly replicas: number
  /** How many pods may be missing meanwhile. */
  readonly unavailable: number
}

type Unavailable = (strategy: object, replicas: number) => number | undefined

const rollingUpdateOf = (strategy: object) => objectOf(valueAt(objectOf(strategy), 'rollingUpdate'))

/** By the resource of the workload: how many pods may be missing while it replaces them; undefined where it replaces none by itself. */
const UNAVAILABLE: Readonly<Record<string, Unavailable>> = {
  deployments: (strategy, replicas) => {
    const { maxSurge, maxUnavailable } = rollingUpdateOf(strategy)
    return typeOf(strategy) === 'Recreate' ? replicas : rolloutOf(replicas, maxSurge, maxUnavailable).maxUnavailable
  },
  statefulsets: (strategy) => (typeOf(strategy) === 'OnDelete' ? undefined : 1),
  daemonsets: (strategy, replicas) => {
    const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdateOf(strategy)
    if (typeOf(strategy) === 'OnDelete') return undefined
    return share(maxSurge, replicas, 'up') > 0 ? 0 : Math.max(1, share(maxUnavailable, replicas, 'up'))
  },
}

const typeOf = (strategy: object): string => textOf(valueAt(objectOf(strategy), 'type'))

/** How many pods may be missing while a workload replaces so many; undefined where it replaces none by itself. */
export function unavailableIn(workload: KubeObject, replicas: number): number | undefined {
  const kind = workloadKind(workload)?.resource ?? ''
  const field = kind === 'deployments' ? 'strategy' : 'updateStrategy'
  return UNAVAILABLE[kind]?.(objectOf(valueAt(workload, 'spec', field)), replicas)
}
