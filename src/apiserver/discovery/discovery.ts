import type { JsonObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { servedAt, type ServedResource } from '../resource/served-resource.ts'
import { aggregatedDiscovery } from './aggregated.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './document.ts'
import { servedGroups } from '../resource/group-order.ts'
import { negotiateDiscovery } from './negotiate.ts'

/** A finished answer. `etag` comes with its quotes. */
export interface DiscoveryAnswer {
  readonly contentType: string
  readonly body: string
  readonly etag?: string
}

/** Every discovery document of one set of served resources; texts are made when first asked for, and kept. */
export interface Discovery {
  /** `/api`; throws 406 for an Accept header that cannot be honoured. */
  readonly api: (accept: string | undefined) => DiscoveryAnswer
  /** `/apis`; throws 406 likewise. */
  readonly apis: (accept: string | undefined) => DiscoveryAnswer
  /** `/apis/<group>`, undefined for a group that is not served; the core group has no such page. */
  readonly group: (group: string) => DiscoveryAnswer | undefined
  /** `/api/v1` and `/apis/<group>/<version>`, undefined for what is not served. */
  readonly version: (group: string, version: string) => DiscoveryAnswer | undefined
}

export interface DiscoveryInput {
  readonly resources: readonly ServedResource[]
  /** Host and port under which this server is reached. */
  readonly serverAddress: string
  /** A content hash of a text, in characters that an ETag may hold. */
  readonly hash: (text: string) => string
}

/** Prepares the discovery documents of a set of resources; make a new one when the set changes. */
export function createDiscovery({ resources, serverAddress, hash }: DiscoveryInput): Discovery {
  const groups = servedGroups(resources)
  const core = groups.filter(({ group }) => group === '')
  const named = groups.filter(({ group }) => group !== '')
  const versions = new Map(groups.flatMap((group) => group.versions.map((served) => [apiVersionOf(served), served])))
  const answers = new Map<string, DiscoveryAnswer>()

  const once = (key: string, contentType: string, document: () => JsonObject, tagged = false): DiscoveryAnswer => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const body = JSON.stringify(document())
    const answer = tagged ? { contentType, body, etag: `"${hash(body)}"` } : { contentType, body }
    answers.set(key, answer)
    return answer
  }
  const root = (
    path: string,
    members: typeof groups,
    accept: string | undefined,
    plain: () => JsonObject,
  ): DiscoveryAnswer => {
    const { aggregated, contentType } = negotiateDiscovery(accept)
    if (aggregated === undefined) return once(path, contentType, plain)
    return once(`${path} ${aggregated}`, contentType, () => aggregatedDiscovery(members, aggregated), true)
  }
  const coreVersions = core.flatMap(({ versions }) => versions.map(({ version }) => version))
  return {
    api: (accept) => root('/api', core, accept, () => apiVersions(coreVersions, serverAddress)),
    apis: (accept) => root('/apis', named, accept, () => apiGroupList(named)),
    group: (name) => {
      const group = named.find((one) => one.group === name)
      return group && once(`/apis/${name}`, 'application/json', () => apiGroup(group))
    },
    version: (group, version) => {
      const apiVersion = apiVersionOf({ group, version })
      const served = versions.get(apiVersion)
      return served && once(`/${servedAt(served)}`, 'application/json', () => apiResourceList(served))
    },
  }
}
