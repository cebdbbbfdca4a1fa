import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { WRITING_SUBRESOURCES } from '../../../counted/replica/writing-subresources.ts'
import {
  type AskedNamespaces,
  type AskedResource,
  EVERYWHERE,
  type OperatorHookRule,
} from '../../../../operator/webhook/configuration.ts'
import { type ConfiguredRules, coveredVersions } from './configured-rules.ts'

/** A resource that quotas count, and where. */
export interface CalculatedResource {
  readonly resource: Pick<ServerResource, 'group' | 'version' | 'resource' | 'namespaced' | 'subresources'>
  readonly namespaces: AskedNamespaces
}

/** The path of the webhook of Capsule 0.14 that decides on user objects. */
export const CALCULATIONS_PATH = '/custom-quotas/calculations'

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

/** May objects of the resource be refused? */
export function isExemptResource({ group, resource }: Pick<ServerResource, 'group' | 'resource'>): boolean {
  return EXEMPT_RESOURCES.some((one) => one.group === group && (one.resource ?? resource) === resource)
}

/**
 * The resources that the webhook is asked about: those that quotas count, and no others. `exempt`: namespaces that are never asked about. `configured`: which of
 * all that is to be asked about; without it everything is.
 */
export function calculationRules(
  counted: readonly CalculatedResource[],
  exempt: ReadonlySet<string>,
  configured?: ConfiguredRules,
): readonly AskedResource[] {
  return counted
    .flatMap((one) => {
      const namespaces = askedNamespaces(one, exempt, configured)
      return namespaces.size === 0 ? [] : [{ ...one, namespaces, versions: versionsOf(one, configured) }]
    })
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((one) => ({ key: resourceKey(one.resource), rules: [ruleOf(one)], namespaces: one.namespaces }))
}

/** Where the webhook is to be asked about a resource that is counted in some namespaces. */
export function askedNamespaces(
  { resource, namespaces }: CalculatedResource,
  exempt: ReadonlySet<string>,
  configured?: ConfiguredRules,
): AskedNamespaces {
  if (isExemptResource(resource) || versionsOf({ resource }, configured).length === 0) return new Set()
  // Objects outside namespaces are counted by quotas that count everywhere, and by no other.
  return resource.namespaced ? namespaces.difference(exempt) : namespaces.intersection(new Set([EVERYWHERE]))
}

const versionsOf = (
  { resource }: Pick<CalculatedResource, 'resource'>,
  configured: ConfiguredRules | undefined,
): readonly string[] => (configured === undefined ? [resource.version] : coveredVersions(configured, resource))

/** Distinguishes resources in one version. */
export const resourceKey = ({
  group,
  version,
  resource,
}: Pick<ServerResource, 'group' | 'version' | 'resource'>): string => `${group}/${version}/${resource}`

const nameOf = ({ resource: { resource, group, version } }: CalculatedResource): string =>
  `${resource}.${version}.${group}`

function ruleOf({
  resource: { group, resource, namespaced, subresources },
  versions,
}: CalculatedResource & { readonly versions: readonly string[] }): OperatorHookRule {
  const writing = subresources.filter((one) => WRITING_SUBRESOURCES.has(one)).toSorted()
  return {
    groups: [group],
    versions,
    resources: [resource, ...writing.map((one) => `${resource}/${one}`)],
    operations: ['CREATE', 'UPDATE'],
    scope: namespaced ? 'Namespaced' : 'Cluster',
  }
}
