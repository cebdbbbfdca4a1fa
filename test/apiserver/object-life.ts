import { builtInStrategies } from '../../src/apiserver/resource/built-in-strategies.ts'
import type { Strategy } from '../../src/kinds/strategy/strategy.ts'
import { sentence } from '../../src/machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'

/** The time of every request here. */
export const context = { now: '2026-11-21T00:00:00Z' }

/** The strategy of a resource that has one, `deployments.apps`. */
export const strategy = (resource: string): Strategy => builtInStrategies[resource]!

export const objectOf = (fields: JsonObject, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  ...fields,
  metadata: { name: 'thing', namespace: 'shop', uid: 'b7f0', ...metadata },
})

/** The object with the defaults of its kind. */
export const defaulted = (resource: string, object: KubeObject): KubeObject =>
  strategy(resource).defaults?.(object) ?? object

/** As it is stored when it is created. */
export const stored = (resource: string, object: KubeObject): KubeObject =>
  strategy(resource).prepareForCreate?.(defaulted(resource, object), context) ?? defaulted(resource, object)

/** Returns the errors of a create of the object, in sentences. */
export const problems = (resource: string, object: KubeObject): string[] =>
  (strategy(resource).validate?.(stored(resource, object)) ?? []).map(sentence)

/** Returns the errors of an update from one object to the other, in sentences. */
export const updateProblems = (resource: string, before: KubeObject, after: KubeObject): string[] => {
  const old = stored(resource, before)
  const next = defaulted(resource, after)
  const prepared = strategy(resource).prepareForUpdate?.(next, old, context) ?? next
  const rules = strategy(resource).validateUpdate ?? strategy(resource).validate
  return (rules?.(prepared, old) ?? []).map(sentence)
}

export const template = (labels: JsonObject = { app: 'till' }, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
})

export const workload = (spec: JsonObject = {}): KubeObject =>
  objectOf({ spec: { selector: { matchLabels: { app: 'till' } }, template: template(), ...spec } })
