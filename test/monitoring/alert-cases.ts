/** Series of a metric, and their values each minute, in the words of promtool. */
export type Series = Readonly<Record<string, string>>

/** What makes an alert fire, and what is close to that. */
export interface AlertCase {
  readonly alert: string
  /** The alert has several rules, one for each severity. */
  readonly severity?: string
  /** The threshold, where the alert has one that can be set. */
  readonly at?: number
  readonly fires: Series
  /** When it has fired, and shortly before when it had not yet. Left out: it fires at once. */
  readonly after: string
  readonly before?: string
  /** The labels and the value of the alert. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: string
  readonly quiet: Series
}

const replicas = (metric: string, labels: string, values: string): Series =>
  Object.fromEntries(['a', 'b'].map((pod) => [`${metric}{${labels}${labels === '' ? '' : ','}pod="${pod}"}`, values]))

const NOBODY = '0x1500'

/** The thresholds that replicas show: the usual ones, and others that somebody has set with `--warn-at`. */
const THRESHOLDS = [
  { info: 80, warning: 95 },
  { info: 40, warning: 60 },
]

/** An alert on what is used of a quota, at both thresholds. */
const filling = (
  alert: string,
  metric: string,
  of: Readonly<Record<string, string>>,
  limit?: string,
): readonly AlertCase[] => {
  const text = Object.entries(of)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
  // A limit of 0 is full, and meant to be.
  const [some, none] =
    limit === undefined
      ? [{}, {}]
      : [
          replicas(limit, text, '10x30'),
          { ...replicas(limit, `zero="yes",${text}`, '0x30'), ...replicas(metric, `zero="yes",${text}`, '100x30') },
        ]
  const common = { alert, after: '11m', before: '8m', labels: of } as const
  return THRESHOLDS.flatMap(({ info, warning }) => {
    const shown = {
      ...replicas('allot_usage_warning_percentage', 'severity="info"', `${info}x30`),
      ...replicas('allot_usage_warning_percentage', 'severity="warning"', `${warning}x30`),
    }
    return [
      {
        ...common,
        severity: 'info',
        at: info,
        fires: { ...shown, ...replicas(metric, text, `${info}x30`), ...some },
        value: String(info),
        quiet: { ...shown, ...replicas(metric, text, `${info - 0.1}x30`), ...some, ...none },
      },
      {
        ...common,
        severity: 'warning',
        at: warning,
        fires: { ...shown, ...replicas(metric, text, '120x30'), ...some },
        value: '120',
        quiet: { ...shown, ...replicas(metric, text, `${warning - 0.1}x30`), ...some, ...none },
      },
    ]
  })
}

/** An alert on a metric that has one value while something is wrong and another while it is not. */
const lasting = ({
  metric,
  series = '',
  wrong,
  right,
  ...one
}: Pick<AlertCase, 'alert' | 'after' | 'labels'> & {
  readonly before: string
  readonly metric: string
  readonly series?: string
  readonly wrong: number
  readonly right: number
}): AlertCase => ({
  ...one,
  value: String(wrong),
  fires: replicas(metric, series, `${wrong}x30`),
  quiet: replicas(metric, series, `${right}x30`),
})

/** An alert on the time until a limit is used up. Two replicas do not know the same past. */
const exhausted = (alert: string, metric: string, labels: Readonly<Record<string, string>>): AlertCase => {
  const text = Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
  const values = (one: string, other: string): Series => ({
    [`${metric}{${text},pod="a"}`]: one,
    [`${metric}{${text},pod="b"}`]: other,
  })
  return {
    alert,
    after: '16m',
    before: '13m',
    labels,
    fires: values('14399x30', '20000x30'),
    value: '3h 59m 59s',
    // Nothing is left: the use tells of that.
    quiet: values('14400x30', '0x30'),
  }
}

const failing = (series: string): { readonly fires: Series; readonly quiet: Series } => ({
  fires: { [series]: '0+60x60' },
  quiet: { [series]: '7x60' },
})

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'CapsuleResourcePoolHighUsageWarning',
    fires: { 'capsule_pool_usage_percentage{pool="blue",resource="pods"}': '91x30' },
    after: '11m',
    before: '8m',
    labels: { pool: 'blue', resource: 'pods' },
    value: '91',
    quiet: { 'capsule_pool_usage_percentage{pool="blue",resource="pods"}': '90x30' },
  },
  {
    alert: 'CapsuleResourcePoolHighUsageCritical',
    fires: { 'capsule_pool_usage_percentage{pool="blue",resource="pods"}': '96x30' },
    after: '11m',
    before: '8m',
    labels: { pool: 'blue', resource: 'pods' },
    value: '96',
    quiet: { 'capsule_pool_usage_percentage{pool="blue",resource="pods"}': '95x30' },
  },
  {
    alert: 'CapsuleResourcePoolExhausted',
    fires: { 'capsule_pool_condition{pool="blue",condition="Exhausted"}': '1x90' },
    after: '61m',
    before: '58m',
    labels: { pool: 'blue', condition: 'Exhausted' },
    value: '1',
    quiet: {
      'capsule_pool_condition{pool="blue",condition="Exhausted"}': '0x90',
      'capsule_pool_condition{pool="blue",condition="Ready"}': '1x90',
    },
  },
  {
    alert: 'CapsuleResourcePoolNotReady',
    fires: { 'capsule_pool_condition{pool="blue",condition="Ready"}': '0x30' },
    after: '11m',
    before: '8m',
    labels: { pool: 'blue', condition: 'Ready' },
    value: '0',
    quiet: { 'capsule_pool_condition{pool="blue",condition="Ready"}': '1x30' },
  },
  {
    alert: 'CapsuleResourcePoolClaimExhausted',
    fires: { 'capsule_claim_condition{name="c",target_namespace="n",condition="Exhausted"}': '1x1500' },
    after: '1441m',
    before: '1438m',
    labels: { name: 'c', target_namespace: 'n', condition: 'Exhausted' },
    value: '1',
    quiet: { 'capsule_claim_condition{name="c",target_namespace="n",condition="Exhausted"}': NOBODY },
  },
  {
    alert: 'CapsuleResourcePoolClaimNotReady',
    fires: { 'capsule_claim_condition{name="c",target_namespace="n",condition="Ready"}': '0x90' },
    after: '61m',
    before: '58m',
    labels: { name: 'c', target_namespace: 'n', condition: 'Ready' },
    value: '0',
    quiet: { 'capsule_claim_condition{name="c",target_namespace="n",condition="Ready"}': '1x90' },
  },
  ...filling('AllotCustomQuotaFilling', 'capsule_custom_quota_resource_usage_percentage', {
    target_namespace: 'n',
    custom_quota: 'q',
  }),
  ...filling('AllotGlobalCustomQuotaFilling', 'capsule_global_custom_quota_resource_usage_percentage', {
    custom_quota: 'q',
  }),
  ...filling(
    'AllotResourceQuotaFilling',
    'allot_resourcequota_usage_percentage',
    {
      target_namespace: 'n',
      resource_quota: 'q',
      resource: 'pods',
    },
    'allot_resourcequota_limit',
  ),
  ...filling(
    'AllotKarmadaQuotaFilling',
    'allot_karmadaquota_usage_percentage',
    {
      target_namespace: 'n',
      karmada_quota: 'q',
      resource: 'cpu',
    },
    'allot_karmadaquota_limit',
  ),
  exhausted('AllotCustomQuotaExhaustedSoon', 'allot_custom_quota_exhaustion_seconds', {
    target_namespace: 'n',
    custom_quota: 'q',
  }),
  exhausted('AllotGlobalCustomQuotaExhaustedSoon', 'allot_global_custom_quota_exhaustion_seconds', {
    custom_quota: 'q',
  }),
  exhausted('AllotResourceQuotaExhaustedSoon', 'allot_resourcequota_exhaustion_seconds', {
    target_namespace: 'n',
    resource_quota: 'q',
    resource: 'pods',
  }),
  exhausted('AllotKarmadaQuotaExhaustedSoon', 'allot_karmadaquota_exhaustion_seconds', {
    target_namespace: 'n',
    karmada_quota: 'q',
    resource: 'cpu',
  }),
  exhausted('AllotResourcePoolExhaustedSoon', 'allot_pool_exhaustion_seconds', { pool: 'p', resource: 'pods' }),
  lasting({
    alert: 'AllotCustomQuotaNotReady',
    metric: 'capsule_custom_quota_condition',
    series: 'custom_quota="q",target_namespace="n",condition="Ready"',
    wrong: 0,
    right: 1,
    after: '11m',
    before: '8m',
    labels: { custom_quota: 'q', target_namespace: 'n' },
  }),
  {
    alert: 'AllotQuotaIncreaseProblem',
    fires: replicas('allot_quota_increases', 'mode="max",state="problem"', '2x30'),
    after: '16m',
    before: '13m',
    labels: { mode: 'max' },
    value: '2',
    quiet: {
      ...replicas('allot_quota_increases', 'mode="max",state="problem"', '0x30'),
      ...replicas('allot_quota_increases', 'mode="max",state="effective"', '5x30'),
    },
  },
  lasting({
    alert: 'AllotBaseQuotaMissing',
    metric: 'allot_namespaces_without_base_quota',
    wrong: 3,
    right: 0,
    after: '16m',
    before: '13m',
    labels: {},
  }),
  lasting({
    alert: 'AllotQuotaDefinitionsHeld',
    metric: 'allot_quota_definitions_held',
    wrong: 1,
    right: 0,
    after: '16m',
    before: '13m',
    labels: {},
  }),
  {
    alert: 'AllotDoesNotReconcile',
    fires: replicas('allot_leader', '', '0x30'),
    after: '3m',
    before: '1m',
    labels: {},
    value: '0',
    quiet: { 'allot_leader{pod="a"}': '1x30', 'allot_leader{pod="b"}': '0x30' },
  },
  {
    alert: 'AllotWebhooksUnanswered',
    fires: { 'allot_webhooks_unanswered{pod="a"}': '1x30', 'allot_webhooks_unanswered{pod="b"}': '0x30' },
    after: '2m',
    before: '0m',
    labels: {},
    value: '1',
    quiet: replicas('allot_webhooks_unanswered', '', '0x30'),
  },
  {
    alert: 'AllotAdmissionFails',
    ...failing('allot_admission_reviews_total{path="/p",verdict="timeout",pod="a"}'),
    after: '8m',
    before: '4m',
    labels: { path: '/p' },
    value: '1',
  },
  {
    alert: 'AllotAdmissionSlow',
    fires: {
      'allot_admission_review_duration_seconds_bucket{path="/p",le="1"}': '0x60',
      'allot_admission_review_duration_seconds_bucket{path="/p",le="2"}': '0+60x60',
      'allot_admission_review_duration_seconds_bucket{path="/p",le="+Inf"}': '0+60x60',
    },
    after: '13m',
    before: '8m',
    labels: { path: '/p' },
    value: '1.99s',
    quiet: {
      'allot_admission_review_duration_seconds_bucket{path="/p",le="1"}': '0+60x60',
      'allot_admission_review_duration_seconds_bucket{path="/p",le="2"}': '0+60x60',
      'allot_admission_review_duration_seconds_bucket{path="/p",le="+Inf"}': '0+60x60',
    },
  },
  {
    alert: 'AllotReconcileFails',
    ...failing('allot_reconciles_total{controller="pools",result="failed",pod="a"}'),
    after: '18m',
    before: '14m',
    labels: { controller: 'pools' },
    value: '1',
  },
  {
    alert: 'AllotCertificateExpires',
    fires: replicas('allot_certificate_expiry_timestamp_seconds', 'certificate="api"', '604000x30'),
    after: '11m',
    before: '8m',
    labels: { certificate: 'api' },
    value: '6d 23h 35m 40s',
    quiet: replicas('allot_certificate_expiry_timestamp_seconds', 'certificate="api"', '608000x30'),
  },
  {
    alert: 'AllotLedgerLost',
    // The first one that is lost makes the series.
    fires: { 'allot_ledgers_lost_total{kind="CustomQuota"}': '_x5 1x30' },
    after: '7m',
    before: '4m',
    labels: { kind: 'CustomQuota' },
    value: '1',
    quiet: { 'allot_ledgers_lost_total{kind="CustomQuota"}': '0x30' },
  },
]

/** A later ledger that is lost, and the time after it. */
export const LATER_LOSSES: AlertCase = {
  alert: 'AllotLedgerLost',
  fires: { 'allot_ledgers_lost_total{kind="CustomQuota"}': '1x30 2x30' },
  after: '33m',
  before: '25m',
  labels: { kind: 'CustomQuota' },
  value: '1',
  quiet: { 'allot_ledgers_lost_total{kind="CustomQuota"}': '2x60' },
}
