import type { Gauge, Gauges, GaugeSample } from '../../machinery/gauge.ts'
import type { LimitHistory, UsageHistory } from './usage-history.ts'

type Labels = Readonly<Record<string, string>>

interface KindMetric {
  readonly name: string
  readonly labels: (limit: Pick<LimitHistory, 'namespace' | 'name' | 'resource'>) => Labels
}

/** The metric of each kind, with the labels that its other metrics have. */
const OF_KIND: Readonly<Record<string, KindMetric>> = {
  ResourceQuota: {
    name: 'allot_resourcequota_exhaustion_seconds',
    labels: ({ namespace, name, resource }) => ({ resource_quota: name, target_namespace: namespace, resource }),
  },
  CustomQuota: {
    name: 'allot_custom_quota_exhaustion_seconds',
    labels: ({ namespace, name }) => ({ custom_quota: name, target_namespace: namespace }),
  },
  GlobalCustomQuota: {
    name: 'allot_global_custom_quota_exhaustion_seconds',
    labels: ({ name }) => ({ custom_quota: name }),
  },
  KarmadaQuota: {
    name: 'allot_karmadaquota_exhaustion_seconds',
    labels: ({ namespace, name, resource }) => ({ karmada_quota: name, target_namespace: namespace, resource }),
  },
  ResourcePool: {
    name: 'allot_pool_exhaustion_seconds',
    labels: ({ name, resource }) => ({ pool: name, resource }),
  },
}

const LEFT_OUT = 'allot_limits_without_history'
const NOTHING = { namespace: '', name: '', resource: '' }

/** The gauges of the time to exhaustion. */
export const EXHAUSTION_METRICS: Gauges = Object.fromEntries<Gauge>([
  ...Object.entries(OF_KIND).map(([kind, { name, labels }]): [string, Gauge] => [
    name,
    {
      help: `In how many seconds limits of ${kind}s are used up if usage goes on growing as in the last half hour; 0 where nothing is left`,
      labels: Object.keys(labels(NOTHING)),
    },
  ]),
  [LEFT_OUT, { help: 'Limits whose usage is not recorded, because there are more than there is room for', labels: [] }],
])

/** The series of all limits for which an end is in sight. */
export function* exhaustionSamples(history: Pick<UsageHistory, 'all' | 'leftOut'>): Generator<GaugeSample> {
  for (const limit of history.all()) {
    const { kind, exhaustedInSeconds } = limit
    const metric = Object.hasOwn(OF_KIND, kind) ? OF_KIND[kind] : undefined
    if (metric === undefined || exhaustedInSeconds === undefined) continue
    yield { name: metric.name, labels: metric.labels(limit), value: String(exhaustedInSeconds) }
  }
  yield { name: LEFT_OUT, labels: {}, value: String(history.leftOut) }
}
