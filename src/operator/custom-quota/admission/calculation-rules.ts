import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { WRITING_SUBRESOURCES } from '../../ledger/writing-subresources.ts'
import type { OperatorHook, OperatorHookRule } from '../../webhook-configuration.ts'
import { type ConfiguredRules, coveredVersions } from './configured-rules.ts'

/** A resource that quotas count, and where. */
export interface CalculatedResource {
  readonly resource: Pick<ServerResource, 'group' | 'version' | 'resource' | 'namespaced' | 'subresources'>
  /** The namespaces that quotas count it in; undefined: all, and outside namespaces. */
  readonly namespaces: ReadonlySet<string> | undefined
}

/** Name and path of the webhook of Capsule 0.14 that decides on user objects. */
const NAME = 'calculation.custom-quotas.validating.projectcapsule.dev'
export const CALCULATIONS_PATH = '/custom-quotas/calculations'

/** Namespaces of the cluster itself. A quota never keeps its nodes and its control plane from working. */
export const EXEMPT_NAMESPACES: readonly string[] = ['kube-system', 'kube-node-lease']

/** Kinds that are never asked about: what keeps nodes alive, what only reports, and reviews, which nobody stores. */
const EXEMPT_RESOURCES: readonly { readonly group: string; readonly resource?: string }[] = [
  { group: 'coordination.k8s.io', resource: 'leases' },
  { group: '', resource: 'events' },
  { group: 'events.k8s.io' },
  { group: 'authentication.k8s.io' },
  { group: 'authorization.k8s.io' },
  // Each decision writes one.
  { group: 'capsule.clastix.io', resource: 'quantityledgers' },
]

/** A selector that lists more namespaces is longer than what it saves. */
const MOST_NAMESPACES = 100

type Rules = Pick<OperatorHook, 'name' | 'path' | 'rules' | 'namespaces' | 'namespaceSelector' | 'conditions'>

/** May objects of the resource be refused? */
export function isExemptResource({ group, resource }: Pick<ServerResource, 'group' | 'resource'>): boolean {
  return EXEMPT_RESOURCES.some((one) => one.group === group && (one.resource ?? resource) === resource)
}

/**
 * The webhooks that are asked about what quotas count, and about nothing else. An API server asks a webhook once about a request,
 * in one version: a resource that is counted in several versions or groups stands in as many webhooks, so that each quota
 * reads the version that its source names. `exempt`: namespaces that are never asked about. `configured`: which of all that is to
 * be asked about; without it everything is.
 */
export function calculationRules(
  counted: readonly CalculatedResource[],
  exempt: ReadonlySet<string>,
  configured?: ConfiguredRules,
): readonly Rules[] {
  const layers: AskedResource[][] = []
  const order = counted
    .filter(({ resource }) => !isExemptResource(resource))
    .map((one) => ({ ...one, versions: versionsOf(one, configured) }))
    .filter(({ versions }) => versions.length > 0)
    .toSorted(byName)
  for (const one of order) {
    const free = layers.find((layer) => layer.every(({ resource }) => resource.resource !== one.resource.resource))
    if (free === undefined) layers.push([one])
    else free.push(one)
  }
  return layers.map((layer, index) => ({
    name: index === 0 ? NAME : `v${index + 1}.${NAME}`,
    path: index === 0 ? CALCULATIONS_PATH : `${CALCULATIONS_PATH}/${index + 1}`,
    rules: layer.map(ruleOf),
    namespaces: namespacesOf(layer, exempt),
    ...(configured?.namespaceSelector === undefined ? {} : { namespaceSelector: configured.namespaceSelector }),
    ...(configured === undefined || configured.matchConditions.length === 0
      ? {}
      : { conditions: configured.matchConditions }),
  }))
}

/** A resource in the versions that are asked about. */
type AskedResource = CalculatedResource & { readonly versions: readonly string[] }

const versionsOf = ({ resource }: CalculatedResource, configured: ConfiguredRules | undefined): readonly string[] =>
  configured === undefined ? [resource.version] : coveredVersions(configured, resource)

const byName = ({ resource: a }: CalculatedResource, { resource: b }: CalculatedResource): number =>
  keyOf(a) < keyOf(b) ? -1 : 1

const keyOf = ({ resource, group, version }: CalculatedResource['resource']): string =>
  `${resource}.${version}.${group}`

function ruleOf({
  resource: { group, resource, namespaced, subresources },
  versions,
}: AskedResource): OperatorHookRule {
  const writing = subresources.filter((one) => WRITING_SUBRESOURCES.has(one)).toSorted()
  return {
    groups: [group],
    versions,
    resources: [resource, ...writing.map((one) => `${resource}/${one}`)],
    operations: ['CREATE', 'UPDATE'],
    scope: namespaced ? 'Namespaced' : 'Cluster',
  }
}

function namespacesOf(
  layer: readonly CalculatedResource[],
  exempt: ReadonlySet<string>,
): NonNullable<OperatorHook['namespaces']> {
  const all = { except: [...exempt] }
  const only = new Set<string>()
  for (const { namespaces, resource } of layer) {
    if (namespaces === undefined) {
      // The selector asks for nothing outside namespaces, but for the labels of the namespaces themselves.
      if (!resource.namespaced && resource.resource !== 'namespaces') continue
      return all
    }
    for (const one of namespaces) if (!exempt.has(one)) only.add(one)
  }
  return only.size === 0 || only.size > MOST_NAMESPACES ? all : { only: [...only].toSorted() }
}
