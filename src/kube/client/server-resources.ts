import { apiVersionOf } from '../../machinery/group-version.ts'
import type { ResourceKind } from './kube-client.ts'

/** A resource as a server offers it. */
export interface ServerResource extends ResourceKind {
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  /** `status`, `scale`, … */
  readonly subresources: readonly string[]
}

/** Versions of one group, the preferred one first. */
export interface GroupVersions {
  readonly group: string
  readonly versions: readonly string[]
}

/** A group version whose resources are not known, because its server does not answer. */
export interface DiscoveryFailure {
  readonly apiVersion: string
  readonly error: unknown
}

/** The resources of a server, as far as it answered. */
export class ServerResources {
  readonly groups: readonly GroupVersions[]
  readonly all: readonly ServerResource[]
  readonly failures: readonly DiscoveryFailure[]
  readonly #byKind = new Map<string, ServerResource>()
  readonly #byResource = new Map<string, ServerResource>()

  constructor(
    groups: readonly GroupVersions[],
    all: readonly ServerResource[],
    failures: readonly DiscoveryFailure[] = [],
  ) {
    this.groups = groups
    this.all = all
    this.failures = failures
    for (const one of all) {
      const kind = `${apiVersionOf(one)} ${one.kind}`
      // Where two resources share a kind, the first is the one that objects of the kind are stored as.
      if (!this.#byKind.has(kind)) this.#byKind.set(kind, one)
      this.#byResource.set(`${apiVersionOf(one)} ${one.resource}`, one)
    }
  }

  /** The resource of objects that say `apiVersion` and `kind`. */
  ofKind(apiVersion: string, kind: string): ServerResource | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`)
  }

  /** The resource of a kind in the version that the server prefers among those that have it. */
  preferredKind(group: string, kind: string): ServerResource | undefined {
    return this.#preferred(group, (version) => this.ofKind(apiVersionOf({ group, version }), kind))
  }

  /** A resource by its plural, in the given version or else the one that the server prefers among those that have it. */
  resource(group: string, resource: string, version?: string): ServerResource | undefined {
    const at = (one: string) => this.#byResource.get(`${apiVersionOf({ group, version: one })} ${resource}`)
    return version === undefined ? this.#preferred(group, at) : at(version)
  }

  /** Is the group served in any version, whether or not its resources could be asked for? */
  hasGroup(group: string): boolean {
    return this.groups.some((one) => one.group === group)
  }

  #preferred(group: string, find: (version: string) => ServerResource | undefined): ServerResource | undefined {
    const versions = this.groups.find((one) => one.group === group)?.versions ?? []
    for (const version of versions) {
      const found = find(version)
      if (found !== undefined) return found
    }
    return undefined
  }
}
