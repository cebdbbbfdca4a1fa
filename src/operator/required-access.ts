import { isObject } from '../machinery/object.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import { eachOnce } from '../runtime/tasks/each-once.ts'

/** One permission that the operator cannot do without, in all namespaces unless one is named. */
export interface Need {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly verbs: readonly string[]
  readonly namespace?: string
}

/** How many a message names: one line is to stay readable. */
const MOST_NAMED = 6

/**
 * Returns a step that asks the API server what the operator may do. It can be repeated, and asks only what was not answered then. It rejects
 * with a StartupError that names what is missing in one line.
 */
export function requiredAccess(client: KubeClient, needs: readonly Need[], signal: AbortSignal): () => Promise<void> {
  const asked = needs.flatMap((need) => need.verbs.map((verb) => ({ need, verb })))
  const refused = new Set<(typeof asked)[number]>()
  const ask = eachOnce(asked, async (one) => {
    if (!(await isAllowed(client, one.need, one.verb, signal))) refused.add(one)
  })
  return async () => {
    await ask()
    const missing = asked.filter((one) => refused.has(one)).map(({ need, verb }) => worded(need, verb))
    if (missing.length === 0) return
    const more = missing.length - MOST_NAMED
    throw new StartupError(
      'access-missing',
      `the API server does not allow to ${missing.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    )
  }
}

async function isAllowed(client: KubeClient, need: Need, verb: string, signal: AbortSignal): Promise<boolean> {
  const { group, resource, subresource = '', namespace = '' } = need
  const review = await client.request(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group, resource, subresource, verb, namespace } },
    },
    { signal },
  )
  const status = isObject(review) ? review['status'] : undefined
  return isObject(status) && status['allowed'] === true
}

function worded({ group, resource, subresource, namespace }: Need, verb: string): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
  return `${verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}`
}

/** The permissions that the operator itself needs, whatever systems it runs. */
export const operatorNeeds = (systemNamespace: string): readonly Need[] => [
  { group: '', resource: 'namespaces', verbs: ['get', 'create'] },
  { group: '', resource: 'secrets', verbs: ['get', 'create', 'update'], namespace: systemNamespace },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'list'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['create', 'update'], namespace: systemNamespace },
  { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] },
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((resource) => ({
    group: 'admissionregistration.k8s.io',
    resource,
    verbs: ['list', 'watch', 'create', 'update'],
  })),
]
