import { DEFAULT_WARN_AT } from '../../src/charges/usage-warnings.ts'
import type { Dashboard, Panel } from './grafana-dashboard.ts'

/** The thresholds of `--warn-at`, as warnings and alerts have them. */
const [YELLOW = 80, RED = 95] = DEFAULT_WARN_AT

/** How many bars a panel shows at most. */
const MOST_BARS = 20

/** A quota's use in percent, the fullest first. */
const fullest = (title: string, metric: string, labels: readonly string[], legend: string): Panel => ({
  title,
  description: `The ${MOST_BARS} that are nearest to their limit.`,
  type: 'bars',
  unit: 'percent',
  queries: [{ expr: `topk(${MOST_BARS}, max by (${labels.join(', ')}) (${metric}))`, legend }],
  thresholds: [YELLOW, RED],
})

/** The limits that will be used up first, of one or several metrics. */
const exhaustedFirst = (
  queries: readonly (readonly [metric: string, labels: readonly string[], legend: string])[],
): Panel => ({
  title: 'Used up first',
  description: `The ${MOST_BARS} that will be used up first, if usage goes on growing as in the last half hour.`,
  type: 'bars',
  unit: 's',
  queries: queries.map(([metric, labels, legend]) => ({
    expr: `bottomk(${MOST_BARS}, min by (${labels.join(', ')}) (${metric} > 0))`,
    legend,
  })),
})

const POOL = '{{pool}} {{resource}}'
const CLAIM = '{{target_namespace}}/{{name}}'

const POOLS: Dashboard = {
  uid: 'allot-pools',
  title: 'allot: resource pools and claims',
  description: 'what pools have given out, and which claims wait',
  panels: [
    fullest('Claimed of each pool', 'capsule_pool_usage_percentage', ['pool', 'resource'], POOL),
    fullest(
      'Claimed by namespaces',
      'capsule_pool_namespace_usage_percentage',
      ['pool', 'target_namespace', 'resource'],
      '{{target_namespace}} in {{pool}} {{resource}}',
    ),
    {
      title: 'Left in each pool',
      description: 'What further claims can get.',
      type: 'lines',
      unit: 'short',
      queries: [{ expr: 'max by (pool, resource) (capsule_pool_available)', legend: POOL }],
    },
    {
      title: 'Asked for beyond what is left',
      description: 'What waiting claims ask for, of resources that are short.',
      type: 'lines',
      unit: 'short',
      queries: [{ expr: 'max by (pool, resource) (capsule_pool_exhaustion)', legend: POOL }],
    },
    exhaustedFirst([['allot_pool_exhaustion_seconds', ['pool', 'resource'], POOL]]),
    {
      title: 'Claims that wait',
      description: 'Claims whose pool has too little left.',
      type: 'table',
      unit: 'short',
      queries: [
        {
          expr: 'max by (target_namespace, name) (capsule_claim_condition{condition="Exhausted"}) == 1',
          legend: CLAIM,
        },
      ],
    },
    {
      title: 'Claims that are not ready',
      description: 'Claims that have got nothing.',
      type: 'table',
      unit: 'short',
      queries: [
        { expr: 'max by (target_namespace, name) (capsule_claim_condition{condition="Ready"}) == 0', legend: CLAIM },
      ],
    },
  ],
}

const QUOTAS: Dashboard = {
  uid: 'allot-quotas',
  title: 'allot: quotas',
  description: 'what is used of ResourceQuotas, custom quotas and KarmadaQuotas, and which increases have a problem',
  panels: [
    fullest(
      'ResourceQuotas',
      'allot_resourcequota_usage_percentage',
      ['target_namespace', 'resource_quota', 'resource'],
      '{{target_namespace}}/{{resource_quota}} {{resource}}',
    ),
    fullest(
      'CustomQuotas',
      'capsule_custom_quota_resource_usage_percentage',
      ['target_namespace', 'custom_quota'],
      '{{target_namespace}}/{{custom_quota}}',
    ),
    fullest(
      'GlobalCustomQuotas',
      'capsule_global_custom_quota_resource_usage_percentage',
      ['custom_quota'],
      '{{custom_quota}}',
    ),
    fullest(
      'KarmadaQuotas',
      'allot_karmadaquota_usage_percentage',
      ['target_namespace', 'karmada_quota', 'resource'],
      '{{target_namespace}}/{{karmada_quota}} {{resource}}',
    ),
    exhaustedFirst([
      [
        'allot_resourcequota_exhaustion_seconds',
        ['target_namespace', 'resource_quota', 'resource'],
        '{{target_namespace}}/{{resource_quota}} {{resource}}',
      ],
      [
        'allot_custom_quota_exhaustion_seconds',
        ['target_namespace', 'custom_quota'],
        '{{target_namespace}}/{{custom_quota}}',
      ],
      ['allot_global_custom_quota_exhaustion_seconds', ['custom_quota'], '{{custom_quota}}'],
      [
        'allot_karmadaquota_exhaustion_seconds',
        ['target_namespace', 'karmada_quota', 'resource'],
        '{{target_namespace}}/{{karmada_quota}} {{resource}}',
      ],
    ]),
    {
      title: 'Increases',
      description: 'Increases by mode and state.',
      type: 'lines',
      unit: 'short',
      queries: [{ expr: 'max by (mode, state) (allot_quota_increases)', legend: '{{mode}} {{state}}' }],
    },
    {
      title: 'Namespaces by definition',
      description: 'How many namespaces have the base quota of each definition, and how many cannot have theirs.',
      type: 'lines',
      unit: 'short',
      queries: [
        { expr: 'max by (definition) (allot_quota_definition_namespaces)', legend: '{{definition}}' },
        { expr: 'max(allot_namespaces_without_base_quota)', legend: 'without their base quota' },
      ],
    },
  ],
}

const OPERATOR: Dashboard = {
  uid: 'allot-operator',
  title: 'allot: the operator',
  description: 'who leads, how fast reviews are answered, and what fails',
  panels: [
    {
      title: 'Replicas that reconcile',
      description: 'One, unless something is wrong.',
      type: 'number',
      unit: 'short',
      queries: [{ expr: 'sum(allot_leader)', legend: 'leaders' }],
    },
    {
      title: 'Certificates',
      description: 'How long each certificate is good for.',
      type: 'lines',
      unit: 's',
      queries: [
        {
          expr: 'min by (certificate) (allot_certificate_expiry_timestamp_seconds) - time()',
          legend: '{{certificate}}',
        },
      ],
    },
    {
      title: 'Reviews by verdict',
      description: 'Admission reviews answered each second.',
      type: 'lines',
      unit: 'reqps',
      queries: [{ expr: 'sum by (verdict) (rate(allot_admission_reviews_total[5m]))', legend: '{{verdict}}' }],
    },
    {
      title: 'Time of a review',
      description: 'The time that 99 and 50 of 100 reviews do not exceed.',
      type: 'lines',
      unit: 's',
      queries: [0.99, 0.5].map((part) => ({
        expr: `histogram_quantile(${part}, sum by (le) (rate(allot_admission_review_duration_seconds_bucket[5m])))`,
        legend: `${part * 100} %`,
      })),
    },
    {
      title: 'Reconciles',
      description: 'Objects that controllers looked at each second, by result.',
      type: 'lines',
      unit: 'reqps',
      queries: [
        { expr: 'sum by (controller, result) (rate(allot_reconciles_total[5m]))', legend: '{{controller}} {{result}}' },
      ],
    },
    {
      title: 'Calls refused at the webhook port',
      description: 'Calls that no webhook has seen, by what was wrong with them.',
      type: 'lines',
      unit: 'reqps',
      queries: [{ expr: 'sum by (reason) (rate(allot_admission_refused_calls_total[5m]))', legend: '{{reason}}' }],
    },
  ],
}

export const DASHBOARDS: readonly Dashboard[] = [POOLS, QUOTAS, OPERATOR]
