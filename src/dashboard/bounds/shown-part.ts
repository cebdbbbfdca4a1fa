import { slimMetadata } from '../../kube/cache/trim-object.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** Longer than any annotation that allot reads, and than any amount or word that a quota counts by. */
const LONGEST = 4096

/** What answers need of an object: no managed fields, no applied configuration, and of long annotations the beginning. */
export function shownPart<T extends KubeObject>(object: T): T {
  const slim = slimMetadata(object)
  const { annotations } = slim.metadata
  if (annotations === undefined || !Object.values(annotations).some(isLong)) return slim
  const short = Object.fromEntries(Object.entries(annotations).map(([name, text]) => [name, beginningOf(text)]))
  return { ...slim, metadata: { ...slim.metadata, annotations: short } }
}

const isLong = (text: unknown): boolean => typeof text === 'string' && text.length > LONGEST
/** A copy: a slice would keep the whole text. */
const beginningOf = (text: string): string => (isLong(text) ? Buffer.from(text.slice(0, LONGEST)).toString() : text)
