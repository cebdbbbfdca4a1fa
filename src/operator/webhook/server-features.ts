import { isObject, type KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { NAMESPACES } from '../cluster/keep-namespace.ts'
import type { ServerFeatures } from './server-features-list.ts'
import { CONFIGURATION_KINDS } from '../cluster/configuration-kinds.ts'

type Asker = Pick<KubeClient, 'create' | 'get'>

/** Asks a server what it offers, with requests that are never stored. Rejects when it does not answer. */
export async function serverFeatures(client: Asker, signal: AbortSignal): Promise<ServerFeatures> {
  const [matchConditions, labelsNamespaces] = await Promise.all([
    keepsMatchConditions(client, signal),
    labelsNewNamespaces(client, signal),
  ])
  return { matchConditions, labelsNamespaces }
}

/** A webhook that is never called. A server that does not know conditions leaves them out of its answer. */
const PROBE: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: CONFIGURATION_KINDS.validating.kind,
  metadata: { generateName: 'allot-probe-' },
  webhooks: [
    {
      name: 'probe.allot.dev',
      clientConfig: { url: 'https://127.0.0.1:1' },
      rules: [
        {
          apiGroups: ['probe.allot.dev'],
          apiVersions: ['v1'],
          resources: ['probes'],
          operations: ['CREATE'],
          scope: '*',
        },
      ],
      matchConditions: [{ name: 'never', expression: 'false' }],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
}

async function labelsNewNamespaces(client: Asker, signal: AbortSignal): Promise<boolean> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'allot-probe-' } }
  try {
    return isLabelled(await client.create(NAMESPACES, namespace, { dryRun: true, signal }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  // A webhook or a policy on namespaces refuses one without labels, or does not answer because its program has ended.
  try {
    return isLabelled(await client.get(NAMESPACES, { namespace: '', name: 'kube-system' }, { signal }))
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

const isLabelled = ({ metadata }: KubeObject): boolean =>
  metadata.name !== undefined && metadata.labels?.['kubernetes.io/metadata.name'] === metadata.name

async function keepsMatchConditions(client: Asker, signal: AbortSignal): Promise<boolean> {
  try {
    const { webhooks } = await client.create(CONFIGURATION_KINDS.validating, PROBE, { dryRun: true, signal })
    return Array.isArray(webhooks) && webhooks.some((webhook) => isObject(webhook) && 'matchConditions' in webhook)
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
