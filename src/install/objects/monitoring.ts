import {
  all,
  choice,
  from,
  hole,
  isServed,
  isSet,
  joined,
  NAMESPACE,
  type ObjectTemplate,
  value,
  when,
} from '../template/template.ts'
import { INSTALLED_LABEL, INSTALLED_NAME } from '../installed-names.ts'
import { ALERT_GROUPS, alertRule, annotationsOf } from './alerts.ts'
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

const RULES: ObjectTemplate = {
  file: 'prometheusrule',
  condition: all(isSet('metrics.rules.enabled'), isServed(API_VERSION)),
  object: {
    apiVersion: API_VERSION,
    kind: 'PrometheusRule',
    metadata: labelledMetadata('metrics.rules.labels'),
    spec: {
      groups: ALERT_GROUPS.map(({ name, alerts }) => ({
        name,
        rules: alerts.map((alert) => ({
          ...alertRule(alert),
          annotations: {
            ...annotationsOf(alert),
            runbook_url: hole(joined(value('metrics.rules.runbooks'), `/${alert.name}.md`)),
          },
        })),
      })),
    },
  },
}

/** Left out where there is no operator of Prometheus. */
export const MONITORING: readonly ObjectTemplate[] = [SERVICE_MONITOR, RULES]
