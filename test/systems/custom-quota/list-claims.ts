import {
  type ClaimedObject,
  ClaimList,
  type ListedClaims,
} from '../../../src/systems/custom-quota/decide/listed-claims.ts'

/** Lists these objects, as the status of a quota does. */
export function listClaims(objects: Iterable<ClaimedObject>, max?: number): ListedClaims {
  const list = new ClaimList(max)
  for (const object of objects) list.add(object)
  return list.listed
}
