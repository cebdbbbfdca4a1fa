import { CALCULATIONS_NAME } from '../../api/webhook-names.ts'
import type { AnsweredHook } from '../../../../operator/shell/registered-webhooks.ts'
import type { QuotaAsking } from '../../../counted/adapter.ts'
import {
  askedNamespaces,
  CALCULATIONS_PATH,
  calculationRules,
  type CalculatedResource,
  resourceKey,
} from './calculation-rules.ts'
import type { ConfiguredRules } from './configured-rules.ts'
import { withConditions } from './skipped-requests.ts'
import type { CustomQuotaTracker } from '../tracking/quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'

export interface CalculationAskingOptions {
  readonly tracker: Pick<CustomQuotaTracker, 'kinds' | 'unserved' | 'unresolved'>
  /** Namespaces that are never asked about. */
  readonly exempt: ReadonlySet<string>
  /** The writes that an administrator sends to the webhook; undefined: all that quotas count. */
  readonly configured: ConfiguredRules | undefined
}

/** How API servers are asked for custom quotas: about the kinds that are counted, and those that cannot be. */
export function calculationAsking(options: CalculationAskingOptions): QuotaAsking<TrackedQuota> {
  const { tracker, exempt, configured } = options
  return {
    plural: 'custom quotas',
    hookOf: (handle) => hookOf(handle, configured),
    asked: () => {
      const counted = [...tracker.kinds.all].map(({ resource, inNamespace, everywhere }): CalculatedResource => ({
        resource,
        namespaces: new Set([...inNamespace.keys(), ...[...everywhere.keys()].flatMap(({ asks }) => [...asks])]),
      }))
      const closed = [...tracker.unserved.all()].map(([resource, { asks }]): CalculatedResource => ({
        resource,
        namespaces: asks,
      }))
      return calculationRules([...counted, ...merged(closed)], exempt, configured)
    },
    askedFor: ({ resolution, asks: namespaces }) =>
      resolution?.targets.map(
        ({ resource }) =>
          [resourceKey(resource), askedNamespaces({ resource, namespaces }, exempt, configured)] as const,
      ),
    pending: () => {
      const [unresolved] = tracker.unresolved
      return unresolved === undefined ? undefined : `the kinds of ${unresolved.key} are being found out`
    },
  }
}

function hookOf(handle: AnsweredHook['handle'], configured: ConfiguredRules | undefined) {
  const hook = { phase: 'validating', name: CALCULATIONS_NAME, path: CALCULATIONS_PATH, handle } as const
  if (configured === undefined) return hook
  const { namespaceSelector, matchConditions: conditions } = configured
  const selecting: Omit<AnsweredHook, 'rules'> = namespaceSelector === undefined ? hook : { ...hook, namespaceSelector }
  if (conditions.length === 0) return selecting
  return { ...selecting, conditions, withoutConditions: [{ handle: withConditions(handle, conditions) }] }
}

/** Each resource once, with all namespaces that it is named in. */
function merged(resources: readonly CalculatedResource[]): readonly CalculatedResource[] {
  const byKey = Map.groupBy(resources, ({ resource }) => resourceKey(resource))
  return [...byKey.values()].flatMap((same) => {
    const [first] = same
    return first === undefined
      ? []
      : [{ ...first, namespaces: new Set(same.flatMap(({ namespaces }) => [...namespaces])) }]
  })
}
