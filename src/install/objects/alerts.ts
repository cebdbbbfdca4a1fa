/** How soon somebody has to act: `info` at leisure, `warning` today, `critical` now. */
export type Severity = 'info' | 'warning' | 'critical'

/** An alert of Prometheus. Each has a page in docs/runbooks. */
export interface Alert {
  readonly name: string
  readonly expr: string
  /** How long `expr` has to hold, as Prometheus writes durations. */
  readonly for: string
  readonly severity: Severity
  readonly summary: string
  /** In the template language of Prometheus. */
  readonly description: string
}

export interface AlertGroup {
  readonly name: string
  readonly alerts: readonly Alert[]
}

/** Values as Prometheus fills them in: without the digits that nobody reads. */
const PERCENT = '{{ $value | printf "%.4g" }}'
const RATE = '{{ $value | printf "%.2g" }}'

/** The alerts that Capsule's documentation gives for resource pools, under the same names. */
const POOLS: AlertGroup = {
  name: 'capsule-resourcepools.rules',
  alerts: [
    {
      name: 'CapsuleResourcePoolHighUsageWarning',
      expr: 'capsule_pool_usage_percentage > 90',
      for: '10m',
      severity: 'warning',
      summary: 'A resource of a pool is claimed to more than 90 %.',
      description: `Resource {{ $labels.resource }} of the pool {{ $labels.pool }} is claimed to ${PERCENT} %.`,
    },
    {
      name: 'CapsuleResourcePoolHighUsageCritical',
      expr: 'capsule_pool_usage_percentage > 95',
      for: '10m',
      severity: 'critical',
      summary: 'A resource of a pool is claimed to more than 95 %.',
      description: `Resource {{ $labels.resource }} of the pool {{ $labels.pool }} is claimed to ${PERCENT} %.`,
    },
    {
      name: 'CapsuleResourcePoolExhausted',
      expr: 'capsule_pool_condition{condition="Exhausted"} == 1',
      for: '60m',
      severity: 'critical',
      summary: 'Claims wait for a pool that has too little left.',
      description: 'Claims have waited for the pool {{ $labels.pool }} for an hour.',
    },
    {
      name: 'CapsuleResourcePoolNotReady',
      expr: 'capsule_pool_condition{condition="Ready"} == 0',
      for: '10m',
      severity: 'warning',
      summary: 'A pool is not ready.',
      description: 'The pool {{ $labels.pool }} has not been ready for ten minutes.',
    },
  ],
}

/** Those for claims. */
const CLAIMS: AlertGroup = {
  name: 'capsule-resourcepoolclaims.rules',
  alerts: [
    {
      name: 'CapsuleResourcePoolClaimExhausted',
      expr: 'capsule_claim_condition{condition="Exhausted"} == 1',
      for: '24h',
      severity: 'critical',
      summary: 'A claim has waited for a day.',
      description: 'The claim {{ $labels.target_namespace }}/{{ $labels.name }} has waited for its pool for a day.',
    },
    {
      name: 'CapsuleResourcePoolClaimNotReady',
      expr: 'capsule_claim_condition{condition="Ready"} == 0',
      for: '60m',
      severity: 'warning',
      summary: 'A claim is not ready.',
      description: 'The claim {{ $labels.target_namespace }}/{{ $labels.name }} has not been ready for an hour.',
    },
  ],
}

/**
 * What is used of a limit, in percent, and in how many seconds it will be used up. Every replica of allot shows the same amounts, so alerts leave its labels out. A limit of 0 is meant
 * to allow nothing, so it is no reason for an alert that it is full.
 */
const USAGES = [
  {
    name: 'AllotCustomQuotaFilling',
    exhaustion: 'allot_custom_quota_exhaustion_seconds',
    metric: 'capsule_custom_quota_resource_usage_percentage',
    labels: ['target_namespace', 'custom_quota'],
    quota: 'CustomQuota {{ $labels.target_namespace }}/{{ $labels.custom_quota }}',
  },
  {
    name: 'AllotGlobalCustomQuotaFilling',
    exhaustion: 'allot_global_custom_quota_exhaustion_seconds',
    metric: 'capsule_global_custom_quota_resource_usage_percentage',
    labels: ['custom_quota'],
    quota: 'GlobalCustomQuota {{ $labels.custom_quota }}',
  },
  {
    name: 'AllotResourceQuotaFilling',
    exhaustion: 'allot_resourcequota_exhaustion_seconds',
    metric: 'allot_resourcequota_usage_percentage and allot_resourcequota_limit > 0',
    labels: ['target_namespace', 'resource_quota', 'resource'],
    quota: '{{ $labels.resource }} of the ResourceQuota {{ $labels.target_namespace }}/{{ $labels.resource_quota }}',
  },
  {
    name: 'AllotKarmadaQuotaFilling',
    exhaustion: 'allot_karmadaquota_exhaustion_seconds',
    metric: 'allot_karmadaquota_usage_percentage and allot_karmadaquota_limit > 0',
    labels: ['target_namespace', 'karmada_quota', 'resource'],
    quota: '{{ $labels.resource }} of the KarmadaQuota {{ $labels.target_namespace }}/{{ $labels.karmada_quota }}',
  },
] as const

/** When a limit will be used up. What is used up already is told by the alerts on its use. */
const EXHAUSTIONS = [
  ...USAGES.map(({ name, exhaustion, labels, quota }) => ({
    name: name.replace(/Filling$/, 'ExhaustedSoon'),
    exhaustion,
    labels,
    quota,
  })),
  {
    name: 'AllotResourcePoolExhaustedSoon',
    exhaustion: 'allot_pool_exhaustion_seconds',
    labels: ['pool', 'resource'],
    quota: '{{ $labels.resource }} of the pool {{ $labels.pool }}',
  },
]
/** Early enough to act within a working day. */
const SOON_HOURS = 4

/** The thresholds of `--warn-at`, which allot shows: the highest one is what somebody has to look at today. */
const THRESHOLDS = [
  { severity: 'info', which: 'lowest' },
  { severity: 'warning', which: 'highest' },
] as const

const USAGE: AlertGroup = {
  name: 'allot-usage.rules',
  alerts: USAGES.flatMap(({ name, metric, labels, quota }) =>
    THRESHOLDS.map(({ severity, which }) => ({
      name,
      expr: `max by (${labels.join(', ')}) (${metric}) >= scalar(max(allot_usage_warning_percentage{severity="${severity}"}))`,
      for: '10m',
      severity,
      summary: `A quota is used to the ${which} percentage of --warn-at or more.`,
      description: `${quota} is used to ${PERCENT} %.`,
    })),
  ),
}

const EXHAUSTION: AlertGroup = {
  name: 'allot-exhaustion.rules',
  alerts: EXHAUSTIONS.map(({ name, exhaustion, labels, quota }) => ({
    name,
    expr: `min by (${labels.join(', ')}) (${exhaustion} > 0) < ${SOON_HOURS} * 3600`,
    for: '15m',
    severity: 'warning',
    summary: `A quota will be used up within ${SOON_HOURS} hours if its usage goes on growing like this.`,
    description: `${quota} will be used up in {{ $value | humanizeDuration }}.`,
  })),
}

const QUOTAS: AlertGroup = {
  name: 'allot-quotas.rules',
  alerts: [
    {
      name: 'AllotCustomQuotaNotReady',
      expr: 'max by (target_namespace, custom_quota) ({__name__=~"capsule_(global_)?custom_quota_condition", condition="Ready"}) == 0',
      for: '10m',
      severity: 'warning',
      summary: 'A custom quota is not ready, so requests that it counts are refused.',
      description:
        'The custom quota {{ $labels.target_namespace }}/{{ $labels.custom_quota }} has not been ready for ten minutes.',
    },
    {
      name: 'AllotQuotaIncreaseProblem',
      expr: 'max by (mode) (allot_quota_increases{state="problem"}) > 0',
      for: '15m',
      severity: 'warning',
      summary: 'Increases of quotas cannot take effect.',
      description: 'Increases of the mode {{ $labels.mode }} that cannot take effect: {{ $value }}.',
    },
    {
      name: 'AllotBaseQuotaMissing',
      expr: 'max(allot_namespaces_without_base_quota) > 0',
      for: '15m',
      severity: 'warning',
      summary: 'Namespaces lack the base quota of their definition.',
      description: 'Namespaces that cannot have the base quota of their definition: {{ $value }}.',
    },
    {
      name: 'AllotQuotaDefinitionsHeld',
      expr: 'max(allot_quota_definitions_held) == 1',
      for: '15m',
      severity: 'warning',
      summary: 'Newer quota definitions are not followed.',
      description: 'allot goes by earlier quota definitions, because the newer ones cannot be used.',
    },
  ],
}

const ALLOT: AlertGroup = {
  name: 'allot.rules',
  alerts: [
    {
      name: 'AllotDoesNotReconcile',
      expr: 'sum(allot_leader) < 1 or absent(allot_leader)',
      for: '2m',
      severity: 'critical',
      summary: 'No replica of allot reconciles: claims wait, and what quotas count may be refused.',
      description: 'No replica has been the leader for two minutes.',
    },
    {
      name: 'AllotWebhooksUnanswered',
      expr: 'max(allot_webhooks_unanswered) == 1',
      for: '1m',
      severity: 'critical',
      summary: 'The API server gets no answers of the webhooks of allot and refuses what they decide on.',
      description: 'The probes of allot have reached no webhook for a minute.',
    },
    {
      name: 'AllotAdmissionFails',
      expr: 'sum by (path) (rate(allot_admission_reviews_total{verdict=~"error|timeout"}[5m])) > 0',
      for: '5m',
      severity: 'critical',
      summary: 'Reviews fail or take too long, so requests are refused that may fit.',
      description: `The webhook {{ $labels.path }} fails ${RATE} times a second.`,
    },
    {
      name: 'AllotAdmissionSlow',
      expr: 'histogram_quantile(0.99, sum by (le, path) (rate(allot_admission_review_duration_seconds_bucket[5m]))) > 1',
      for: '10m',
      severity: 'warning',
      summary: 'Reviews of admission take longer than a second.',
      description: 'One in a hundred reviews of {{ $labels.path }} takes {{ $value | humanizeDuration }} or longer.',
    },
    {
      name: 'AllotReconcileFails',
      expr: 'sum by (controller) (rate(allot_reconciles_total{result="failed"}[10m])) > 0',
      for: '15m',
      severity: 'warning',
      summary: 'A controller fails again and again.',
      description: `The controller {{ $labels.controller }} fails ${RATE} times a second.`,
    },
    {
      name: 'AllotCertificateExpires',
      expr: 'min by (certificate) (allot_certificate_expiry_timestamp_seconds) - time() < 7 * 86400',
      for: '10m',
      severity: 'warning',
      summary: 'A certificate of allot expires within a week.',
      description: 'The certificate {{ $labels.certificate }} expires in {{ $value | humanizeDuration }}.',
    },
    {
      name: 'AllotLedgerLost',
      // The series begins with the first ledger that is lost: there is nothing before it that it could have grown from.
      expr: 'increase(allot_ledgers_lost_total[15m]) > 0 or (allot_ledgers_lost_total unless allot_ledgers_lost_total offset 15m) > 0',
      for: '0m',
      severity: 'warning',
      summary: 'A ledger of a quota was lost or changed by somebody else; the quota was closed for a while.',
      description: 'Ledgers of the kind {{ $labels.kind }} were lost or changed within 15 minutes.',
    },
  ],
}

/** All alerts, as the chart and config/monitoring have them. */
export const ALERT_GROUPS: readonly AlertGroup[] = [POOLS, CLAIMS, USAGE, EXHAUSTION, QUOTAS, ALLOT]

/** The rule of an alert without its annotations. */
export const alertRule = ({ name, expr, for: held, severity }: Alert) => ({
  alert: name,
  expr,
  for: held,
  labels: { severity },
})

/** The annotations of an alert but for the link to its runbook. */
export const annotationsOf = ({ summary, description }: Alert) => ({ summary, description })
