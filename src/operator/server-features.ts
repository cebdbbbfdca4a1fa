import { isObject, type KubeObject } from '../machinery/object.ts'
import { ApiError } from '../machinery/status.ts'
import type { KubeClient } from '../kube/kube-client.ts'
import { CONFIGURATION_KINDS } from './webhook-configuration.ts'

/** What the operator uses where an API server offers it (design, "How it runs": found out, never told from a version). */
export interface ServerFeatures {
  /** `matchConditions` of webhooks, from 1.28. */
  readonly matchConditions: boolean
}

type Asker = Pick<KubeClient, 'create'>

/** Asks a server what it offers, with requests that are never stored. Rejects when it does not answer. */
export async function serverFeatures(client: Asker, signal: AbortSignal): Promise<ServerFeatures> {
  return { matchConditions: await keepsMatchConditions(client, signal) }
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

async function keepsMatchConditions(client: Asker, signal: AbortSignal): Promise<boolean> {
  try {
    const { webhooks } = await client.create(CONFIGURATION_KINDS.validating, PROBE, { dryRun: true, signal })
    return Array.isArray(webhooks) && webhooks.some((webhook) => isObject(webhook) && 'matchConditions' in webhook)
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
