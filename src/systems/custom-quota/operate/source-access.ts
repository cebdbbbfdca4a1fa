import type { QuotaSource } from '../api/source.ts'
import { kindText, sourceKind } from '../decide/source-kind.ts'
import type { SubjectAccessReview } from '../../../builtin/authorization-v1.ts'
import { objectOf, statusOf } from '../../../machinery/read.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { UserInfo } from '../../../runtime/admission/request.ts'
import type { ServedKinds } from '../../../operator/shell/served-kinds.ts'

export interface SourceAccessOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly served: Pick<ServedKinds, 'find'>
}

/** A list that the author of a quota must be allowed to make. */
interface Listing {
  readonly group: string
  readonly version: string
  /** `*` for a kind that the API server does not serve yet, since its resource is unknown. */
  readonly resource: string
  readonly source: string
}

/**
 * Why a user may not have a quota count these sources; undefined where the user may. The operator counts with its own
 * permissions, and a quota shows what it counts, so its author must be allowed to list it. `namespace`: where the quota
 * counts, empty for all namespaces. Rejects as `KubeClient` does.
 */
export async function sourceAccessProblem(
  { client, served }: SourceAccessOptions,
  user: UserInfo,
  namespace: string,
  sources: readonly QuotaSource[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const listings = new Map<string, Listing>()
  for (const [index, source] of sources.entries()) {
    const kind = sourceKind(source)
    const resource = await served.find(kind, { signal })
    const { group, version } = resource ?? kind
    const listing = {
      group,
      version: version === '' ? '*' : version,
      resource: resource?.resource ?? '*',
      source: `spec.sources[${index}] (${kindText(kind)})`,
    }
    const key = `${listing.group}/${listing.version}/${listing.resource}`
    if (!listings.has(key)) listings.set(key, listing)
  }
  const asked = [...listings.values()]
  const allowed = await Promise.all(asked.map((listing) => mayList(client, user, namespace, listing, signal)))
  const missing = asked.filter((_, index) => allowed[index] !== true)
  if (missing.length === 0) return undefined
  const where = namespace === '' ? 'in all namespaces' : `in the namespace ${JSON.stringify(namespace)}`
  const what = missing.map((listing) => `${worded(listing)} for ${listing.source}`).join(', ')
  return `user ${JSON.stringify(user.username)} must be allowed to list what the quota counts ${where}; the verb list is missing on ${what}`
}

const worded = ({ group, resource }: Listing): string => {
  const of = group === '' ? '' : `.${group}`
  return resource === '*' ? `all resources${group === '' ? '' : ` of ${group}`}` : `${resource}${of}`
}

async function mayList(
  client: SourceAccessOptions['client'],
  { username, uid, groups, extra }: UserInfo,
  namespace: string,
  { group, version, resource }: Listing,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await client.request(
    'POST',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: username,
        ...(uid === '' ? {} : { uid }),
        groups,
        extra,
        resourceAttributes: { verb: 'list', group, version, resource, ...(namespace === '' ? {} : { namespace }) },
      },
    },
    { signal },
  )
  return statusOf(objectOf(answer) as SubjectAccessReview).allowed === true
}
