import type { CustomResourceDefinition, JSONSchemaProps } from '../../builtin/apiextensions-v1.ts'
import { goQuote } from '../../machinery/go/quote.ts'
import { isTree } from '../../machinery/json-value.ts'
import { isKnownFormat } from '../../schema/structural/value/formats.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'

/** Where a schema holds others: by itself, in a list, or in a map. */
const SINGLE = ['items', 'not', 'additionalProperties', 'additionalItems'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const MAPS = ['properties', 'patternProperties', 'definitions', 'dependencies'] as const

/** Returns the warnings about a CRD: formats that nothing checks, except those that `old` has. */
export function crdWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): readonly string[] {
  const before = old === undefined ? new Set<string>() : unknownFormats(old)
  return [...unknownFormats(crd)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`)
}

function unknownFormats(crd: CustomResourceDefinition): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = objectsOf(specOf(crd).versions).map(({ schema }) => objectOf(objectOf(schema).openAPIV3Schema))
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    const format = textOf(schema.format)
    const type = textOf(schema.type)
    if (format !== '' && !isKnownFormat(format, type === '' ? [] : [type])) found.add(format)
    for (const below of schemasBelow(schema)) waiting.push(below)
  }
  return found
}

function schemasBelow(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  return [
    ...SINGLE.map((name) => schema[name]),
    ...LISTS.flatMap((name) => objectsOf(schema[name])),
    ...MAPS.flatMap((name) => Object.values(objectOf(schema[name]))),
  ].filter(isTree)
}
