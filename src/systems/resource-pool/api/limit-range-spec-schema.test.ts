import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { objectOf, textOf } from '../../../machinery/read.ts'
import { MOST_RESOURCES } from '../../../api/definition/collection.ts'
import { quantity } from '../../../api/definition/scalar-type.ts'
import { limitRangeSpec } from './limit-range-spec-schema.ts'

const file = new URL('../../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { readonly definitions: JsonObject }
const PREFIX = '#/definitions/'

/** The structural schema that a CRD needs for a definition of Kubernetes. */
function structural(schema: JsonObject): JsonObject {
  const { $ref, items, properties, additionalProperties, ...rest } = schema
  if (textOf($ref) === `${PREFIX}io.k8s.apimachinery.pkg.api.resource.Quantity`) return { ...quantity().openapi }
  if ($ref !== undefined) return structural(objectOf(definitions[textOf($ref).slice(PREFIX.length)]))
  return {
    ...rest,
    ...(items === undefined ? {} : { items: structural(objectOf(items)) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: structural(objectOf(additionalProperties)), maxProperties: MOST_RESOURCES }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(objectOf(properties)).map(([name, one]) => [name, structural(objectOf(one))]),
          ),
        }),
  }
}

const withoutDescriptions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (!isObject(value)) return value
  const { description: _, ...rest } = value
  return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, withoutDescriptions(one)]))
}

test('the schema of a LimitRangeSpec is that of Kubernetes 1.36, with a bound on each list of amounts', () => {
  const { openapi } = limitRangeSpec('The LimitRange.')
  expect(withoutDescriptions(openapi)).toEqual(structural(objectOf(definitions['io.k8s.api.core.v1.LimitRangeSpec'])))
})
