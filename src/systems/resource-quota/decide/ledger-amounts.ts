import { type GroupResource } from '../../../machinery/status.ts'

/**
 * The part of the ledger of a ResourceQuota that holds what the objects of one resource use of one limit. It stands where a ledger has the kind of
 * objects, without a version: the same object counts the same in all versions.
 */
export const partOf = ({ group, resource }: GroupResource, limit: string): string => `${group}//${resource}/${limit}`

/** Do both parts measure the objects of one resource? */
export const isOfSameResource = (part: string, other: string): boolean => resourceOf(part) === resourceOf(other)

const resourceOf = (part: string): string => part.split('/').slice(0, 3).join('/')

/** The limit that a part counts towards, such as `requests.cpu` or `count/deployments.apps`. */
export const limitOf = (part: string): string => part.split('/').slice(3).join('/')
