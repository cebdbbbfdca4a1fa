import type { Pod } from '../../builtin/core-v1.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, statusOf, textOf } from '../../machinery/read.ts'

const DEFAULT_POD_GRACE_SECONDS = 30n

/** How many seconds an object of a bucket stays after its deletion was asked for; kinds without an entry go at once. */
export const gracePeriods: Readonly<Record<string, (object: KubeObject, asked: bigint | undefined) => bigint>> = {
  pods: podGrace,
}

/** A pod that runs nowhere, or has ended, needs no time (upstream pod strategy `CheckGracefulDelete`). */
function podGrace(pod: Pod, asked: bigint | undefined): bigint {
  const spec = specOf(pod)
  const { phase } = statusOf(pod)
  if (textOf(spec.nodeName) === '') return 0n
  if (phase === 'Failed' || phase === 'Succeeded') return 0n
  if (asked !== undefined) return asked
  return wholeNumber(spec.terminationGracePeriodSeconds) ?? DEFAULT_POD_GRACE_SECONDS
}
