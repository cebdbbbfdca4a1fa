import { listOf, mapOf } from '../api/definition/collection.ts'
import { object } from '../api/definition/object-schema.ts'
import { boolean, choice, integer, text } from '../api/definition/scalar-type.ts'
import { defaulted, optional, type Schema } from '../api/definition/schema.ts'
import { DEFAULT_WARN_AT } from '../charges/usage-warnings.ts'
import { isTree } from '../machinery/json-value.ts'
import type { JsonObject } from '../machinery/object.ts'

/** An object of the Kubernetes API or a part of one, which the API server checks. */
const anyObject = (description?: string): Schema<JsonObject> => ({
  openapi: {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  },
  blank: {},
  read: (value) => (isTree(value) ? value : undefined),
})

const PERCENTAGE = '([1-9][0-9]?|100)'
const PERCENTAGES = `^(${PERCENTAGE}(,${PERCENTAGE})*)?$`
/** A text of percentages, or a single one, which YAML reads as a number. */
const percentages = (description: string): Schema<string | number> => {
  const [one, several] = [integer(undefined, { minimum: 1 }), text()]
  return {
    openapi: {
      description,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
      minimum: 1,
      maximum: 100,
      pattern: PERCENTAGES,
    },
    blank: '',
    read: (value) => one.read(value) ?? several.read(value),
  }
}
const NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
const texts = (description: string) => mapOf(description, text())

const calculations = object(
  'Which writes custom quotas decide on, as Capsule has it. Without rules it is all that custom quotas count.',
  {
    enabled: defaulted(boolean('false: custom quotas count and report, and refuse nothing'), true),
    namespaceSelector: optional(anyObject('only objects in namespaces with these labels')),
    rules: optional(listOf('in the form of the rules of a webhook', anyObject())),
    matchConditions: optional(listOf('only requests for which these CEL expressions hold', anyObject())),
  },
)

/** The values of the chart, with their defaults. `allot install` has the same. */
export const chartValues = object(undefined, {
  image: defaulted(
    object('The image of allot.', {
      repository: defaulted(text('with the registry in front', { minLength: 1 }), 'allot'),
      tag: defaulted(text("empty: the chart's version"), ''),
      digest: defaulted(text('sha256:…; it is taken instead of the tag', { pattern: '^(sha256:[0-9a-f]{64})?$' }), ''),
      pullPolicy: defaulted(
        choice('when it is pulled', ['Always', 'IfNotPresent', 'Never'], 'IfNotPresent'),
        'IfNotPresent',
      ),
    }),
    {},
  ),
  imagePullSecrets: defaulted(listOf('Secrets to pull the image with, as [{name: …}].', anyObject()), []),
  replicas: defaulted(integer('All answer reviews; one of them reconciles.', { minimum: 1 }), 2),
  resources: defaulted(
    anyObject('Of each replica. A limit of CPU would make every request that waits for a review slower.'),
    { requests: { cpu: '100m', memory: '256Mi' } },
  ),
  priorityClass: defaulted(
    object('Keeps the pods of allot where others have to go.', {
      create: defaulted(boolean('false: there is one of this name, or none is wanted where the name is empty'), true),
      name: defaulted(text('its name'), 'allot'),
      value: defaulted(integer('its value'), 1_000_000_000),
    }),
    {},
  ),
  podDisruptionBudget: defaulted(
    object('Lets a drain take one replica at a time.', { enabled: defaulted(boolean('make it'), true) }),
    {},
  ),
  nodeSelector: defaulted(texts('Of the pods.'), {}),
  tolerations: defaulted(listOf('Of the pods.', anyObject()), []),
  affinity: defaulted(anyObject('Of the pods. They spread over zones and nodes in any case.'), {}),
  certificate: defaulted(
    object('The certificate of the webhooks.', {
      source: defaulted(
        choice(
          'allot makes and renews it itself; or a Secret has tls.crt, tls.key and ca.crt; or cert-manager makes this Secret',
          ['self', 'secret', 'cert-manager'],
          'self',
        ),
        'self',
      ),
      secretName: defaulted(text('the Secret', { pattern: NAME }), 'allot-webhook-tls'),
      issuerRef: defaulted(anyObject('of cert-manager, as {kind: ClusterIssuer, name: …}'), {}),
    }),
    {},
  ),
  webhooks: defaulted(
    object('What API servers ask.', {
      timeoutSeconds: defaulted(integer('how long API servers wait for an answer, 1 to 30', { minimum: 1 }), 10),
      callers: defaulted(
        choice(
          'answer only calls from addresses that probes prove to be of API servers; or calls from any address',
          ['proven', 'any'],
          'any',
        ),
        'any',
      ),
      service: defaulted(
        object('The Service that leads there.', { port: defaulted(integer('its port', { minimum: 1 }), 443) }),
        {},
      ),
      hooks: defaulted(object('The names of Capsule.', { calculations: defaulted(calculations, {}) }), {}),
    }),
    {},
  ),
  networkPolicy: defaulted(
    object('What may connect to the ports of allot.', {
      enabled: defaulted(boolean('make it'), true),
      webhookPeers: defaulted(
        listOf('from where API servers come, as [{ipBlock: {cidr: …}}]; empty: from anywhere', anyObject()),
        [],
      ),
      metricsPeers: defaulted(listOf('from where metrics are read; empty: from anywhere', anyObject()), []),
      dashboardPeers: defaulted(listOf('from where the dashboard is looked at; empty: from anywhere', anyObject()), []),
      healthPeers: defaulted(listOf('from where kubelets come; empty: from anywhere', anyObject()), []),
    }),
    {},
  ),
  priorityAndFairness: defaulted(
    object(
      'A share of the API server of its own, so that allot never queues behind requests that wait for its reviews.',
      {
        enabled: defaulted(boolean('make the FlowSchema and the PriorityLevelConfiguration'), true),
        concurrencyShares: defaulted(integer('how large the share is', { minimum: 1 }), 40),
      },
    ),
    {},
  ),
  dashboard: defaulted(
    object('The dashboard, over TLS. It reads as the bearer of the token of each viewer.', {
      enabled: defaulted(boolean('serve it'), false),
      port: defaulted(integer('its port at the Service', { minimum: 1 }), 8443),
    }),
    {},
  ),
  metrics: defaulted(
    object('The metrics.', {
      auth: defaulted(boolean('over TLS, only to clients that the API server allows to get /metrics'), false),
      serviceMonitor: defaulted(
        object('For the operator of Prometheus, where the API server offers monitoring.coreos.com/v1.', {
          enabled: defaulted(boolean('make it'), false),
          interval: defaulted(text('how often'), '30s'),
          labels: defaulted(texts('by which Prometheus selects it'), {}),
        }),
        {},
      ),
      rules: defaulted(
        object('Alerts, as a PrometheusRule.', {
          enabled: defaulted(boolean('make it'), false),
          labels: defaulted(texts('by which Prometheus selects it'), {}),
          runbooks: defaulted(
            text("where the pages are that the alerts link to: a copy of docs/runbooks of allot's repository"),
            'docs/runbooks',
          ),
        }),
        {},
      ),
    }),
    {},
  ),
  tenantsMayCreate: defaulted(
    object("What Kubernetes' roles edit and admin let people create in their namespaces.", {
      claims: defaulted(boolean('ResourcePoolClaims'), true),
      increases: defaulted(boolean('QuotaIncreases'), false),
      customQuotas: defaulted(boolean('CustomQuotas'), false),
    }),
    {},
  ),
  quotaServiceConfig: defaulted(text('The QuotaServiceConfig with base quotas; empty: none.'), ''),
  enforceResourceQuota: defaulted(
    choice(
      'Enforce ResourceQuotas where the cluster does not.',
      ['off', 'auto', 'admission', 'controller', 'both'],
      'off',
    ),
    'off',
  ),
  warnAt: defaulted(
    percentages(
      'At which percentages of a limit writers are warned, the page marks use, and alerts fire; empty: never. With --set a comma is written `\\,`.',
    ),
    DEFAULT_WARN_AT.join(','),
  ),
  refusalEvents: defaulted(
    boolean(
      'Record Events on the owners of workloads whose pods quotas refuse. The operator then reads Events and workloads.',
    ),
    true,
  ),
  logLevel: defaulted(
    choice('The least severe events to log.', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    'info',
  ),
  extraArgs: defaulted(listOf('Further flags of allot run.', text()), []),
  uninstall: defaulted(
    object('What happens when the release is uninstalled.', {
      generatedQuotas: defaulted(
        choice('the ResourceQuotas that allot made: they stay, or go', ['keep', 'remove'], 'keep'),
        'keep',
      ),
      crds: defaulted(boolean('delete the CRDs, and with them all pools, claims and quotas of their kinds'), false),
    }),
    {},
  ),
})
