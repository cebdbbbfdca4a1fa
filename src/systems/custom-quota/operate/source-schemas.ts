import type { QuotaSource } from '../api/source.ts'
import type { KindSchema } from '../decide/path-selector/path-in-schema.ts'
import { sourceKind } from '../decide/source-kind.ts'
import { sourceSchemaWarnings } from '../decide/source-schema-warnings.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { apiVersionOf } from '../../../machinery/group-version.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { ApiError } from '../../../machinery/status.ts'
import type { ServedKinds } from '../../../operator/shell/served-kinds.ts'

export interface SourceSchemasOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly served: Pick<ServedKinds, 'find'>
}

/**
 * Returns warnings of paths that find nothing in any object of their kind, as the API server describes it. There are
 * none for a kind that it does not serve or describe (before Kubernetes 1.24). Capsule's own tests have such paths, so
 * they are not refused. Rejects as `KubeClient` does.
 */
export async function pathWarnings(
  { client, served }: SourceSchemasOptions,
  sources: readonly QuotaSource[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const warnings: string[] = []
  const documents = new Map<string, JsonObject | undefined>()
  for (const [index, source] of sources.entries()) {
    const { path = '', selectors = [] } = source
    if (path === '' && selectors.length === 0) continue
    const resource = await served.find(sourceKind(source), { signal })
    if (resource === undefined) continue
    const version = apiVersionOf(resource)
    if (!documents.has(version)) documents.set(version, await documentOf(client, resource, signal))
    const schema = schemaOf(documents.get(version), resource)
    if (schema !== undefined) warnings.push(...sourceSchemaWarnings(source, `spec.sources[${index}]`, schema))
  }
  return warnings
}

/** The description of a group version, in OpenAPI v3. */
async function documentOf(
  client: Pick<KubeClient, 'request'>,
  resource: ServerResource,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const path = `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`
  try {
    const document = await client.request('GET', `/openapi/v3/${path}`, undefined, { signal })
    return isObject(document) ? document : undefined
  } catch (error) {
    // An aggregated server may describe nothing, or badly.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

const REFERENCE = '#/components/schemas/'

function schemaOf(document: JsonObject | undefined, { group, version, kind }: ServerResource): KindSchema | undefined {
  const components = document?.['components']
  const schemas = isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  const isKind = (named: unknown): boolean =>
    isObject(named) && named['group'] === group && named['version'] === version && named['kind'] === kind
  const root = Object.values(schemas).find((schema) => {
    const names = isObject(schema) ? schema['x-kubernetes-group-version-kind'] : undefined
    return Array.isArray(names) && names.some(isKind)
  })
  if (!isObject(root)) return undefined
  const resolve = (reference: string): JsonObject | undefined => {
    const found = reference.startsWith(REFERENCE) ? schemas[reference.slice(REFERENCE.length)] : undefined
    return isObject(found) ? found : undefined
  }
  return { root, resolve }
}
