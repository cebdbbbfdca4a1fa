import { isPodLevelName } from '../../kinds/core/container/pod-level-resources.ts'
import { amountExpression, largest, literal } from './milli-expression.ts'

type Side = 'requests' | 'limits'

/** The pod has not finished: only then is it charged for more than its existence (`isActive`). */
export const ACTIVE: readonly string[] = ['.status.phase!=Succeeded', '.status.phase!=Failed']

const INFEASIBLE =
  "object.?status.?conditions.orValue([]).exists(x,x.type=='PodResizePending'&&x.?reason.orValue('')=='Infeasible')"
const INIT = 'object.spec.?initContainers.orValue([])'
const ALWAYS = "c.?restartPolicy.orValue('')=='Always'"

/** The expression of what a pod requests or is limited to of a resource, as `podRequests` and `podLimits` compute it. */
export function podAmount(side: Side, resource: string, isBinary: boolean): string {
  const of = `.?${side}[?${literal(resource)}]`
  const spec = `[?c.?resources${of}]`
  const allocated = side === 'requests' ? `,?x.?allocatedResources[?${literal(resource)}]` : ''
  // s: what the statuses of containers report to be in force, by their names, so that the work grows with the containers only.
  const inForce = `s.transformMapEntry(i,x,has(x.resources),{x.name:[?x.?resources${of}${allocated}]})`
  const running = largest(`((${INFEASIBLE}&&c.name in s?[]:${spec})+s[?c.name].orValue([]))`)
  const statuses = 'object.?status.?containerStatuses.orValue([])+object.?status.?initContainerStatuses.orValue([])'
  const parts = [
    `object.spec.containers.map(c,${running})`,
    // Sidecars run beside the containers; the other init containers one by one before them.
    `${INIT}.map(c,${ALWAYS}?${running}:0)`,
    `${INIT}.map(c,${ALWAYS}?0:${largest(spec)})`,
  ]
  const starting = 'lists.range(p[2].size()).map(k,p[2][k]+p[1].slice(0,k).sum())'
  const steps = [
    `[${statuses}].map(s,${inForce})`,
    `map(s,[${parts.join(',')}])`,
    `map(p,([p[0].sum()+p[1].sum()]+${starting}).max())`,
    ...(isPodLevelName(resource) ? [podLevel(side, resource)] : []),
    overhead(side, resource),
    `map(t,${amountExpression('t', isBinary)})`,
  ]
  return steps.join('\n.')
}

/** Amounts of the pod as a whole replace the sums of its containers. */
function podLevel(side: Side, resource: string): string {
  const of = literal(resource)
  const wanted = `object.spec.?resources.?${side}.orValue({})`
  const isSet = "w.exists(k,k=='cpu'||k=='memory'||k.startsWith('hugepages-'))"
  const inForce = `[?object.status.resources.?${side}[?${of}]${side === 'requests' ? `,?object.status.?allocatedResources[?${of}]` : ''}]`
  const reports = 'object.?status.?resources.hasValue()'
  const amounts = `(${reports}?(${INFEASIBLE}?[]:[?w[?${of}]])+${inForce}:[?w[?${of}]])`
  return `map(t,[${wanted}].map(w,${isSet}?${amounts}:[]).map(w,w.size()>0?${largest('w')}:t)[0])`
}

/** A pod without a limit gets none from its overhead. */
function overhead(side: Side, resource: string): string {
  const more = largest(`[?object.spec.?overhead[?${literal(resource)}]]`)
  return side === 'requests' ? `map(t,t+${more})` : `map(t,t==0?0:t+${more})`
}
