import { isExemptResource } from './admission/calculation-rules.ts'
import type { TrackedQuota } from './tracking/tracked-quota.ts'

/** Why a quota refuses nothing, or not everything that it counts: as a word for programs and a sentence. */
export interface Unenforced {
  readonly reason: string
  readonly message: string
}

/** The reason where the operator enforces nothing at all. */
export const ENFORCEMENT_OFF = 'EnforcementOff'

/** What the condition `Enforced` of a quota says; undefined where it refuses everything that exceeds it. `exempt`: namespaces. */
export function unenforced(tracked: TrackedQuota, isOn: boolean, exempt: ReadonlySet<string>): Unenforced | undefined {
  if (!isOn)
    return {
      reason: ENFORCEMENT_OFF,
      message: 'the quota counts and reports, and refuses nothing: the operator runs with --enforce=off',
    }
  if (!tracked.isGlobal && exempt.has(tracked.namespace))
    return {
      reason: 'ExemptNamespace',
      message: `the quota counts and reports: nothing is refused in the namespace ${tracked.namespace}`,
    }
  const kinds = (tracked.resolution?.targets ?? []).filter(({ resource }) => isExemptResource(resource))
  if (kinds.length === 0) return undefined
  const names = kinds.map(({ resource }) => resource.resource).join(', ')
  return { reason: 'ExemptKind', message: `objects of these kinds are counted and never refused: ${names}` }
}
