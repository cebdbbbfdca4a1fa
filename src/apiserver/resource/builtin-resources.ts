import { isObject } from '../../machinery/object.ts'
import type { ServedResource, ServedSubresource } from './served-resource.ts'
import { compareText } from '../../machinery/text/compare.ts'

/** The names that the published API description leaves out; keyed `pods`, `deployments.apps`. */
export interface ResourceNaming {
  readonly shortNames?: readonly string[]
  readonly singular?: string
  readonly categories?: readonly string[]
}

interface Entry {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly kindGroup: string
  readonly kindVersion: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

const STABLE = /^v[0-9]+$/
// Streams to a running container, node or service: nothing runs here, so they are not announced either.
const CONNECT = 'connect'

/** The deprecation warnings for clients, in the words of Kubernetes 1.36. */
const DEPRECATED: Readonly<Record<string, string>> = {
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  'v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
}

/** The description calls it a watch that a list takes the parameter; watches of these never get an event. */
const UNWATCHED: ReadonlySet<string> = new Set(['componentstatuses'])

/**
 * All built-in resources that a default server serves: the stable versions of every group, subresources with their
 * resource, sorted by group, version and resource.
 *
 * @param resources the parsed `schemas/kubernetes-1.36-resources.json`
 * @param naming short names, singulars and categories by `resource` or `resource.group`; a missing singular is the kind
 *   in lower case, as upstream has it
 */
export function builtinResources(
  resources: unknown,
  naming: Readonly<Record<string, ResourceNaming>> = {},
): readonly ServedResource[] {
  const entries = decode(resources).filter(({ version, verbs }) => STABLE.test(version) && !verbs.includes(CONNECT))
  const subresources = new Map<string, ServedSubresource[]>()
  for (const { group, version, resource, kind, kindGroup, kindVersion, verbs } of entries) {
    const [parent, name] = resource.split('/')
    if (name === undefined) continue
    const key = `${group}/${version}/${parent}`
    const list = subresources.get(key) ?? []
    list.push({ name, kind, group: kindGroup, version: kindVersion, verbs })
    subresources.set(key, list)
  }
  return entries
    .filter(({ resource }) => !resource.includes('/'))
    .map(({ group, version, resource, kind, namespaced, verbs: described }) => {
      const verbs = described.filter((verb) => verb !== 'watch' || !UNWATCHED.has(resource))
      const { shortNames, singular, categories } = naming[group === '' ? resource : `${resource}.${group}`] ?? {}
      return {
        group,
        version,
        resource,
        kind,
        listKind: `${kind}List`,
        singular: singular ?? kind.toLowerCase(),
        namespaced,
        verbs,
        ...deprecated(group, version, resource),
        ...(shortNames && shortNames.length > 0 ? { shortNames } : {}),
        ...(categories && categories.length > 0 ? { categories } : {}),
        subresources: (subresources.get(`${group}/${version}/${resource}`) ?? []).toSorted((a, b) =>
          compareText(a.name, b.name),
        ),
        typeName: builtinTypeName({ group, version, kind }),
      }
    })
    .toSorted(
      (a, b) =>
        compareText(a.group, b.group) || compareText(a.version, b.version) || compareText(a.resource, b.resource),
    )
}

function deprecated(group: string, version: string, resource: string): Pick<ServedResource, 'deprecation'> {
  const deprecation = group === '' ? DEPRECATED[`${version}/${resource}`] : undefined
  return deprecation === undefined ? {} : { deprecation }
}

/** The name under which the data defines a built-in kind: `io.k8s.api.autoscaling.v1.Scale`. */
export function builtinTypeName(of: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): string {
  return `${packageOf(of.group)}.${of.version}.${of.kind}`
}

function packageOf(group: string): string {
  switch (group) {
    case '':
      return 'io.k8s.api.core'
    case 'apiextensions.k8s.io':
      return 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions'
    case 'apiregistration.k8s.io':
      return 'io.k8s.kube-aggregator.pkg.apis.apiregistration'
    default:
      return `io.k8s.api.${group.split('.')[0]}`
  }
}

function decode(data: unknown): readonly Entry[] {
  if (!isObject(data) || !isObject(data['resources'])) throw new TypeError('the resources file has no "resources"')
  return Object.values(data['resources']) as readonly Entry[]
}
