import { customResources } from '../../src/systems/custom-resources.ts'
import { CAPSULE_LEASE_NAME } from '../../src/install/installed-names.ts'
import type { BareServer } from '../bare-server.ts'
import type { TlsServer } from '../kube/tls-server.ts'
import {
  COUNTED_MAPS,
  DEFINITIONS,
  GLOBAL_QUOTAS,
  ledgersIn,
  map,
  mapsIn,
  quotasIn,
} from '../operator/custom-quota/quota-world.ts'
import { created, makePrivileged } from '../operator/operator-account.ts'
import { claimsIn, GROUP, MERGE, POOLS, quotasIn as nativeQuotasIn } from '../operator/pool-objects.ts'
import { deploy } from './stand-in.ts'

export const CAPSULE = {
  namespace: 'capsule-system',
  name: 'capsule-controller-manager',
  lease: `/apis/coordination.k8s.io/v1/namespaces/capsule-system/leases/${CAPSULE_LEASE_NAME}`,
}
export const HOOKS = '/apis/admissionregistration.k8s.io/v1'
const API_VERSION = 'capsule.clastix.io/v1beta2'
const kinds = customResources.filter(({ group }) => group === 'capsule.clastix.io')

/** The objects of which nothing may differ when Capsule is back. */
export const KEPT: readonly string[] = [
  `${POOLS}/team`,
  `${claimsIn('team')}/first`,
  `${quotasIn('team')}/maps`,
  `${GLOBAL_QUOTAS}/all-maps`,
  `${ledgersIn('team')}/maps`,
  `${ledgersIn('capsule-system')}/all-maps`,
  `${nativeQuotasIn('team')}/capsule-pool-team`,
]

const condition = (type: string, status: string, reason: string, message: string): object => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

/** The CRDs of the chart of Capsule, with schemas that take every field. */
export async function makeCapsuleKinds(server: BareServer): Promise<void> {
  const tenant = { resource: 'tenants', kind: 'Tenant', namespaced: false }
  for (const { resource, kind, namespaced } of [...kinds, tenant])
    await created(server, DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${resource}.capsule.clastix.io`,
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'controller-gen.kubebuilder.io/version': 'v0.21.0' },
      },
      spec: {
        group: 'capsule.clastix.io',
        names: { kind, listKind: `${kind}List`, plural: resource, singular: kind.toLowerCase() },
        scope: namespaced ? 'Namespaced' : 'Cluster',
        versions: [
          {
            name: 'v1beta2',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        ],
      },
    })
  for (const { resource } of kinds) await server.until(`${GROUP}/${resource}`, ({ status }) => status === 200)
  await server.until(`${GROUP}/tenants`, ({ status }) => status === 200)
}

/** Objects with the statuses that Capsule 0.14 writes: a pool with a claim, and custom quotas that are full. */
export async function makeCapsuleObjects(server: BareServer): Promise<void> {
  const withStatus = async (path: string, object: object, status: object): Promise<{ readonly uid: string }> => {
    const { metadata } = await created(server, path, { apiVersion: API_VERSION, ...object })
    const { status: code, text } = await server.send('PATCH', `${path}/${metadata.name}/status`, { status }, MERGE)
    if (code !== 200) throw new Error(`${path}: ${text}`)
    return metadata
  }
  const ready = condition('Ready', 'True', 'Succeeded', 'reconciled')
  for (const name of [CAPSULE.namespace, 'team'])
    await created(server, '/api/v1/namespaces', { metadata: { name, labels: { pool: name } } })
  const hard = { 'requests.cpu': '4' }
  const pool = await withStatus(
    POOLS,
    {
      kind: 'ResourcePool',
      metadata: { name: 'team', finalizers: ['controller.projectcapsule.dev/finalize'] },
      spec: {
        selectors: [{ matchLabels: { pool: 'team' } }],
        config: { defaultsZero: false, orderedQueue: false, deleteBoundResources: false },
        quota: { hard },
      },
    },
    { conditions: [ready] },
  )
  const owner = { apiVersion: API_VERSION, kind: 'ResourcePool', name: 'team', uid: pool.uid }
  const claim = await withStatus(
    claimsIn('team'),
    {
      kind: 'ResourcePoolClaim',
      metadata: { name: 'first', ownerReferences: [owner] },
      spec: { pool: 'team', claim: { 'requests.cpu': '3' } },
    },
    {
      observedGeneration: 1,
      pool: { name: 'team', uid: pool.uid },
      conditions: [
        ready,
        condition('Exhausted', 'False', 'NoExhaustions', 'resource claimable from pool'),
        condition('Bound', 'False', 'Unused', 'claim is unused'),
      ],
    },
  )
  const allocation = { hard, used: { 'requests.cpu': '3' }, available: { 'requests.cpu': '1' } }
  const status = {
    observedGeneration: 1,
    namespaceCount: 1,
    claimCount: 1,
    namespaces: ['team'],
    claims: { team: [{ name: 'first', namespace: 'team', uid: claim.uid, claims: { 'requests.cpu': '3' } }] },
    allocation,
    conditions: [ready, condition('Exhausted', 'False', 'NoExhaustions', 'no exhaustions')],
  }
  await server.send('PATCH', `${POOLS}/team/status`, { status }, MERGE)
  await created(server, nativeQuotasIn('team'), {
    metadata: {
      name: 'capsule-pool-team',
      labels: { 'projectcapsule.dev/pool': 'team', 'projectcapsule.dev/managed-by': 'controller' },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: { hard: { 'requests.cpu': '3' } },
  })
  await server.until(`${nativeQuotasIn('team')}/capsule-pool-team`, ({ json }) => json.status?.used !== undefined)
  const counted = await created(server, mapsIn('team'), map('one'))
  const quota = {
    limit: '1',
    sources: [{ ...COUNTED_MAPS, selectors: [{ matchLabels: { counted: 'yes' } }] }],
    options: { emitMetricPerClaimUsage: false },
  }
  const one = { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'one', uid: counted.metadata.uid }
  const used = {
    observedGeneration: 1,
    usage: { used: '1', available: '0' },
    claims: [{ ...one, usage: '1' }],
    targets: [
      {
        group: '',
        version: 'v1',
        kind: 'ConfigMap',
        op: 'count',
        scope: 'namespace',
        selectors: [{ matchLabels: { counted: 'yes' } }],
      },
    ],
    conditions: [ready],
  }
  const globally = { ...used, namespaces: ['*'] }
  for (const [path, kind, name, now, namespace] of [
    [quotasIn('team'), 'CustomQuota', 'maps', used, 'team'],
    [GLOBAL_QUOTAS, 'GlobalCustomQuota', 'all-maps', globally, CAPSULE.namespace],
  ] as const) {
    const { uid } = await withStatus(path, { kind, metadata: { name }, spec: quota }, now)
    await withStatus(
      ledgersIn(namespace),
      {
        kind: 'QuantityLedger',
        metadata: {
          name,
          labels: { 'capsule.clastix.io/managed-by': 'controller' },
          ownerReferences: [{ apiVersion: API_VERSION, kind, name, uid, controller: true, blockOwnerDeletion: true }],
        },
        spec: {
          targetRef: {
            apiGroup: 'capsule.clastix.io',
            kind,
            name,
            uid,
            ...(kind === 'CustomQuota' ? { namespace } : {}),
          },
        },
      },
      { reserved: '0', allocated: '1', reservations: [], pendingDeletes: [] },
    )
  }
}

/** Runs Capsule, as far as a cluster shows it: a Deployment, a Lease and webhooks, which `answers` answers. */
export async function makeCapsule(server: BareServer, answers: TlsServer, version = 'v0.14.0'): Promise<void> {
  const { namespace, name, lease } = CAPSULE
  const image = `ghcr.io/projectcapsule/capsule:${version}`
  await created(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'capsule-counts', labels: { 'projectcapsule.dev/aggregate-to-controller': 'true' } },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
  })
  await makePrivileged(server, namespace)
  await created(server, lease.replace(/\/[^/]+$/, ''), {
    metadata: { name: CAPSULE_LEASE_NAME },
    spec: { leaseDurationSeconds: 3 },
  })
  await deploy(server, { namespace, name, image, replicas: 2 })
  const caBundle = Buffer.from(answers.authority.certificate).toString('base64')
  const hook = (path: string, hookName: string, groups: string, resource: string, operations: readonly string[]) => ({
    name: hookName,
    clientConfig: { url: `https://127.0.0.1:${answers.port}${path}`, caBundle },
    rules: [{ apiGroups: [groups], apiVersions: ['*'], operations, resources: [resource], scope: '*' }],
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 5,
    admissionReviewVersions: ['v1'],
  })
  const own = 'capsule.clastix.io'
  const written = ['CREATE', 'UPDATE']
  const mutating = [
    hook('/resourcepools/mutating', 'resourcepools.mutating.projectcapsule.dev', own, 'resourcepools', written),
    hook(
      '/resourcepools/claim/mutating',
      'resourcepoolclaims.mutating.projectcapsule.dev',
      own,
      'resourcepoolclaims',
      written,
    ),
  ]
  const validating = [
    hook('/namespaces/validating', 'namespaces.tenants.projectcapsule.dev', '', 'namespaces', [...written, 'DELETE']),
    hook('/resourcepools/validating', 'resourcepools.validating.projectcapsule.dev', own, 'resourcepools', written),
    hook(
      '/custom-quotas/namespaced/validating',
      'namespaced.custom-quotas.validating.projectcapsule.dev',
      own,
      'customquotas',
      written,
    ),
    hook(
      '/custom-quotas/calculations',
      'calculation.custom-quotas.validating.projectcapsule.dev',
      '',
      'configmaps',
      written,
    ),
  ]
  for (const [kind, webhooks] of [
    ['Mutating', mutating],
    ['Validating', validating],
  ] as const)
    await created(server, `${HOOKS}/${kind.toLowerCase()}webhookconfigurations`, {
      metadata: {
        name: `capsule-${kind.toLowerCase()}-webhook-configuration`,
        labels: { 'app.kubernetes.io/name': 'capsule' },
      },
      webhooks,
    })
}
