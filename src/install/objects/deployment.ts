import { DEFAULT_WARN_AT } from '../../charges/usage-warnings.ts'
import {
  any,
  choice,
  type ChartCondition,
  from,
  hole,
  isEqual,
  isPresent,
  isSet,
  Items,
  joined,
  json,
  member,
  NAMESPACE,
  not,
  type ObjectTemplate,
  type ChartTemplate,
  type TemplateObject,
  unlessEmpty,
  value,
  VERSION,
  when,
} from '../template/template.ts'
import { INSTALLED_NAME, POD_LABELS } from '../installed-names.ts'
import { metadata } from '../template/common-metadata.ts'
import { HAS_CERTIFICATE_FILES } from './certificate.ts'
import { DASHBOARD_PORT, HAS_DASHBOARD, PORTS } from './ports.ts'

/** No user of the image's own: numbers that no system gives to people. */
const USER = 65_532

/** The image by its digest, which no registry can change, else by its tag. */
const IMAGE = joined(
  value('image.repository'),
  choice(
    isSet('image.digest'),
    joined('@', value('image.digest')),
    joined(':', choice(isSet('image.tag'), value('image.tag'), VERSION)),
  ),
)

const CERTIFICATES = '/etc/allot/tls'
const CONFIGURATION = '/etc/allot/configuration'
/** The values by which custom quotas decide, which `allot run` reads as they stand in the chart. */
const CALCULATIONS = 'webhooks.hooks.calculations'
const CALCULATIONS_FILE = 'calculations.json'
const CALCULATIONS_ANNOTATION = 'allot.dev/calculations'
/** Without any it is as if nothing were said. */
const HAS_CALCULATIONS: ChartCondition = any(
  not(isSet(`${CALCULATIONS}.enabled`)),
  ...['namespaceSelector', 'rules', 'matchConditions'].map((name) => isPresent(CALCULATIONS, name)),
)
const HAS_VOLUMES = any(HAS_CERTIFICATE_FILES, HAS_CALCULATIONS)

/** As the pod security standard `restricted` asks of a container, with a read-only root. */
export const RESTRICTED: TemplateObject = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
export const RESTRICTED_POD: TemplateObject = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
}
/** The image, and how it is pulled. */
export const PULLED: TemplateObject = { image: hole(IMAGE), imagePullPolicy: from('image.pullPolicy') }
export const PULL_SECRETS: TemplateObject = { imagePullSecrets: unlessEmpty('imagePullSecrets') }

const flag = (name: string, path: string): ChartTemplate => hole(joined(`--${name}=`, value(path)))

const ARGS: readonly ChartTemplate[] = [
  'run',
  hole(joined('--system-namespace=', NAMESPACE)),
  hole(joined('--webhook-service=', NAMESPACE, `/${INSTALLED_NAME}:`, value('webhooks.service.port'))),
  ...PORTS.map(({ name, port }) => `--${name}-port=${port}`),
  flag('webhook-timeout', 'webhooks.timeoutSeconds'),
  when(isEqual('webhooks.callers', 'proven'), '--webhook-callers=proven'),
  flag('log-level', 'logLevel'),
  when(not(isEqual('warnAt', DEFAULT_WARN_AT.join(','))), flag('warn-at', 'warnAt')),
  when(isSet('metrics.auth'), '--metrics-auth'),
  when(isSet(HAS_DASHBOARD), '--dashboard'),
  when(isSet(HAS_DASHBOARD), `--${DASHBOARD_PORT.name}-port=${DASHBOARD_PORT.port}`),
  ...['cert=tls.crt', 'key=tls.key', 'ca=ca.crt'].map((file) =>
    when(HAS_CERTIFICATE_FILES, `--tls-${file.replace('=', `=${CERTIFICATES}/`)}`),
  ),
  when(HAS_CALCULATIONS, `--custom-quota-webhook=${CONFIGURATION}/${CALCULATIONS_FILE}`),
  when(isSet('quotaServiceConfig'), flag('quota-service-config', 'quotaServiceConfig')),
  when(not(isEqual('enforceResourceQuota', 'off')), flag('enforce-resourcequota', 'enforceResourceQuota')),
  when(not(isSet('refusalEvents')), '--no-refusal-events'),
  new Items('extraArgs'),
]

const probe = (page: string): TemplateObject => ({ httpGet: { path: `/${page}`, port: 'health' } })

const containerPort = ({ serves, port }: (typeof PORTS)[number] | typeof DASHBOARD_PORT): TemplateObject => ({
  name: serves,
  containerPort: port,
  protocol: 'TCP',
})

const CONTAINER: TemplateObject = {
  name: INSTALLED_NAME,
  ...PULLED,
  args: ARGS,
  ports: [...PORTS.map(containerPort), when(isSet(HAS_DASHBOARD), containerPort(DASHBOARD_PORT))],
  livenessProbe: { ...probe('livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
  readinessProbe: { ...probe('readyz'), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 3 },
  resources: from('resources'),
  securityContext: RESTRICTED,
  volumeMounts: when(HAS_VOLUMES, [
    when(HAS_CERTIFICATE_FILES, { name: 'certificate', mountPath: CERTIFICATES, readOnly: true }),
    when(HAS_CALCULATIONS, { name: 'configuration', mountPath: CONFIGURATION, readOnly: true }),
  ]),
}

/** Replicas go to different zones and nodes where they can, and run where they cannot. */
const spread = (topologyKey: string): TemplateObject => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: POD_LABELS },
})

/** The replicas of `allot run`. */
export const DEPLOYMENT: ObjectTemplate = {
  file: 'deployment',
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(),
    spec: {
      replicas: from('replicas'),
      selector: { matchLabels: POD_LABELS },
      // One replica at a time, and a new one before an old one goes: somebody always answers.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: {
          labels: POD_LABELS,
          // A change here starts new pods, as a change of the file has to.
          annotations: when(HAS_CALCULATIONS, {
            [CALCULATIONS_ANNOTATION]: hole(
              json(member('webhooks', member('hooks', member('calculations', value(CALCULATIONS))))),
            ),
          }),
        },
        spec: {
          serviceAccountName: INSTALLED_NAME,
          automountServiceAccountToken: true,
          priorityClassName: unlessEmpty('priorityClass.name'),
          securityContext: RESTRICTED_POD,
          ...PULL_SECRETS,
          nodeSelector: unlessEmpty('nodeSelector'),
          tolerations: unlessEmpty('tolerations'),
          affinity: unlessEmpty('affinity'),
          topologySpreadConstraints: [spread('topology.kubernetes.io/zone'), spread('kubernetes.io/hostname')],
          containers: [CONTAINER],
          volumes: when(HAS_VOLUMES, [
            when(HAS_CERTIFICATE_FILES, {
              name: 'certificate',
              secret: { secretName: from('certificate.secretName') },
            }),
            when(HAS_CALCULATIONS, {
              name: 'configuration',
              downwardAPI: {
                items: [
                  {
                    path: CALCULATIONS_FILE,
                    fieldRef: { fieldPath: `metadata.annotations['${CALCULATIONS_ANNOTATION}']` },
                  },
                ],
              },
            }),
          ]),
        },
      },
    },
  },
}
