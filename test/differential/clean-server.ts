import { Agent } from 'undici'
import { customResources } from '../../src/systems/custom-resources.ts'
import { isObject } from '../../src/machinery/object.ts'
import { deepDerivative } from '../../src/operator/cluster/deep-derivative.ts'
import { eventually } from '../eventually.ts'

export interface CleanableServer {
  readonly url: string
  /** An administrator's. */
  readonly token: string
}

interface Listed {
  readonly metadata: {
    readonly name: string
    readonly uid?: string
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
}

interface ServedResource {
  /** Of the API version. */
  readonly root: string
  readonly name: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

const DEFINITIONS = 'customresourcedefinitions'
const NAMESPACES = 'namespaces'
const MERGE = 'application/merge-patch+json'
const AT_ONCE = 'gracePeriodSeconds=0'
/** The resources whose objects are gone only when all their content is. */
const SLOW = new Set([NAMESPACES, DEFINITIONS])
/** The objects that the server makes for itself, by resource. Of other resources an object stays whose labels mark it as the server's own. */
const KEPT: Readonly<Record<string, RegExp>> = {
  namespaces: /^(?:default|kube-system|kube-public|kube-node-lease)$/,
  nodes: /^fake-0$/,
  priorityclasses: /^system-/,
  services: /^kubernetes$/,
  endpoints: /^kubernetes$/,
  endpointslices: /^kubernetes$/,
  configmaps: /^(?:kube-root-ca\.crt|extension-apiserver-authentication)$/,
  serviceaccounts: /^default$/,
  // The token of an account goes with it.
  secrets: /-token-\w+$/,
}
/** Whose objects the server alone makes, or that say nothing of the next test. */
const LEFT_ALONE = new Set(['apiservices', 'componentstatuses', 'events', 'flowschemas', 'prioritylevelconfigurations'])
const BOOTSTRAPPED = 'kubernetes.io/bootstrapping'
const SYSTEM = /^kube-/

export interface Cleaned {
  /** The uids of the CRDs of allot that are left as `allot run` installed them. */
  readonly kept: readonly string[]
  /** Did tests leave other CRDs, which are gone now? */
  readonly isAnyRemoved: boolean
}

/**
 * Removes all that tests made on a real API server whose controller manager stands still. Resolves when it is gone. For each namespace
 * that goes, a manager has the objects of every resource deleted, also where there are none: a seventh of a second of CPU time. Here each
 * resource is listed once, and a namespace is finalized when its objects are deleted. The CRDs of allot
 * stay without their objects: after each change of a CRD, API servers of the version that tests use publish all schemas anew.
 * To install these and to delete them costs 4 seconds of CPU time.
 */
export async function cleanServer({ url, token }: CleanableServer): Promise<Cleaned> {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 8 })
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': method === 'PATCH' ? MERGE : 'application/json' }),
    }
    const answer = await agent.request({
      origin: url,
      method,
      path,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 400 && ![404, 405, 409].includes(answer.statusCode))
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return answer.statusCode >= 400 ? {} : JSON.parse(text)
  }
  const list = async ({ root, name }: ServedResource): Promise<readonly Listed[]> =>
    ((await send('GET', `${root}/${name}`)) as { readonly items?: readonly Listed[] }).items ?? []
  const remove = async (resource: ServedResource): Promise<void> => {
    const [ending, others] = parted(await list(resource), ({ metadata }) => ends(metadata.namespace))
    const collection = (namespace: string): string => `${resource.root}/namespaces/${namespace}/${resource.name}`
    const pathOf = ({ metadata: { name, namespace } }: Listed): string =>
      `${namespace === undefined ? `${resource.root}/${resource.name}` : collection(namespace)}/${name}`
    const isCollected = resource.verbs.includes('deletecollection')
    if (isCollected)
      for (const namespace of new Set(ending.map(({ metadata }) => metadata.namespace ?? '')))
        await send('DELETE', `${collection(namespace)}?${AT_ONCE}`)
    const single = others.filter((object) => isOfTests(resource, object))
    isAnyRemoved ||= resource.name === DEFINITIONS && single.length > 0
    for (const object of [...single, ...(isCollected ? [] : ending)])
      await send('DELETE', `${pathOf(object)}?${AT_ONCE}`)
    if (SLOW.has(resource.name)) return
    for (const object of [...single, ...ending])
      if (object.metadata.finalizers !== undefined)
        await send('PATCH', pathOf(object), { metadata: { finalizers: null } })
  }
  let isAnyRemoved = false
  const gone = new Set<string>()
  const ends = (namespace: string | undefined): boolean => namespace !== undefined && gone.has(namespace)
  try {
    const resources = await served(send)
    const [hooks, others] = parted(resources, ({ name }) => name.endsWith('webhookconfigurations'))
    const [slow, quick] = parted(others, ({ name }) => SLOW.has(name))
    for (const one of hooks) await remove(one)
    for (const one of slow.filter(({ name }) => name === NAMESPACES))
      for (const object of (await list(one)).filter((object) => isOfTests(one, object))) gone.add(object.metadata.name)
    for (const one of [...slow, ...quick]) await remove(one)
    for (const name of gone) {
      await send('DELETE', `/api/v1/namespaces/${name}/events`)
      await send('PUT', `/api/v1/namespaces/${name}/finalize`, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
        spec: { finalizers: [] },
      })
    }
    const rest = async (): Promise<readonly string[]> => {
      const left = await Promise.all(
        slow.map(async (one) => (await list(one)).filter((object) => isOfTests(one, object))),
      )
      return left.flat().map(({ metadata }) => metadata.name)
    }
    await eventually(rest, ({ length }) => length === 0, { patienceMs: 60_000, what: 'the server of other tests' })
    const definitions = await Promise.all(slow.filter(({ name }) => name === DEFINITIONS).map(list))
    return { kept: definitions.flat().map(({ metadata }) => metadata.uid ?? ''), isAnyRemoved }
  } finally {
    await agent.destroy()
  }
}

function isOfTests({ name, namespaced }: ServedResource, object: Listed): boolean {
  const { metadata } = object
  const { labels = {}, namespace = '' } = metadata
  if (name === DEFINITIONS) return !isAsInstalled(object)
  if (labels[BOOTSTRAPPED] !== undefined || KEPT[name]?.test(metadata.name) === true) return false
  return !(namespaced && name === 'serviceaccounts' && SYSTEM.test(namespace))
}

/** Is it a CRD of allot that nobody changed since it was installed? The items of a list do not say what they are. */
function isAsInstalled(definition: Listed): boolean {
  const { name, generation, deletionTimestamp } = definition.metadata
  const own = customResources.find(({ resource, group }) => name === `${resource}.${group}`)
  if (own === undefined || generation !== 1 || deletionTimestamp !== undefined) return false
  const { apiVersion, kind } = own.crd
  return deepDerivative({ ...definition, apiVersion, kind }, asStored(own.crd))
}

/** Without the parts of a CRD that API servers of the version that tests use do not store. */
const asStored = (crd: object): unknown =>
  JSON.parse(JSON.stringify(crd), (name, value: unknown) => {
    const isDropped = name === 'x-kubernetes-validations' || (Array.isArray(value) && value.length === 0)
    return isDropped ? undefined : value
  })

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

/** All resources whose objects can be listed and deleted, each in one version. */
async function served(send: (method: string, path: string) => Promise<unknown>): Promise<readonly ServedResource[]> {
  const { groups } = (await send('GET', '/apis')) as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
  }
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const found = await Promise.all(
    roots.map(async (root) => {
      const answer = await send('GET', root)
      const resources = isObject(answer) ? ((answer['resources'] ?? []) as readonly ServedResource[]) : []
      return resources.map((resource) => ({ ...resource, root }))
    }),
  )
  return found
    .flat()
    .filter(
      ({ name, verbs }) =>
        !name.includes('/') && !LEFT_ALONE.has(name) && verbs.includes('list') && verbs.includes('delete'),
    )
}
