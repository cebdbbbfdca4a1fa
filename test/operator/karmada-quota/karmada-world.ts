import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Answer } from '../../start-allot.ts'
import { DEFINITIONS } from '../custom-quota/quota-world.ts'
import { type BareServer, forWorld, type Suite } from '../operated.ts'
import { PoolWorld } from '../pool-objects.ts'

export const kquotasIn = (namespace: string): string =>
  `/apis/quota.karmada.io/v1alpha1/namespaces/${namespace}/karmadaquotas`
export const bindingsIn = (namespace: string): string =>
  `/apis/work.karmada.io/v1alpha2/namespaces/${namespace}/resourcebindings`

type Amounts = Readonly<Record<string, string>>

/** The pods of a binding, and where they run. */
export interface Pods {
  readonly requests?: Amounts
  readonly priorityClassName?: string
  readonly replicas?: number
  /** By the names of the clusters. */
  readonly clusters?: Readonly<Record<string, number>>
}

/** The spec of a binding of a Deployment. */
export function deployed({ requests, priorityClassName, replicas, clusters }: Pods, name = 'web') {
  return {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    ...(replicas === undefined ? {} : { replicas }),
    ...(requests === undefined && priorityClassName === undefined
      ? {}
      : { replicaRequirements: { resourceRequest: requests ?? {}, ...(priorityClassName && { priorityClassName }) } }),
    ...(clusters && {
      clusters: Object.entries(clusters).map(([cluster, count]) => ({ name: cluster, replicas: count })),
    }),
  }
}

/** The operations of tests on KarmadaQuotas, over one server. */
export class KarmadaWorld extends PoolWorld {
  /** Defines Karmada's bindings, where nobody has. */
  async define(): Promise<void> {
    for (const plural of ['resourcebindings', 'clusterresourcebindings']) {
      const file = new URL(`../../fixtures/karmada/${plural}.yaml`, import.meta.url)
      const { status } = await this.server.send('POST', DEFINITIONS, parse(readFileSync(file, 'utf8')))
      if (status !== 201 && status !== 409) throw new Error(`${plural} cannot be defined: ${status}`)
    }
    await this.server.until('/apis/work.karmada.io/v1alpha2/resourcebindings', ({ status }) => status === 200)
  }

  /** Creates a KarmadaQuota; resolves when it is enforced. */
  async quota(namespace: string, name: string, hard: Amounts, more: object = {}): Promise<void> {
    const spec = { hard, ...more }
    await this.create(kquotasIn(namespace), {
      apiVersion: 'quota.karmada.io/v1alpha1',
      kind: 'KarmadaQuota',
      metadata: { name },
      spec,
    })
    await this.until(`${kquotasIn(namespace)}/${name}`, ({ status }) => status?.outstanding !== undefined)
  }

  async bind(namespace: string, name: string, spec: object, query = '', metadata: object = {}): Promise<Answer> {
    return await this.server.send('POST', `${bindingsIn(namespace)}${query}`, {
      apiVersion: 'work.karmada.io/v1alpha2',
      kind: 'ResourceBinding',
      metadata: { ...metadata, name },
      spec,
    })
  }

  async used(namespace: string, name: string, used: Amounts): Promise<void> {
    await this.until(`${kquotasIn(namespace)}/${name}`, ({ status }) =>
      Object.entries(used).every(([limit, amount]) => status?.used?.[limit] === amount),
    )
  }
}

/** Starts or shares a server before the tests of the suite that this is called in, and lets go of it after them. */
export const forKarmada = <Server extends BareServer>(start: () => Promise<Server>): Suite<Server, KarmadaWorld> =>
  forWorld(start, async (server) => {
    const world = new KarmadaWorld(server)
    await world.define()
    return world
  })
