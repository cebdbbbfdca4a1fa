import type { JsonObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { textOf } from '../../../machinery/read.ts'

export interface WorkloadCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** The conditions with this one set; a condition keeps the time of its last change of status, and its place. */
export function withWorkloadCondition(
  conditions: readonly JsonObject[],
  { type, status, reason, message }: WorkloadCondition,
  now: number,
  extra: JsonObject = {},
): readonly JsonObject[] {
  const old = conditions.find((condition) => condition['type'] === type)
  const same = old?.['status'] === status
  const made = {
    type,
    status,
    ...extra,
    lastTransitionTime: same ? textOf(old['lastTransitionTime']) : timestamp(now),
    reason,
    message,
  }
  if (old !== undefined && same && old['reason'] === reason && old['message'] === message) return conditions
  return old === undefined
    ? [...conditions, made]
    : conditions.map((condition) => (condition === old ? made : condition))
}

export const withoutWorkloadCondition = (conditions: readonly JsonObject[], type: string): readonly JsonObject[] =>
  conditions.some((condition) => condition['type'] === type)
    ? conditions.filter((condition) => condition['type'] !== type)
    : conditions

/** A list as it stands in a status: left out when it is empty. */
export const listed = (name: string, list: readonly unknown[]): JsonObject =>
  list.length === 0 ? {} : { [name]: list }
