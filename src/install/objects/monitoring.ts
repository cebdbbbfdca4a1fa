import {
  all,
  choice,
  from,
  hole,
  isServed,
  isSet,
  NAMESPACE,
  type ObjectTemplate,
  type TemplateObject,
  when,
} from '../template/template.ts'
import { INSTALLED_LABEL, INSTALLED_NAME } from '../installed-names.ts'
import { labelledMetadata } from '../template/common-metadata.ts'

const API_VERSION = 'monitoring.coreos.com/v1'

const SERVICE_MONITOR: ObjectTemplate = {
  file: 'servicemonitor',
  condition: all(isSet('metrics.serviceMonitor.enabled'), isServed(API_VERSION)),
  object: {
    apiVersion: API_VERSION,
    kind: 'ServiceMonitor',
    metadata: labelledMetadata('metrics.serviceMonitor.labels'),
    spec: {
      selector: { matchLabels: { [INSTALLED_LABEL]: INSTALLED_NAME } },
      namespaceSelector: { matchNames: [hole(NAMESPACE)] },
      endpoints: [
        {
          port: 'metrics',
          interval: from('metrics.serviceMonitor.interval'),
          scheme: hole(choice(isSet('metrics.auth'), 'https', 'http')),
          tlsConfig: when(isSet('metrics.auth'), { insecureSkipVerify: true }),
          bearerTokenFile: when(isSet('metrics.auth'), '/var/run/secrets/kubernetes.io/serviceaccount/token'),
        },
      ],
    },
  },
}

const alert = (name: string, expr: string, minutes: number, summary: string, severity = 'warning'): TemplateObject => ({
  alert: name,
  expr,
  for: `${minutes}m`,
  labels: { severity },
  annotations: { summary },
})

const RULES: ObjectTemplate = {
  file: 'prometheusrule',
  condition: all(isSet('metrics.rules.enabled'), isServed(API_VERSION)),
  object: {
    apiVersion: API_VERSION,
    kind: 'PrometheusRule',
    metadata: labelledMetadata('metrics.rules.labels'),
    spec: {
      groups: [
        {
          name: INSTALLED_NAME,
          rules: [
            alert(
              'AllotDoesNotReconcile',
              'sum(allot_leader) < 1 or absent(allot_leader)',
              2,
              'No replica of allot reconciles: claims wait, and what quotas count may be refused.',
              'critical',
            ),
            alert(
              'AllotWebhooksUnanswered',
              'max(allot_webhooks_unanswered) == 1',
              1,
              'The API server gets no answers of the webhooks of allot and refuses what they decide on.',
              'critical',
            ),
            alert(
              'AllotCertificateExpires',
              'min by (certificate) (allot_certificate_expiry_timestamp_seconds) - time() < 7 * 86400',
              10,
              'A certificate of allot expires within a week.',
            ),
            alert(
              'AllotLedgerLost',
              'increase(allot_ledgers_lost_total[15m]) > 0',
              0,
              'A ledger of a quota was lost or changed by somebody else; the quota was closed for a while.',
            ),
            alert(
              'AllotResourcePoolFull',
              'capsule_pool_usage_percentage > 90',
              10,
              'A resource of a pool is used to more than 90 %.',
            ),
          ],
        },
      ],
    },
  },
}

/** Left out where there is no operator of Prometheus. */
export const MONITORING: readonly ObjectTemplate[] = [SERVICE_MONITOR, RULES]
