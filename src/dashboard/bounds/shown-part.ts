import { slimMetadata } from '../../kube/cache/trim-object.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** Longer than any annotation that allot reads, and than any message that is shown. */
const LONGEST = 4096
/** Longer than all annotations together that allot reads. */
const LONGEST_ANNOTATIONS = 8192

/** What answers need of an object: no managed fields, no applied configuration, and of long annotations and messages the beginning. */
export function shownPart<T extends KubeObject>(object: T): T {
  const slim = slimMetadata(object)
  const { annotations } = slim.metadata
  const message: unknown = slim['message']
  const shown = isLong(message) ? { ...slim, message: beginningOf(message) } : slim
  return annotations === undefined || sizeOf(annotations) <= LONGEST
    ? shown
    : { ...shown, metadata: { ...slim.metadata, annotations: shortened(annotations) } }
}

type Annotations = Readonly<Record<string, string>>

const sizeOf = (annotations: Annotations): number =>
  Object.entries(annotations).reduce((sum, [name, text]) => sum + name.length + text.length, 0)

/** The shortest come first: many long ones take the place of none that allot reads. */
function shortened(annotations: Annotations): Annotations {
  let left = LONGEST_ANNOTATIONS
  const bySize = Object.entries(annotations).toSorted(([, a], [, b]) => a.length - b.length)
  return Object.fromEntries(
    bySize.flatMap(([name, text]) => {
      const short = isLong(text) ? beginningOf(text) : text
      left -= name.length + short.length
      return left < 0 ? [] : [[name, short]]
    }),
  )
}

const isLong = (text: unknown): text is string => typeof text === 'string' && text.length > LONGEST
/** A copy: a slice would keep the whole text. */
const beginningOf = (text: string): string => Buffer.from(text.slice(0, LONGEST)).toString()
