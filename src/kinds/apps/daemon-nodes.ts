import type { DaemonSet } from '../../builtin/apps-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { toleratesNode, wantsNode } from '../scheduling/node-fit.ts'

/** The tolerations of a daemon's pods, whatever their template says: they are there to look after just such nodes. */
const TOLERATED = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
] as const
const TOLERATED_ON_HOST_NETWORK = ['network-unavailable', 'NoSchedule'] as const

/** The spec of a daemon's pods, on whatever node. */
export function daemonPodSpec(set: DaemonSet): JsonObject {
  const spec = objectOf(objectOf(specOf(set)['template'])['spec'])
  const wanted = spec['hostNetwork'] === true ? [...TOLERATED, TOLERATED_ON_HOST_NETWORK] : TOLERATED
  const before = objectsOf(spec['tolerations'])
  const tolerations = wanted
    .map(([name, effect]) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }))
    .filter(
      (one) =>
        !before.some(
          ({ key, operator, effect }) => key === one.key && operator === one.operator && effect === one.effect,
        ),
    )
  return { ...spec, tolerations: [...before, ...tolerations] }
}

/** `shouldRun`: a daemon's pod is to be on the node. `mayStay`: one that is there is left alone. `spec`: of the pods. */
export function daemonOn(
  spec: JsonObject,
  node: KubeObject,
): { readonly shouldRun: boolean; readonly mayStay: boolean } {
  const isWanted = ['', node.metadata.name ?? ''].includes(textOf(spec['nodeName'])) && wantsNode(spec, node)
  return {
    shouldRun: isWanted && toleratesNode(spec, node, ['NoSchedule', 'NoExecute']),
    mayStay: isWanted && toleratesNode(spec, node, ['NoExecute']),
  }
}
