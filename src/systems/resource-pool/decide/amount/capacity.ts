import { Quantity } from '../../../../quantity/quantity.ts'
import { quantityOf, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'

/** A resource of which a claim asks for more than is left. */
export interface Shortage {
  readonly resource: string
  readonly requested: Quantity
  readonly available: Quantity
}

/** The free room, by resource; undefined for a resource that the pool does not have. */
export interface Left {
  readonly get: (resource: string) => Quantity | undefined
}

/**
 * The resources, sorted, of which less is left than is requested. A resource that the pool does not have is missing; nothing
 * of a resource can always be had. `held` is what the asking claim has already: it may keep and shrink that whatever is left.
 */
export function shortagesOf(request: ResourceList, available: Left, held: ResourceList = {}): Shortage[] {
  return resourceNames(request).flatMap((resource) => {
    const requested = quantityOf(request, resource) ?? Quantity.zero
    const left = available.get(resource)
    const own = quantityOf(held, resource) ?? Quantity.zero
    if (left === undefined) return [{ resource, requested, available: Quantity.zero }]
    const isMore = requested.cmp(own) > 0
    return isMore && requested.cmp(left.add(own)) > 0 ? [{ resource, requested, available: left.add(own) }] : []
  })
}
