import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { context, defaulted, objectOf, stored, workload } from '../../../test/apiserver/object-life.ts'
import { builtInStrategies } from './built-in-strategies.ts'

test('every strategy is for a resource that the server serves', () => {
  const data = JSON.parse(
    readFileSync(new URL('../../../schemas/kubernetes-1.36-resources.json', import.meta.url), 'utf8'),
  ) as { resources: Record<string, { group: string; resource: string }> }
  const served = new Set(
    Object.values(data.resources).map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
  )
  expect(Object.keys(builtInStrategies).filter((resource) => !served.has(resource))).toEqual([])
})

describe('every strategy', () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) {
      Object.freeze(value)
      for (const inner of Object.values(value)) frozen(inner)
    }
    return value
  }
  const objects = [
    objectOf({}),
    objectOf({ spec: {}, status: {} }),
    workload({ ports: [{ port: 1 }], limits: [{ type: 'Container', max: { cpu: '1' } }], devices: { requests: [{}] } }),
    objectOf({
      webhooks: [{}],
      subjects: [{ kind: 'User' }],
      roleRef: {},
      ports: [{}],
      rules: [{}],
      subsets: [{ ports: [{}] }],
    }),
    objectOf({ spec: null, status: null, data: null, stringData: { a: 'b' } }),
  ].map(frozen)

  test.each(Object.entries(builtInStrategies))('%s leaves what it is given alone, and settles at once', (_, rules) => {
    for (const object of objects) {
      const once = frozen(rules.defaults?.(object) ?? object)
      expect(rules.defaults?.(once) ?? once).toEqual(once)
      const made = frozen(rules.prepareForCreate?.(once, context) ?? once)
      rules.validate?.(made)
      rules.warnings?.(made)
      const changed = frozen(rules.prepareForUpdate?.(once, made, context) ?? once)
      ;(rules.validateUpdate ?? rules.validate)?.(changed, made)
      const reported = frozen(rules.prepareForStatusUpdate?.(once, made, context) ?? once)
      rules.validateStatusUpdate?.(reported, made)
      for (const check of Object.values(rules.validateSubresource ?? {})) check(changed, made)
    }
  })

  test.each(Object.entries(builtInStrategies))(
    '%s updates what it created without complaint or change',
    (resource, rules) => {
      for (const object of objects) {
        const made = stored(resource, object)
        if ((rules.validate?.(made) ?? []).length > 0) continue
        const again = defaulted(resource, made)
        const updated = rules.prepareForUpdate?.(again, made, context) ?? again
        expect(updated).toEqual(made)
        expect((rules.validateUpdate ?? rules.validate)?.(updated, made) ?? []).toEqual([])
      }
    },
  )
})
