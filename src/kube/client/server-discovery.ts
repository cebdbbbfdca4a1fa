import { isObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import {
  type AggregatedGroups,
  readAggregated,
  readCoreVersions,
  readGroups,
  readResources,
} from './server-discovery-document.ts'
import type { CallOptions } from './kube-client.ts'
import { type GroupVersions, ServerResources } from './server-resources.ts'

/** The calls of a client that discovery needs. */
export interface JsonReader {
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions & { readonly accept?: string },
  ): Promise<unknown>
}

/** All at once from 1.30 (1.27 as beta), else the documents of old: a server answers with the first that it knows. */
const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',')

/**
 * Asks a server what it has. A group version that does not answer is left out and reported in `failures`. Throws what the client
 * throws when the server cannot be asked for its groups.
 */
export async function discover(client: JsonReader, options: CallOptions = {}): Promise<ServerResources> {
  const [core, named] = await Promise.all([
    discoverRoot(client, '/api', readCoreVersions, options),
    discoverRoot(client, '/apis', readGroups, options),
  ])
  return new ServerResources(
    [...core.groups, ...named.groups],
    [...core.resources, ...named.resources],
    [...core.failures, ...named.failures],
  )
}

async function discoverRoot(
  client: JsonReader,
  root: '/api' | '/apis',
  readVersions: (document: unknown) => readonly GroupVersions[],
  options: CallOptions,
): Promise<AggregatedGroups> {
  const document = await client.request('GET', root, undefined, { ...options, accept: ACCEPT })
  const aggregated = readAggregated(document)
  if (aggregated !== undefined) return aggregated
  const groups = readVersions(document)
  const parts = await Promise.all(
    groups.flatMap(({ group, versions }) => versions.map((version) => oneVersion(client, group, version, options))),
  )
  return {
    groups,
    resources: parts.flatMap((part) => part.resources),
    failures: parts.flatMap((part) => part.failures),
  }
}

async function oneVersion(
  client: JsonReader,
  group: string,
  version: string,
  options: CallOptions,
): Promise<Omit<AggregatedGroups, 'groups'>> {
  const apiVersion = apiVersionOf({ group, version })
  try {
    const document = await client.request('GET', `${group === '' ? '/api' : '/apis'}/${apiVersion}`, undefined, options)
    return { resources: readResources(group, version, document), failures: [] }
  } catch (error) {
    options.signal?.throwIfAborted()
    return { resources: [], failures: [{ apiVersion, error }] }
  }
}

export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** `v1.20.15`, as the server words it. */
  readonly gitVersion: string
}

/** The version that `/version` reports; some distributions write the minor one as `27+`. */
export async function serverVersion(client: JsonReader, options: CallOptions = {}): Promise<ServerVersion> {
  const answer = await client.request('GET', '/version', undefined, options)
  const read = (field: string): string => {
    const value = isObject(answer) ? answer[field] : ''
    return typeof value === 'string' ? value : ''
  }
  const number = (field: string): number => Number.parseInt(read(field), 10) || 0
  return { major: number('major'), minor: number('minor'), gitVersion: read('gitVersion') }
}
