import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { quantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { CAPSULE_LEASE_NAME } from '../../install/installed-names.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'

/** A program whose kinds allot serves, and whose place it can take. */
export interface Peer {
  readonly title: string
  /** Names it on the command line and in the record. */
  readonly name: 'capsule' | 'quota-operator'
  /** The last part of the names of its images. */
  readonly images: readonly string[]
  /** The versions that allot is compatible with, as the first two numbers: from the first to the last, both included. */
  readonly versions: readonly { readonly from: Release; readonly to: Release }[]
  /** The kinds that both serve. */
  readonly kinds: readonly ResourceKind[]
  /** The Lease of its leader, whatever the namespace; left out: it has none. */
  readonly lease?: string
  /** The names of its webhooks end with one of these. */
  readonly hookDomains: readonly string[]
  /** It looks after all kinds of these groups, but for its settings. Objects of those that allot does not serve are left alone. */
  readonly ownGroups: readonly string[]
  readonly settings: readonly string[]
  /** Does it decide on the objects of users? Then allot has to, before its webhook for them goes. */
  readonly charges: boolean
}

/** Major and minor. */
export type Release = readonly [number, number]

export const CAPSULE: Peer = {
  title: 'Capsule',
  name: 'capsule',
  images: ['capsule'],
  versions: [{ from: [0, 14], to: [0, 14] }],
  kinds: [resourcePool, resourcePoolClaim, customQuota, globalCustomQuota, quantityLedger],
  lease: CAPSULE_LEASE_NAME,
  hookDomains: ['projectcapsule.dev', resourcePool.group],
  ownGroups: [resourcePool.group],
  settings: ['CapsuleConfiguration'],
  charges: true,
}

export const QUOTA_OPERATOR: Peer = {
  title: 'the quota operator',
  name: 'quota-operator',
  images: ['quota-operator', 'platform-service-quota'],
  versions: [
    { from: [0, 3], to: [0, 18] },
    { from: [1, 0], to: [1, 0] },
  ],
  kinds: [quotaIncrease, quotaServiceConfig],
  hookDomains: [],
  // Others have kinds of this group, too.
  ownGroups: [],
  settings: [],
  charges: false,
}

/** The versions as people read them. */
export const versionsText = ({ versions }: Pick<Peer, 'versions'>): string =>
  versions
    .map(({ from, to }) => (from.join() === to.join() ? from.join('.') : `${from.join('.')} to ${to.join('.')}`))
    .join(' and ')

/** Is allot compatible with this version of a peer? A version that is none is not. */
export function isCompatible({ versions }: Pick<Peer, 'versions'>, version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:\.|-|\+|$)/.exec(version) ?? []
  if (major === undefined || minor === undefined) return false
  const release: Release = [Number(major), Number(minor)]
  return versions.some(({ from, to }) => compare(from, release) <= 0 && compare(release, to) <= 0)
}

const compare = (one: Release, other: Release): number => one[0] - other[0] || one[1] - other[1]
