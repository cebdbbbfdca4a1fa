import { isObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { apiVersionOf, groupOf } from '../../machinery/group-version.ts'
import type { CallOptions, KubeClient } from '../../kube/client/kube-client.ts'
import { readGroups, readResources } from '../../kube/client/server-discovery-document.ts'
import { type ServerResource } from '../../kube/client/server-resources.ts'

const CORE_VERSIONS = ['v1']

/** Names a kind as manifests do; an empty version asks for the one that the server prefers. */
export interface KindReference {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * Finds kinds on the API server while the operator runs, whether CRDs or aggregated servers define them. It asks only
 * for the group versions that are looked for, and remembers the answers until `forget`. An unknown group version, or
 * one without the wanted kind, is asked for each time. Servers add the kinds of a group version one by one.
 */
export class ServedKinds {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #versions = new Map<string, Promise<readonly ServerResource[] | undefined>>()
  readonly #served = new Map<string, Promise<readonly string[] | undefined>>()

  constructor(client: Pick<KubeClient, 'request'>) {
    this.#client = client
  }

  /** The resource of a kind; undefined where the server does not serve it. Rejects as `KubeClient` does. */
  async find({ group, version, kind }: KindReference, options: CallOptions = {}): Promise<ServerResource | undefined> {
    const found = version === '' ? await this.#preferredVersion(group, options) : version
    if (found === undefined) return undefined
    return await this.#oneOf({ group, version: found }, (one) => one.kind === kind, options)
  }

  /** The kind of objects behind a resource; undefined where the server does not serve it. Rejects as `KubeClient` does. */
  async ofResource(
    { group, version, resource }: Pick<ServerResource, 'group' | 'version' | 'resource'>,
    options: CallOptions = {},
  ): Promise<ServerResource | undefined> {
    return await this.#oneOf({ group, version }, (one) => one.resource === resource, options)
  }

  /** The kind of objects behind a resource, in the first version of its group that serves it. Rejects as `KubeClient` does. */
  async inAnyVersion(
    { group, resource }: Pick<ServerResource, 'group' | 'resource'>,
    options: CallOptions = {},
  ): Promise<ServerResource | undefined> {
    for (const version of await this.#versionsOf(group, options)) {
      const found = await this.ofResource({ group, version, resource }, options)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Forgets this group, whose served kinds may have changed. */
  forget(group: string): void {
    this.#served.delete(group)
    for (const key of this.#versions.keys()) if (groupOf(key) === group) this.#versions.delete(key)
  }

  async #oneOf(
    { group, version }: Pick<ServerResource, 'group' | 'version'>,
    isWanted: (one: ServerResource) => boolean,
    options: CallOptions,
  ): Promise<ServerResource | undefined> {
    const asked = this.#resourcesOf(group, version, options)
    const found = (await asked)?.find(isWanted)
    const key = apiVersionOf({ group, version })
    if (found === undefined && this.#versions.get(key) === asked) this.#versions.delete(key)
    return found
  }

  async #preferredVersion(group: string, options: CallOptions): Promise<string | undefined> {
    return (await this.#versionsOf(group, options))[0]
  }

  /** The preferred version stands first. */
  async #versionsOf(group: string, options: CallOptions): Promise<readonly string[]> {
    if (group === '') return CORE_VERSIONS
    const served = await remembered(this.#served, group, async () => {
      const document = await this.#read(`/apis/${encodeURIComponent(group)}`, options)
      return readGroups(document === undefined ? undefined : { groups: [document] })[0]?.versions
    })
    return served ?? []
  }

  #resourcesOf(group: string, version: string, options: CallOptions): Promise<readonly ServerResource[] | undefined> {
    const key = apiVersionOf({ group, version })
    return remembered(this.#versions, key, async () => {
      const root = group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`
      const document = await this.#read(`${root}/${encodeURIComponent(version)}`, options)
      return document === undefined ? undefined : readResources(group, version, document)
    })
  }

  async #read(path: string, options: CallOptions): Promise<unknown> {
    try {
      const document = await this.#client.request('GET', path, undefined, options)
      return isObject(document) ? document : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

/** Asks once for each key, also while the answer is on its way. A missing or failed answer is asked for again. */
function remembered<T>(
  known: Map<string, Promise<T | undefined>>,
  key: string,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const asked = known.get(key)
  if (asked !== undefined) return asked
  const asking = ask()
  known.set(key, asking)
  const drop = (): void => {
    if (known.get(key) === asking) known.delete(key)
  }
  asking.then((value) => value === undefined && drop(), drop)
  return asking
}
