import type { SelfSubjectAccessReview } from '../../builtin/authorization-v1.ts'
import { objectOf, statusOf } from '../../machinery/read.ts'
import type { Need } from '../../install/rbac/need.ts'
import { eachOnce } from '../../runtime/tasks/each-once.ts'
import type { KubeClient } from './kube-client.ts'

/** A question to the API server. */
interface Asked {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  /** Empty: all namespaces, all names. */
  readonly namespace: string
  readonly name: string
}

/**
 * Returns a step that asks the API server what the caller, or another user, may do. It can be repeated, and asks only what was not answered then. It resolves
 * with a sentence that names all that is missing; undefined where nothing is.
 */
export function missingAccess(
  client: Pick<KubeClient, 'request'>,
  needs: readonly Need[],
  systemNamespace: string,
  signal: AbortSignal,
  user?: ReviewedUser,
): () => Promise<string | undefined> {
  // Several systems need the same.
  const asked = [...new Map(needs.flatMap((need) => questions(need, systemNamespace))).values()]
  const refused = new Set<Asked>()
  const ask = eachOnce(asked, async (one) => {
    if (!(await isAllowed(client, one, signal, user))) refused.add(one)
  })
  return async () => {
    await ask()
    const missing = Map.groupBy(
      asked.filter((one) => refused.has(one)),
      shownObjects,
    )
    if (missing.size === 0) return undefined
    const rights = [...missing].map(([objects, all]) => `${all.map(({ verb }) => verb).join('/')} ${objects}`)
    return `the API server does not allow to ${rights.join(', ')}`
  }
}

function questions(need: Need, systemNamespace: string): readonly (readonly [string, Asked])[] {
  const { group, resource, subresource = '', verbs, names = [''], inSystemNamespace = false } = need
  const namespace = inSystemNamespace ? systemNamespace : ''
  return verbs.flatMap((verb) =>
    names.map((name) => {
      const asked = { verb, group, resource, subresource, namespace, name }
      return [`${verb} ${shownObjects(asked)}`, asked] as const
    }),
  )
}

/** Somebody else whose rights are asked for. */
export interface ReviewedUser {
  readonly user: string
  readonly groups: readonly string[]
}

/** May the caller, or another user, do this? Rejects as `KubeClient` does. */
export async function isAllowed(
  client: Pick<KubeClient, 'request'>,
  asked: Asked,
  signal: AbortSignal,
  user?: ReviewedUser,
): Promise<boolean> {
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview'
  const review: Partial<SelfSubjectAccessReview> = objectOf(
    await client.request(
      'POST',
      `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
      { apiVersion: 'authorization.k8s.io/v1', kind, spec: { ...user, resourceAttributes: asked } },
      { signal },
    ),
  )
  return statusOf(review).allowed === true
}

function shownObjects({ group, resource, subresource, namespace, name }: Asked): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  return `${what}${name === '' ? '' : ` ${name}`}${namespace === '' ? '' : ` in ${namespace}`}`
}
