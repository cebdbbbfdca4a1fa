import { wholeNumber } from '../../machinery/json-value.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'

const DEFAULT_POD_GRACE_SECONDS = 30n

/** How many seconds an object of a bucket stays after its deletion was asked for; kinds without an entry go at once. */
export const gracePeriods: Readonly<Record<string, (object: KubeObject, asked: bigint | undefined) => bigint>> = {
  pods: podGrace,
}

/** A pod that runs nowhere, or has ended, needs no time (upstream pod strategy `CheckGracefulDelete`). */
function podGrace(pod: KubeObject, asked: bigint | undefined): bigint {
  const spec = isObject(pod['spec']) ? pod['spec'] : {}
  const status = isObject(pod['status']) ? pod['status'] : {}
  if (typeof spec['nodeName'] !== 'string' || spec['nodeName'] === '') return 0n
  if (status['phase'] === 'Failed' || status['phase'] === 'Succeeded') return 0n
  if (asked !== undefined) return asked
  return wholeNumber(spec['terminationGracePeriodSeconds']) ?? DEFAULT_POD_GRACE_SECONDS
}
