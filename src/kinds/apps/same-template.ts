import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'

/** Do two templates say the same? A label under `hashLabel`, which a controller adds, does not count. */
export function sameTemplate(a: unknown, b: unknown, hashLabel: string): boolean {
  return jsonEqual(withoutLabel(a, hashLabel), withoutLabel(b, hashLabel))
}

function withoutLabel(template: unknown, label: string): JsonObject {
  const { metadata, ...rest } = objectOf(template)
  const { labels, ...others } = objectOf(metadata)
  const { [label]: _hash, ...kept } = objectOf(labels)
  return { ...rest, metadata: { ...others, labels: kept } }
}
