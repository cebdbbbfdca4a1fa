import { isObject, type KubeObject } from '../../machinery/object.ts'
import { parseFieldQuery } from '../../machinery/selector/field-query.ts'
import { parseLabelQuery } from '../../machinery/selector/label-query.ts'
import type { WatchScope } from './reflector.ts'

/** Would a watch of this scope report the object? Throws SelectorError for a selector that is not well formed. */
export function scopeTest(scope: WatchScope): (object: KubeObject) => boolean {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = scope
  const labels = parseLabelQuery(labelSelector)
  const fields = parseFieldQuery(fieldSelector)
  return (object) =>
    (namespace === '' || object.metadata.namespace === namespace) &&
    labels.matches(object.metadata.labels ?? {}) &&
    fields.matches((path) => fieldText(object, path))
}

function fieldText(object: KubeObject, path: string): string | undefined {
  let value: unknown = object
  for (const step of path.split('.')) value = isObject(value) ? value[step] : undefined
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined
}
