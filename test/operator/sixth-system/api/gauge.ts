import { listOf } from '../../../../src/api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../../src/api/definition/custom-resource.ts'
import { object } from '../../../../src/api/definition/object-schema.ts'
import { integer, text } from '../../../../src/api/definition/scalar-type.ts'

const operations = listOf('The operations that are reviewed.', text())

/** A limit on the sizes that ConfigMaps of its label say that they have. */
export const gauge = customResource({
  group: 'sixth.allot.dev',
  version: 'v1',
  kind: 'Gauge',
  plural: 'gauges',
  namespaced: false,
  description: 'Limits the sizes of the ConfigMaps that name it.',
  columns: [],
  spec: object('The limit.', { most: integer('The limit.'), operations }),
  status: object('What was last seen.', { used: integer('The sum of the sizes.'), enforced: operations }),
})

export type Gauge = ObjectOf<typeof gauge>
