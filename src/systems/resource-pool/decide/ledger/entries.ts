import type { AllocatedClaim, PoolRelease } from '../../api/resource-pool.ts'

/** The part of a pool's status that holds the grants of its claims: `status.claims`, by namespace. */
export type Ledger = Readonly<Record<string, readonly AllocatedClaim[]>>

export type Releases = Readonly<Record<string, PoolRelease>>

type Identity = { readonly namespace: string; readonly uid: string }

/** The entries of a namespace; none where it has none. */
export function entriesOf(claims: Ledger | undefined, namespace: string): readonly AllocatedClaim[] | undefined {
  return claims !== undefined && Object.hasOwn(claims, namespace) ? claims[namespace] : undefined
}

/** Returns the amounts that a namespace gave back and its quota may still allow. */
export function releaseOf(releasing: Releases | undefined, namespace: string): PoolRelease | undefined {
  return releasing !== undefined && Object.hasOwn(releasing, namespace) ? releasing[namespace] : undefined
}

/** The entry of a claim, found by namespace and uid: a recreated claim of the same name is another one. */
export function entryOf(claims: Ledger | undefined, { namespace, uid }: Identity): AllocatedClaim | undefined {
  return entriesOf(claims, namespace)?.find((entry) => entry.uid === uid)
}
