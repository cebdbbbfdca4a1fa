import type { ObjectId } from './explanation.ts'

/** An object as readers of a namespace call it: with its namespace where that is another one. */
export const ownerText = ({ kind, namespace, name }: ObjectId, reader: string): string =>
  `${kind} ${namespace === '' || namespace === reader ? name : `${namespace}/${name}`}`
