import type { JsonObject, KubeObject, ObjectMeta } from '../../../machinery/object.ts'

/**
 * How many bytes of labels and annotations a generated quota may have. Tools put some there; more could take the room that the
 * operator's own annotations need, since a server bounds them together and the object as a whole.
 */
export const MOST_METADATA_BYTES = 16 * 1024

/** Managers repeat the names of the fields of `spec` and `status`, in a form that is a little longer than the fields. */
const MANAGED_RATIO = 1.5

/**
 * Stands in a cached object for managed fields of which there are too many. In a PUT it makes a server forget all managers, so
 * a write of the cached object makes room.
 */
export const TOO_MANY_MANAGERS: readonly JsonObject[] = [{}]

/** How many bytes the labels and annotations of an object take up as JSON. */
const metadataBytes = ({ labels = {}, annotations = {} }: ObjectMeta): number =>
  JSON.stringify([labels, annotations]).length

/** A server bounds the managers that update, but neither those that apply nor those that a client writes there itself. */
const managerBytes = ({ managedFields }: ObjectMeta): number =>
  managedFields === undefined ? 0 : JSON.stringify(managedFields).length

const mostManagerBytes = (object: KubeObject): number =>
  MOST_METADATA_BYTES + MANAGED_RATIO * JSON.stringify([object['spec'], object['status']]).length

/** Has the object more managed fields than others may put there? */
export function hasTooManyManagers(object: KubeObject): boolean {
  const { managedFields } = object.metadata
  if (managedFields === undefined || managedFields.length === 0) return false
  if (managedFields.length === 1 && Object.keys(managedFields[0] ?? {}).length === 0) return true
  const bytes = managerBytes(object.metadata)
  return bytes > MOST_METADATA_BYTES && bytes > mostManagerBytes(object)
}

/** Has the object more labels and annotations than others may put there? */
export const hasTooManyLabels = ({ metadata }: KubeObject): boolean => metadataBytes(metadata) > MOST_METADATA_BYTES

/** Has the object more labels, annotations or managed fields than others may put there? */
export const isCrowded = (object: KubeObject): boolean => hasTooManyLabels(object) || hasTooManyManagers(object)

/** The thing that a change cannot do with an object, and the remedy, as parts of a sentence. */
export interface Crowding {
  readonly cannot: string
  readonly instead: string
}

/** Why a change may not be: it adds to what is too much, or makes it too much. A change may always take some away. */
export function crowdingOf(object: KubeObject, old: KubeObject): Crowding | undefined {
  const [labels, managers] = [metadataBytes(object.metadata), managerBytes(object.metadata)]
  if (hasTooManyLabels(object) && labels > metadataBytes(old.metadata))
    return {
      cannot: `have ${labels} bytes of labels and annotations: ${MOST_METADATA_BYTES} are the most`,
      instead: 'shorten or remove some',
    }
  if (hasTooManyManagers(object) && managers > managerBytes(old.metadata))
    return {
      cannot: `have ${managers} bytes of managed fields: ${Math.floor(mostManagerBytes(object))} are the most`,
      instead: 'use fewer field managers',
    }
  return undefined
}

/** The metadata that a PUT needs besides what it writes, for a server that keeps managed fields unless they are sent. */
export const managersReset = (object: KubeObject | undefined): Pick<ObjectMeta, 'managedFields'> =>
  object !== undefined && hasTooManyManagers(object) ? { managedFields: TOO_MANY_MANAGERS } : {}
