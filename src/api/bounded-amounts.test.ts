// Covers the CRDs of ../systems/custom-resources.ts: each amount has its bounds.
import { expect, test } from 'vitest'
import { isObject } from '../machinery/object.ts'
import { customResources } from '../systems/custom-resources.ts'
import { MOST_RESOURCES } from './definition/collection.ts'

/** The maps from names to amounts below a schema, by their paths, with the members that each may have. */
function amounts(schema: unknown, path: string): readonly (readonly [path: string, most: unknown])[] {
  if (!isObject(schema)) return []
  const { additionalProperties, properties, items, maxProperties } = schema
  const isAmount = isObject(additionalProperties) && additionalProperties['x-kubernetes-int-or-string'] === true
  return [
    ...(isAmount ? [[path, maxProperties] as const] : []),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, child]) =>
      amounts(child, `${path}.${name}`),
    ),
    ...amounts(items, `${path}[]`),
    ...amounts(additionalProperties, `${path}{}`),
  ]
}

const written = customResources.flatMap(({ crd, resource }) =>
  (
    JSON.parse(JSON.stringify(crd)) as { spec: { versions: { schema: { openAPIV3Schema: { properties: object } } }[] } }
  ).spec.versions.flatMap(({ schema: { openAPIV3Schema } }) =>
    Object.entries(openAPIV3Schema.properties)
      .filter(([name]) => name !== 'status')
      .flatMap(([name, child]) => amounts(child, `${resource}: ${name}`)),
  ),
)

test('every list of amounts that users write in a kind of ours holds a bounded number of resources', () => {
  expect(written.map(([path]) => path)).toEqual(
    expect.arrayContaining([
      'resourcepools: spec.quota.hard',
      'resourcepoolclaims: spec.claim',
      'quotaincreases: spec.hard',
      'karmadaquotas: spec.hard',
    ]),
  )
  // Ledgers are written by allot alone.
  const unbounded = written.filter(([path, most]) => most !== MOST_RESOURCES && !path.startsWith('quantityledgers'))
  expect(unbounded).toEqual([])
})
