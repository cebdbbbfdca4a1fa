import type { Deployment } from '../../builtin/apps-v1.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, textAt, textOf, valueAt } from '../../machinery/read.ts'
import type { ClusterObjects } from '../../uninstall/cluster-objects.ts'

/** A custom quota of a cluster. */
export interface FoundQuota {
  readonly uid: string
  /** As people name it. */
  readonly name: string
  readonly isReady: boolean
  /** The resources that it counts, as `resource.group`; kinds that the API server does not serve are left out. */
  readonly counts: readonly string[]
}

/** All custom quotas. */
export async function lookAtQuotas(objects: ClusterObjects): Promise<readonly FoundQuota[]> {
  const found: FoundQuota[] = []
  const known = new Map<string, string>()
  const resourceOf = async (apiVersion: string, kind: string): Promise<string> => {
    const key = `${apiVersion} ${kind}`
    const { group = '', resource = '' } = known.has(key) ? {} : ((await objects.kindOf(apiVersion, kind)) ?? {})
    if (!known.has(key)) known.set(key, group === '' ? resource : `${resource}.${group}`)
    return known.get(key) ?? ''
  }
  for (const kind of [customQuota, globalCustomQuota])
    for (const quota of await objects.list(kind)) {
      const counts = await Promise.all(
        objectsOf(valueAt(quota, 'spec', 'sources')).map((source) =>
          resourceOf(textOf(source['apiVersion']) || 'v1', textOf(source['kind'])),
        ),
      )
      const { namespace, name = '', uid = '' } = quota.metadata
      found.push({
        uid,
        name: `${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
        isReady: isReady(quota),
        counts: [...new Set(counts.filter((one) => one !== ''))],
      })
    }
  return found
}

const isReady = (quota: KubeObject): boolean =>
  objectsOf(valueAt(quota, 'status', 'conditions')).some(({ type, status }) => type === 'Ready' && status === 'True')

/** Which of these resources the ServiceAccount of a Deployment may not list and watch. */
export async function unlistable(
  client: Pick<KubeClient, 'request'>,
  deployment: Deployment,
  resources: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const namespace = deployment.metadata.namespace ?? ''
  const account = textAt(deployment, 'spec', 'template', 'spec', 'serviceAccountName') || 'default'
  const missing: string[] = []
  for (const one of resources) {
    const [resource = '', ...group] = one.split('.')
    for (const verb of ['list', 'watch']) {
      const review = await client.request(
        'POST',
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: `system:serviceaccount:${namespace}:${account}`,
            groups: ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`],
            resourceAttributes: { verb, group: group.join('.'), resource },
          },
        },
        { signal },
      )
      if (valueAt(review, 'status', 'allowed') !== true && !missing.includes(one)) missing.push(one)
    }
  }
  return missing
}
