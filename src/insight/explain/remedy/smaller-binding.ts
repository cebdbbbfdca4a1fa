import type { KubeObject } from '../../../machinery/object.ts'
import { numberOf, objectOf, specOf, valueAt } from '../../../machinery/read.ts'
import { parseResourceList, quantityOf } from '../../../quantity/resource-list.ts'
import type { Deployment } from '../../../builtin/apps-v1.ts'
import { duplicatedPlaces } from '../../../systems/karmada-quota/decide/binding-placement.ts'
import { declaredPod, declaredRequests, isBinding } from '../bindings.ts'
import { outlook } from '../budget-room.ts'
import { type ContainerRoom, leastRooms, roomsText, withAmount } from '../container-room.ts'
import type { Priced } from '../costs.ts'
import type { Remedy } from '../explanation.ts'
import { isTooLargeToMeasure, largestBelow, measuredRoom, smallerLeftOut } from '../measured-room.ts'
import { workloadKind } from '../workload-kinds.ts'
import { isScalable, scaleTo } from './scale-command.ts'
import { type LeftOut, rightToPatch, type Situation } from './situation.ts'
import { editCommand, templatePatch } from './template-edit.ts'

/** A workload that Karmada propagates has smaller pods, or fewer, so that its binding fits. */
export function smallerBinding(situation: Situation): readonly (Remedy | LeftOut)[] {
  const [one, ...others] = situation.demands.filter(({ missing, object }) => missing > 0 && isBinding(object))
  const { top } = situation
  if (one === undefined || others.length > 0 || one.demand.maker !== top) return []
  // Only of workloads of Kubernetes it is known how the binding follows from them.
  if (workloadKind(top) === undefined || valueAt(one.object, 'spec', 'components') !== undefined) return []
  const replicas = numberOf(specOf<Deployment>(top).replicas) ?? 1
  if (numberOf(valueAt(one.object, 'spec', 'replicas')) !== replicas) return []
  return [...lowered(one, replicas, situation), ...fewer(one, replicas, situation)]
}

/** All demands, with other fields in the spec of the binding. */
const demandsWith = (one: Priced, spec: object, demands: readonly Priced[]): readonly Priced[] =>
  demands.map((each) => {
    const object: KubeObject = { ...one.object, spec: { ...objectOf(one.object['spec']), ...spec } }
    return each === one ? { ...one, object } : each
  })

function lowered(one: Priced, replicas: number, situation: Situation): readonly (Remedy | LeftOut)[] {
  const { top, demands, outlooks, facts } = situation
  const { now } = facts
  const pod = declaredPod(top, facts.namespace)
  const requirements = objectOf(valueAt(one.object, 'spec', 'replicaRequirements'))
  // Karmada may be told to read another amount out of the workload.
  if (!isSame(declaredRequests(pod, now), objectOf(requirements['resourceRequest']))) return []
  const withPod = (changed: KubeObject): readonly Priced[] =>
    demandsWith(
      one,
      { replicaRequirements: { ...requirements, resourceRequest: declaredRequests(changed, now) } },
      demands,
    )
  const shape = { pod, injected: new Set<string>(), sides: ['requests'], demandsWith: withPod } as const
  if (isTooLargeToMeasure(pod)) return [{ leftOut: smallerLeftOut(pod) }]
  const rooms = outlooks.flatMap(({ budget, excesses }) =>
    excesses.map(({ resource }) => measuredRoom(budget, resource, shape, now)),
  )
  const found = rooms.filter((room) => room !== undefined)
  if (found.length === 0 || found.length < rooms.length) return []
  const least: readonly ContainerRoom[] = leastRooms(found)
  const small = withPod(least.reduce<KubeObject>(withAmount, pod))
  if (!fits(small, situation)) return []
  return [
    {
      type: 'lower',
      text: `ask for less: ${roomsText(least)}; then ${replicas === 1 ? 'the pod fits' : `all ${replicas} pods fit`}${whereOf(one)}`,
      ...editCommand(situation, templatePatch(top, least)),
      needs: rightToPatch(top),
    },
  ]
}

function fewer(one: Priced, replicas: number, situation: Situation): readonly Remedy[] {
  if (!isScalable(situation)) return []
  const most = largestBelow(BigInt(replicas), (some) =>
    fits(demandsWith(one, { replicas: Number(some) }, situation.demands), situation),
  )
  return most === 0n ? [] : [scaleTo(Number(most), situation, whereOf(one))]
}

/** Karmada may run all replicas in each cluster. */
function whereOf({ object }: Priced): string {
  const places = duplicatedPlaces(object) ?? 1
  return places === 1 ? '' : ` in each of ${places} clusters`
}

const fits = (demands: readonly Priced[], { outlooks }: Situation): boolean =>
  outlooks.every(({ budget }) => outlook(budget, demands).excesses.length === 0)

function isSame(some: Readonly<Record<string, string>>, given: object): boolean {
  const [a, b] = [parseResourceList(some), parseResourceList({ ...given })]
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => {
    const [own, other] = [quantityOf(a, name), quantityOf(b, name)]
    return own !== undefined && other !== undefined && own.equals(other)
  })
}
