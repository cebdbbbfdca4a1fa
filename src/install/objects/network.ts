import { from, isSet, type ObjectTemplate, type TemplateObject, unlessEmpty, when } from '../template/template.ts'
import { INSTALLED_NAME, POD_LABELS } from '../installed-names.ts'
import { metadata } from '../template/common-metadata.ts'
import { DASHBOARD_PORT, HAS_DASHBOARD, PORTS } from './ports.ts'

/** The Service that API servers and Prometheus ask. */
export const SERVICE: ObjectTemplate = {
  file: 'service',
  object: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(),
    spec: {
      selector: POD_LABELS,
      ports: [
        { name: 'webhooks', port: from('webhooks.service.port'), targetPort: 'webhooks', protocol: 'TCP' },
        { name: 'metrics', port: 8080, targetPort: 'metrics', protocol: 'TCP' },
        when(isSet(HAS_DASHBOARD), {
          name: DASHBOARD_PORT.serves,
          port: from('dashboard.port'),
          targetPort: DASHBOARD_PORT.serves,
          protocol: 'TCP',
        }),
      ],
    },
  },
}

const PEERS = {
  webhooks: 'webhookPeers',
  metrics: 'metricsPeers',
  health: 'healthPeers',
  dashboard: 'dashboardPeers',
} as const

const ingress = ({ serves }: (typeof PORTS)[number] | typeof DASHBOARD_PORT): TemplateObject => ({
  ports: [{ port: serves, protocol: 'TCP' }],
  from: unlessEmpty(`networkPolicy.${PEERS[serves]}`),
})

/** Nothing connects to anything but the ports. */
export const NETWORK_POLICY: ObjectTemplate = {
  file: 'networkpolicy',
  condition: isSet('networkPolicy.enabled'),
  object: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(INSTALLED_NAME),
    spec: {
      podSelector: { matchLabels: POD_LABELS },
      policyTypes: ['Ingress'],
      ingress: [...PORTS.map(ingress), when(isSet(HAS_DASHBOARD), ingress(DASHBOARD_PORT))],
    },
  },
}
