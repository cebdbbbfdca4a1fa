import type { ReplicaSet } from '../../../builtin/apps-v1.ts'
import { withUsed } from '../../../charges/budget.ts'
import { splitSets } from '../../../kinds/apps/deployment-sets.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { numberOf, specOf } from '../../../machinery/read.ts'
import type { GroupResource } from '../../../machinery/status.ts'
import { enumerated } from '../../../machinery/text/enumerated.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import { subtractWithNonNegativeResult } from '../../../quantity/resource-list.ts'
import { excessesOf, type Outlook } from '../budget-room.ts'
import { livePods } from '../demand.ts'
import type { Remedy } from '../explanation.ts'
import { type Facts, idOf, madeBy, servedObjects } from '../facts.ts'
import { costTogether } from '../measured.ts'
import type { Situation } from './situation.ts'

const SETS: GroupResource = { group: 'apps', resource: 'replicasets' }
/** Nobody names more in one command. */
const MOST = 10

/** Old ReplicaSets without replicas are deleted: the fewest, those of the workload itself first, that make room where ReplicaSets are counted. */
export function deleteOldSets({ full, facts, top }: Situation): readonly Remedy[] {
  const short = full.filter(({ refused }) => refused?.demand.next.kind === 'ReplicaSet')
  if (short.length === 0) return []
  const sets = [
    top,
    ...servedObjects(facts, 'apps', 'deployments').filter(({ metadata }) => metadata.uid !== top.metadata.uid),
  ]
    .flatMap((one) => oldSetsOf(one, facts))
    .slice(0, MOST)
  for (let count = 1; count <= sets.length; count++) {
    const gone = sets.slice(0, count)
    if (short.every((one) => fitsOnceGone(gone, one, facts))) return [deleting(gone, facts)]
  }
  return []
}

/** The ReplicaSets of earlier templates of a Deployment that have no replicas, the oldest first. */
const oldSetsOf = (deployment: KubeObject, facts: Facts): readonly KubeObject[] =>
  splitSets(deployment, madeBy(deployment, 'ReplicaSet', facts)).old.filter(
    (one) => numberOf(specOf<ReplicaSet>(one).replicas) === 0 && livePods(one, facts).length === 0,
  )

const fitsOnceGone = (gone: readonly KubeObject[], { budget, requested }: Outlook, facts: Facts): boolean => {
  const emptier = withUsed(budget, subtractWithNonNegativeResult(budget.used, costTogether(budget, gone, SETS, facts)))
  return excessesOf(emptier, requested).length === 0
}

function deleting(gone: readonly KubeObject[], { kubectl }: Facts): Remedy {
  const names = gone.map((one) => idOf(one).name)
  const [first = '', ...others] = names
  const said =
    others.length === 0
      ? `ReplicaSet ${first}, which has no replicas`
      : `ReplicaSets ${enumerated(names)}, which have no replicas`
  const right = (name: string): Remedy['needs'] => ({ verb: 'delete', ...SETS, name })
  return {
    type: 'free',
    text: `delete ${said}, if nobody needs to roll back to ${others.length === 0 ? 'it' : 'them'}`,
    command: `${kubectl} delete ${names.map((name) => shellWord(`replicaset/${name}`)).join(' ')}`,
    needs: right(first),
    ...(others.length === 0 ? {} : { alsoNeeds: others.map(right) }),
  }
}
