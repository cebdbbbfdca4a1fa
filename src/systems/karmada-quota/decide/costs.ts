import type { KarmadaQuotaSpec } from '../api/karmada-quota.ts'
import { scopeRequirements, type ScopeRequirement } from '../../../kinds/resource-quota/resource-quota.ts'
import { guessedResource } from '../../../api/guessed-resource.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { textAt } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { parseResourceList, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { selects } from '../../../charges/evaluators/scopes.ts'
import { type PodsOf, type PodView, podViews } from './binding-pods.ts'
import { trackedResource, type TrackedResource } from './tracked-resource.ts'

/** A KarmadaQuota as it is charged. */
export interface CompiledKarmadaQuota {
  /** The limits, by name. */
  readonly hard: ResourceList
  /** The part of bindings that each limit counts. */
  readonly tracked: ReadonlyMap<string, TrackedResource>
  readonly requirements: readonly ScopeRequirement[]
}

/** Makes a quota ready to be charged. The spec must be valid (`validateKarmadaQuota`); throws QuantityError where an amount cannot be read. */
export function compileKarmadaQuota(spec: KarmadaQuotaSpec): CompiledKarmadaQuota {
  const tracked = new Map<string, TrackedResource>()
  for (const name of Object.keys(spec.hard ?? {}).toSorted()) {
    const resource = trackedResource(name)
    if (resource !== undefined) tracked.set(name, resource)
  }
  return { hard: parseResourceList(spec.hard ?? {}), tracked, requirements: requirementsOf(spec) }
}

/** The requirements on the PriorityClass of pods, as a ResourceQuota words them. */
export const requirementsOf = ({ scopes, scopeSelector }: KarmadaQuotaSpec): readonly ScopeRequirement[] =>
  scopeRequirements({ ...(scopes && { scopes }), ...(scopeSelector && { scopeSelector }) })

/**
 * Returns the costs of a binding for a quota: one amount for each limit, also where it is 0, of the view of the binding with the larger one. Only
 * pods whose PriorityClass the scopes select are counted, and with scopes only objects that have such pods. Throws QuantityError where a request
 * of the binding cannot be read.
 */
export function costsOf(
  { tracked, requirements }: CompiledKarmadaQuota,
  binding: KubeObject,
  of: PodsOf = 'charged',
): ResourceList {
  const views = selectedViews(requirements, binding, of)
  const isCounted = requirements.length === 0 || views.some((view) => view.length > 0)
  const costs: Record<string, Quantity> = {}
  for (const [name, resource] of tracked) costs[name] = isCounted ? costOf(resource, views, binding) : Quantity.zero
  return costs
}

/** Do the requirements select any pods of a binding? Throws QuantityError as `costsOf` does. */
export const selectsPodsOf = (requirements: readonly ScopeRequirement[], binding: KubeObject): boolean =>
  selectedViews(requirements, binding, 'charged').some((view) => view.length > 0)

const selectedViews = (
  requirements: readonly ScopeRequirement[],
  binding: KubeObject,
  of: PodsOf,
): readonly PodView[] =>
  podViews(binding, of).map((view) =>
    view.filter(({ priorityClass }) => requirements.every((requirement) => selects(requirement, priorityClass))),
  )

function costOf(tracked: TrackedResource, views: readonly PodView[], binding: KubeObject): Quantity {
  switch (tracked.type) {
    case 'pods':
      return largest(views, (view) => Quantity.of(view.reduce((sum, { pods }) => sum + pods, 0n)))
    case 'requests':
      return largest(views, (view) => requestsOf(view, tracked.name))
    case 'objects':
      return propagates(binding, tracked) ? ONE : Quantity.zero
    default:
      return tracked satisfies never
  }
}

function requestsOf(view: PodView, name: string): Quantity {
  return view.reduce((sum, { pods, requests }) => {
    const request = quantityOf(requests, name)
    return request === undefined || request.sign() <= 0 ? sum : sum.add(request.mul(pods))
  }, Quantity.zero)
}

function largest(views: readonly PodView[], amountOf: (view: PodView) => Quantity): Quantity {
  return views.reduce((most, view) => {
    const amount = amountOf(view)
    return amount.cmp(most) > 0 ? amount : most
  }, Quantity.zero)
}

const ONE = Quantity.of(1)

function propagates(binding: KubeObject, { resource: wanted }: Extract<TrackedResource, { type: 'objects' }>): boolean {
  const kind = textAt(binding, 'spec', 'resource', 'kind')
  const { group, resource } = guessedResource(textAt(binding, 'spec', 'resource', 'apiVersion'), kind)
  return group === wanted.group && resource === wanted.resource
}
