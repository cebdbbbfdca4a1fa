import { setOwn } from '../../../../machinery/json-value.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import type { NamespaceView } from './view.ts'
import { onTop } from './hard.ts'

export interface QuotaGoal {
  /** The desired `spec.hard`. */
  readonly hard: ResourceList
  /** Does it allow more than the quota does? */
  readonly raises: boolean
  /** The resources that are to be raised, but not now. */
  readonly held: readonly string[]
}

/** Returns the desired quota, where `mayRaise` says which resources may be raised now. */
export function goalOf(view: NamespaceView, defaults: ResourceList, mayRaise: (name: string) => boolean): QuotaGoal {
  const claimed: Record<string, Quantity> = {}
  const held: string[] = []
  let raises = false
  for (const name of resourceNames({ ...view.target, ...view.room })) {
    const asked = view.askedOf(name)
    const now = asked !== undefined && asked.sign() > 0 ? asked : Quantity.zero
    const wanted = wantedOf(view, name)
    const isRaise = wanted.cmp(now) > 0
    const isHeld = isRaise && !mayRaise(name)
    if (isHeld) held.push(name)
    else raises ||= isRaise
    const amount = isHeld ? now : wanted
    // While room is on its way back, a limit of nothing shows what is used; a quota without claims is made so too.
    const isShown = !view.roomOf(name).isZero() || (isHeld && (asked !== undefined || view.quota === undefined))
    if (!amount.isZero() || isShown) setOwn(claimed, name, amount)
  }
  return { hard: onTop(claimed, defaults), raises, held }
}

/**
 * The claimed part that is wanted: the target, and what workloads use of the room. While that is taken back it is at most
 * what the quota asks for already.
 */
function wantedOf(view: NamespaceView, name: string): Quantity {
  const target = view.targetOf(name)
  if (view.release === undefined) return target
  if (view.release.token === undefined) return target.add(view.roomOf(name))
  const beyond = (view.askedOf(name) ?? Quantity.zero).sub(target)
  const occupied = view.occupiedOf(name) ?? Quantity.zero
  if (beyond.sign() <= 0) return target
  return target.add(beyond.cmp(occupied) < 0 ? beyond : occupied)
}
