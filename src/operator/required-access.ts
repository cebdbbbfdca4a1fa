import type { Need } from '../install/rbac/need.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { isObject } from '../machinery/object.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import { eachOnce } from '../runtime/tasks/each-once.ts'

/** How many a message names: one line is to stay readable. */
const MOST_NAMED = 6

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
 * Returns a step that asks the API server what the operator may do. It can be repeated, and asks only what was not answered then. It rejects
 * with a StartupError that names what is missing in one line.
 */
export function requiredAccess(
  client: KubeClient,
  needs: readonly Need[],
  systemNamespace: string,
  signal: AbortSignal,
): () => Promise<void> {
  // Several systems need the same.
  const asked = [...new Map(needs.flatMap((need) => questions(need, systemNamespace))).values()]
  const refused = new Set<Asked>()
  const ask = eachOnce(asked, async (one) => {
    if (!(await isAllowed(client, one, signal))) refused.add(one)
  })
  return async () => {
    await ask()
    const missing = asked.filter((one) => refused.has(one)).map(worded)
    if (missing.length === 0) return
    const more = missing.length - MOST_NAMED
    throw new StartupError(
      'access-missing',
      `the API server does not allow to ${missing.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    )
  }
}

function questions(need: Need, systemNamespace: string): readonly (readonly [string, Asked])[] {
  const { group, resource, subresource = '', verbs, names = [''], inSystemNamespace = false } = need
  const namespace = inSystemNamespace ? systemNamespace : ''
  return verbs.flatMap((verb) =>
    names.map((name) => {
      const asked = { verb, group, resource, subresource, namespace, name }
      return [worded(asked), asked] as const
    }),
  )
}

async function isAllowed(client: KubeClient, asked: Asked, signal: AbortSignal): Promise<boolean> {
  const review = await client.request(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: asked },
    },
    { signal },
  )
  const status = isObject(review) ? review['status'] : undefined
  return isObject(status) && status['allowed'] === true
}

function worded({ verb, group, resource, subresource, namespace, name }: Asked): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  return `${verb} ${what}${name === '' ? '' : ` ${name}`}${namespace === '' ? '' : ` in ${namespace}`}`
}
