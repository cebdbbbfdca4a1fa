import { KARMADA_QUOTA_GROUP, RESOURCE_BINDINGS } from '../systems/karmada-quota/api/names.ts'
import { quotaIncrease } from '../systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../systems/resource-pool/api/claim.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { readGroups, readResources } from '../kube/client/server-discovery-document.ts'
import type { GroupVersions, ServerResource } from '../kube/client/server-resources.ts'
import { isNotFound } from '../machinery/status.ts'

/** The groups of the kinds that make pods, of what scales them, and of allot. Others are asked for when manifests name them. */
const GROUPS: readonly string[] = [
  'apps',
  'batch',
  'autoscaling',
  resourcePoolClaim.group,
  quotaIncrease.group,
  KARMADA_QUOTA_GROUP,
  RESOURCE_BINDINGS.group,
]

const API_VERSION = /^(?:[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** The kinds that an API server serves, each in its preferred version. */
export class ServedKinds {
  readonly #client: KubeClient
  readonly #signal: AbortSignal
  readonly #groups: readonly GroupVersions[]
  readonly #kinds: ServerResource[]

  private constructor(
    client: KubeClient,
    signal: AbortSignal,
    groups: readonly GroupVersions[],
    kinds: ServerResource[],
  ) {
    this.#client = client
    this.#groups = groups
    this.#signal = signal
    this.#kinds = kinds
  }

  /** Rejects as `KubeClient` does. */
  static async read(client: KubeClient, signal: AbortSignal): Promise<ServedKinds> {
    const groups = readGroups(await client.request('GET', '/apis', undefined, { signal }))
    const versions = groups
      .filter(({ group }) => GROUPS.includes(group))
      .flatMap(({ group, versions: all }) => all.map((version) => ({ group, version })))
    const lists = await Promise.all(
      [{ group: '', version: 'v1' }, ...versions].map((one) => resourcesOf(client, one.group, one.version, signal)),
    )
    return new ServedKinds(client, signal, groups, lists.flat())
  }

  /** The kind that serves a resource. The preferred version comes first. */
  of(group: string, resource: string, version?: string): ResourceKind | undefined {
    return this.#kinds.find(
      (one) => one.group === group && one.resource === resource && (version === undefined || one.version === version),
    )
  }

  /** The kind that serves a resource, in whatever group that is; undefined where none does. */
  async anyOf(group: string, resource: string): Promise<ResourceKind | undefined> {
    const known = this.of(group, resource)
    if (known !== undefined) return known
    const versions = this.#groups.find((one) => one.group === group)?.versions ?? []
    for (const version of versions) {
      const found = await resourcesOf(this.#client, group, version, this.#signal)
      const one = found.find((kind) => kind.resource === resource)
      if (one !== undefined) return one
    }
    return undefined
  }

  /** The kind that people mean by its name, its plural or a short name, in whatever case. */
  named(text: string): ResourceKind | undefined {
    const [word = '', ...rest] = text.toLowerCase().split('.')
    const group = rest.join('.')
    return this.#kinds.find(
      (one) =>
        (group === '' || one.group === group) &&
        [one.resource, one.kind.toLowerCase(), ...(one.shortNames ?? [])].includes(word),
    )
  }

  /** The kind of a manifest; undefined where it is not served. */
  async ofManifest(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    // No API server serves another one, and it goes into a path.
    if (!API_VERSION.test(apiVersion)) return undefined
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    const isOne = (one: ResourceKind): boolean => one.group === group && one.version === version && one.kind === kind
    return this.#kinds.find(isOne) ?? (await resourcesOf(this.#client, group, version, this.#signal)).find(isOne)
  }
}

async function resourcesOf(
  client: KubeClient,
  group: string,
  version: string,
  signal: AbortSignal,
): Promise<readonly ServerResource[]> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  try {
    return readResources(group, version, await client.request('GET', path, undefined, { signal }))
  } catch (error) {
    if (!isNotFound(error)) throw error
    return []
  }
}
