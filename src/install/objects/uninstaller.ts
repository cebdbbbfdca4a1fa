import {
  from,
  hole,
  isSet,
  joined,
  NAMESPACE,
  type ObjectTemplate,
  type TemplateObject,
  unlessEmpty,
  value,
  when,
} from '../template/template.ts'
import { clusterMetadata, metadata } from '../template/common-metadata.ts'
import { PULL_SECRETS, PULLED, RESTRICTED, RESTRICTED_POD } from './deployment.ts'

/** Of the Job before a release is deleted, and of the account that it runs as: they are there only while it runs. */
const UNINSTALLER = 'allot-uninstall'
const RBAC = 'rbac.authorization.k8s.io'
const PATIENCE_SECONDS = 600

/** Helm makes what has the lower weight first. */
const hooked = (of: TemplateObject, weight: number): TemplateObject => ({
  ...of,
  annotations: {
    'helm.sh/hook': 'pre-delete',
    'helm.sh/hook-weight': String(weight),
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  },
})

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): TemplateObject => ({
  apiGroups: [group],
  resources,
  verbs,
})

/** The rights of `allot uninstall` while the objects of the release stay, which Helm deletes. */
const RULES: readonly TemplateObject[] = [
  rule('apps', ['deployments'], ['get', 'patch']),
  rule('', ['pods'], ['list']),
  rule('', ['namespaces'], ['get', 'list', 'patch']),
  rule('', ['limitranges', 'resourcequotas'], ['list', 'patch', 'delete']),
  rule('', ['secrets', 'configmaps'], ['get', 'delete']),
  rule('coordination.k8s.io', ['leases'], ['get', 'list', 'delete']),
  rule(RBAC, ['clusterroles', 'clusterrolebindings'], ['list']),
  rule(
    'admissionregistration.k8s.io',
    ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    ['get', 'list', 'delete'],
  ),
  rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get', 'delete']),
  ...['capsule.clastix.io', 'openmcp.cloud', 'quota.karmada.io'].map((group) =>
    rule(group, ['*'], ['get', 'list', 'patch', 'delete']),
  ),
]

/** The last that a release does: what Helm does not know of goes, in an order in which nothing is refused and nothing stays. */
export const UNINSTALL_HOOK: readonly ObjectTemplate[] = [
  {
    file: 'uninstall-serviceaccount',
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: hooked(metadata(UNINSTALLER), -2),
      automountServiceAccountToken: false,
    },
  },
  {
    file: 'uninstall-clusterrole',
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: hooked(clusterMetadata(UNINSTALLER), -2),
      rules: RULES,
    },
  },
  {
    file: 'uninstall-clusterrolebinding',
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: hooked(clusterMetadata(UNINSTALLER), -1),
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: UNINSTALLER },
      subjects: [{ kind: 'ServiceAccount', name: UNINSTALLER, namespace: hole(NAMESPACE) }],
    },
  },
  {
    file: 'uninstall-job',
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: hooked(metadata(UNINSTALLER), 0),
      spec: {
        backoffLimit: 3,
        activeDeadlineSeconds: PATIENCE_SECONDS,
        template: {
          metadata: { labels: { 'app.kubernetes.io/component': 'uninstall' } },
          spec: {
            serviceAccountName: UNINSTALLER,
            automountServiceAccountToken: true,
            restartPolicy: 'Never',
            securityContext: RESTRICTED_POD,
            ...PULL_SECRETS,
            nodeSelector: unlessEmpty('nodeSelector'),
            tolerations: unlessEmpty('tolerations'),
            containers: [
              {
                name: UNINSTALLER,
                ...PULLED,
                args: [
                  'uninstall',
                  '--keep-installed',
                  hole(joined('--namespace=', NAMESPACE)),
                  hole(joined('--generated-quotas=', value('uninstall.generatedQuotas'))),
                  when(isSet('uninstall.crds'), '--crds'),
                ],
                resources: from('resources'),
                securityContext: RESTRICTED,
              },
            ],
          },
        },
      },
    },
  },
]
