import { groupKindOf, type KubeObject } from '../../machinery/object.ts'
import type { Strategy } from './strategy.ts'

/** The kind that the refusal of an object names: its own, in the group that its strategy says. */
export function refusedKind(
  { errorGroup }: Strategy,
  object: KubeObject,
): { readonly group: string; readonly kind: string } {
  const { group, kind } = groupKindOf(object)
  return { group: errorGroup ?? group, kind }
}
