import { eventually } from '../../eventually.ts'
import type { Answer } from '../../start-allot.ts'
import { type BareServer, forWorld, type Suite } from '../operated.ts'
import { condition, GROUP, PoolWorld } from '../pool-objects.ts'

export const GLOBAL_QUOTAS = `${GROUP}/globalcustomquotas`
export const quotasIn = (namespace: string): string => `${GROUP}/namespaces/${namespace}/customquotas`
export const ledgersIn = (namespace: string): string => `${GROUP}/namespaces/${namespace}/quantityledgers`
export const mapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`

/** Objects that every server has: config maps with an amount. */
export const MAPS = { apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size' } as const
export const COUNTED_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', op: 'count' } as const

export const map = (name: string, size = 1, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { counted: 'yes', ...labels } },
  data: { size: String(size) },
})

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Versions of a definition that takes every field. `served`: those of them that are served; the first is stored. */
export const openVersions = (names: readonly string[], served: readonly string[] = names) =>
  names.map((name, index) => ({
    name,
    served: served.includes(name),
    storage: index === 0,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }))

/** A definition of a kind in namespaces. */
export const openDefinition = (group: string, kind: string, versions: ReturnType<typeof openVersions>) => {
  const singular = kind.toLowerCase()
  const plural = `${singular}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { kind, listKind: `${kind}List`, plural, singular }, scope: 'Namespaced', versions },
  }
}

/** So many requests are worth an advance of each of several replicas. */
const AT_A_TIME = 48

/** The operations of tests on custom quotas, over one server. */
export class QuotaWorld extends PoolWorld {
  /** Creates a CustomQuota, or without a namespace a GlobalCustomQuota; resolves when it is ready. */
  async quota(namespace: string | undefined, name: string, spec: object): Promise<void> {
    const path = namespace === undefined ? GLOBAL_QUOTAS : quotasIn(namespace)
    const kind = namespace === undefined ? 'GlobalCustomQuota' : 'CustomQuota'
    await this.create(path, { apiVersion: 'capsule.clastix.io/v1beta2', kind, metadata: { name }, spec })
    await this.ready(`${path}/${name}`)
  }

  /** Waits until the quota is ready for what its spec is now. */
  async ready(path: string): Promise<void> {
    await this.until(
      path,
      (quota) =>
        quota.status?.observedGeneration === quota.metadata.generation && condition(quota, 'Ready')?.status === 'True',
    )
  }

  async used(path: string, used: string): Promise<void> {
    await this.until(path, ({ status }) => status?.usage?.used === used)
  }

  /** Sends requests, many at a time, until the ledger holds room ahead of them. */
  async untilAhead(ledger: string, send: () => Promise<unknown>): Promise<void> {
    await eventually(
      async () => {
        await Promise.all(Array.from({ length: AT_A_TIME }, send))
        return await this.read(ledger)
      },
      // An advance stands in a namespace that nobody can have.
      ({ status }) => /%n\/\d+\/\+%/.test(status.outstanding),
    )
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    return this.server.send(method, path, body)
  }
}

/** Starts or shares a server before the tests of the suite that this is called in, and lets go of it after them. */
export const forQuotas = <Server extends BareServer>(start: () => Promise<Server>): Suite<Server, QuotaWorld> =>
  forWorld(start, (server) => new QuotaWorld(server))
