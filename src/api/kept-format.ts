import type { KubeObject } from '../machinery/object.ts'

/** The annotation that names the format of what allot keeps in an object. */
const FORMAT_ANNOTATION = 'allot.dev/format'

/** The annotations that say that an object has this format. */
export const formatMark = (format: number): Readonly<Record<string, string>> => ({
  [FORMAT_ANNOTATION]: String(format),
})

/**
 * Why an object must be left as it is: a later version of allot keeps something else in it. Undefined where this version, which reads formats
 * up to `known`, may go on. Objects without the annotation are older than it.
 */
export function newerFormat({ kind, metadata }: KubeObject, known: number): string | undefined {
  const format = metadata.annotations?.[FORMAT_ANNOTATION]
  if (format === undefined || (/^\d{1,9}$/.test(format) && Number(format) <= known)) return undefined
  const { namespace = '', name = '' } = metadata
  const place = namespace === '' ? name : `${namespace}/${name}`
  return `the ${kind} ${place} has the format ${JSON.stringify(format.slice(0, 20))}, and this version of allot reads ${known}`
}
