import type { ObjectMeta } from '../machinery/object.ts'

/**
 * How many bytes of labels and annotations a generated quota may have. Tools put some there; more could take the room that the
 * operator's own annotations need, since a server bounds them together and the object as a whole.
 */
export const MOST_METADATA_BYTES = 16 * 1024

/** How many bytes the labels and annotations of an object take up as JSON. */
export const metadataBytes = ({ labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>): number =>
  JSON.stringify([labels, annotations]).length

/** Has the object more labels and annotations than others may put there? */
export const isCrowded = (metadata: Pick<ObjectMeta, 'labels' | 'annotations'>): boolean =>
  metadataBytes(metadata) > MOST_METADATA_BYTES
