import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { Outlook } from '../budget-room.ts'
import type { Priced } from '../costs.ts'
import type { Cause, Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import type { Surge } from '../rollout.ts'
import { WORKLOAD_KINDS } from '../workload-kinds.ts'

/** All that remedies are made from. */
export interface Situation {
  readonly facts: Facts
  /** The workload at the top of the chain, which its owner edits. */
  readonly top: KubeObject
  readonly isStored: boolean
  readonly pods: Priced | undefined
  readonly outlooks: readonly Outlook[]
  readonly causes: readonly Cause[]
  readonly surge: Surge | undefined
}

/** The right to change the workload at the top. */
export const rightToPatch = (top: KubeObject): Remedy['needs'] => ({
  verb: 'patch',
  group: top.apiVersion.includes('/') ? (top.apiVersion.split('/')[0] ?? '') : '',
  resource: WORKLOAD_KINDS.get(top.kind)?.resource ?? `${top.kind.toLowerCase()}s`,
  name: top.metadata.name ?? '',
})

export const patchCommand = (top: KubeObject, namespace: string, patch: JsonObject): string =>
  `kubectl -n ${namespace} patch ${top.kind.toLowerCase()} ${top.metadata.name ?? ''} --patch '${JSON.stringify(patch)}'`
