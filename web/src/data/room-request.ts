import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../src/api/capsule.ts'
import { OPENMCP_GROUP, OPENMCP_VERSION } from '../../../src/systems/quota-increase/api/increase-names.ts'

/** A claim or an increase that the page can create: what is in the body of the request. */
export interface RoomRequest {
  readonly path: '/api/v1/claims' | '/api/v1/increases'
  readonly manifest: object
}

/** What a form asks for. */
export interface WantedRoom {
  readonly kind: 'claim' | 'increase'
  readonly namespace: string
  readonly name: string
  /** Of a claim; empty: the operator chooses one. */
  readonly pool: string
  readonly resource: string
  readonly amount: string
}

const PATHS: ReadonlyMap<unknown, RoomRequest['path']> = new Map([
  ['ResourcePoolClaim', '/api/v1/claims'],
  ['QuotaIncrease', '/api/v1/increases'],
])

export function roomRequest({ kind, namespace, name, pool, resource, amount }: WantedRoom): RoomRequest {
  const metadata = { namespace, name }
  const amounts = { [resource]: amount }
  return kind === 'claim'
    ? {
        path: '/api/v1/claims',
        manifest: {
          apiVersion: `${CAPSULE_GROUP}/${CAPSULE_VERSION}`,
          kind: 'ResourcePoolClaim',
          metadata,
          spec: { ...(pool === '' ? {} : { pool }), claim: amounts },
        },
      }
    : {
        path: '/api/v1/increases',
        manifest: {
          apiVersion: `${OPENMCP_GROUP}/${OPENMCP_VERSION}`,
          kind: 'QuotaIncrease',
          metadata,
          spec: { hard: amounts },
        },
      }
}

/** The request that creates the manifest of a remedy; undefined where the page creates nothing of its kind. */
export function requestOfManifest(manifest: Readonly<Record<string, unknown>>): RoomRequest | undefined {
  const path = PATHS.get(manifest['kind'])
  return path === undefined ? undefined : { path, manifest }
}
