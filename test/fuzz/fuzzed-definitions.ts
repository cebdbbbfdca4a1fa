import type { JsonObject } from '../../src/machinery/object.ts'
import type { SeededRandom } from '../seeded-random.ts'

const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const rules = (...texts: readonly string[]): JsonObject => ({
  'x-kubernetes-validations': texts.map((rule) => ({ rule })),
})

/** Schemas as definitions have them, good ones and bad ones. */
const SCHEMAS: readonly JsonObject[] = [
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  object({ spec: object({ replicas: { type: 'integer', minimum: 0, default: 1 }, name: text({ maxLength: 20 }) }) }),
  object({
    spec: object(
      { min: { type: 'integer' }, max: { type: 'integer' }, word: text({ maxLength: 50 }) },
      rules(
        '!has(self.min) || !has(self.max) || self.min <= self.max',
        'self.word.size() < 40 || oldSelf.word == self.word',
      ),
    ),
  }),
  object({
    spec: object({
      ports: list(object({ name: text({ maxLength: 10 }), port: { type: 'integer' } }, { required: ['name'] }), {
        maxItems: 10,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        ...rules('self.all(p, self.exists_one(q, q.name == p.name))'),
      }),
      tags: list(text({ maxLength: 20 }), { maxItems: 20, 'x-kubernetes-list-type': 'set' }),
      labels: {
        type: 'object',
        additionalProperties: text({ pattern: '^[a-z]+$' }),
        'x-kubernetes-map-type': 'atomic',
      },
    }),
    status: object({ replicas: { type: 'integer' } }),
  }),
  object({ spec: object({ amount: { 'x-kubernetes-int-or-string': true }, when: text({ format: 'date-time' }) }) }),
  object({
    spec: object({
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    }),
  }),
  object({ spec: list(text(), rules('self.all(x, self.all(y, self.all(z, x + y + z != "")))')) }),
  object({ spec: text({ pattern: '(a+)+$', ...rules("self.matches('(x{1000}){1000}')") }) }),
  object({ spec: object({}, rules('self.nothing == 1', 'self.', '1', '"a"')) }),
  object({ spec: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
  object({ spec: text({ default: 7 }) }),
  {},
  { type: 'array' },
]
const COLUMNS = [
  '.spec.name',
  '.spec..name',
  '.spec[?(@.a=="b")].c',
  '.',
  '..',
  '{',
  '.spec[0:1000000]',
  '.metadata.creationTimestamp',
]

/** The spec of a definition of `things` with a schema of its own, and now and then columns, versions and a conversion. */
export function definitionSpec(random: SeededRandom): JsonObject {
  const version = (name: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: random.pick(SCHEMAS) },
    ...(random.chance(0.5)
      ? {
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
        }
      : {}),
    ...(random.chance(0.3)
      ? {
          additionalPrinterColumns: [
            { name: 'A', type: random.pick(['string', 'date', 'x']), jsonPath: random.pick(COLUMNS) },
          ],
        }
      : {}),
  })
  return {
    group: 'fuzz.test',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', true), ...(random.chance(0.2) ? [version('v2', random.chance(0.1))] : [])],
  }
}

const CONDITIONS = [
  'true',
  'false',
  'object.metadata.name != "web"',
  'object.nothing',
  "request.operation in ['CREATE']",
  'object.data.all(x, object.data.all(y, x + y != ""))',
  "object.metadata.name.matches('(a+)+$')",
  '1',
  '(',
]

/** The webhooks of a configuration: nobody listens where they are, so that they fail at once. */
export function webhooks(random: SeededRandom): readonly JsonObject[] {
  return Array.from({ length: random.between(0, 2) }, (_, index) => ({
    name: `hook${index}.fuzz.test`,
    clientConfig: { url: 'https://127.0.0.1:1/hook' },
    rules: [
      {
        apiGroups: [random.pick(['', 'fuzz.test', 'apps'])],
        apiVersions: ['v1'],
        operations: [random.pick(['CREATE', 'UPDATE', 'DELETE'])],
        resources: [random.pick(['configmaps', 'things', 'deployments/scale'])],
      },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'fuzz-b' } },
    failurePolicy: random.pick(['Ignore', 'Fail']),
    timeoutSeconds: 1,
    sideEffects: random.pick(['None', 'NoneOnDryRun']),
    admissionReviewVersions: ['v1'],
    ...(random.chance(0.5)
      ? {
          matchConditions: [
            { name: 'a', expression: random.pick(CONDITIONS) },
            { name: 'b', expression: random.pick(CONDITIONS) },
          ],
        }
      : {}),
  }))
}
