import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../../machinery/object.ts'
import { missingField } from './path-in-schema.ts'

const file = new URL('../../../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { readonly definitions: Record<string, JsonObject> }
const resolve = (reference: string): JsonObject | undefined => definitions[reference.split('/').at(-1) ?? '']
const schemaOf = (name: string) => ({ root: { $ref: `#/definitions/${name}` }, resolve })
const missingIn = (root: JsonObject, path: string) => missingField(path, { root, resolve })
const pod = schemaOf('io.k8s.api.core.v1.Pod')

/** The paths of all fields of a schema, down to a depth. */
function* pathsOf(schema: JsonObject, path: string, depth: number): Generator<string> {
  const { $ref, properties, items } = schema
  if (depth === 0) return
  if (typeof $ref === 'string') yield* pathsOf(resolve($ref) ?? {}, path, depth)
  if (isObject(items)) yield* pathsOf(items, `${path}[*]`, depth)
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const below = /^[\w-]+$/.test(name) ? `${path}.${name}` : undefined
    if (below === undefined || !isObject(property)) continue
    yield below
    yield* pathsOf(property, below, depth - 1)
  }
}

test('no field of a kind of Kubernetes is missing, and each misspelled one is', () => {
  const kinds = Object.keys(definitions).filter(
    (name) =>
      isObject(definitions[name]?.['properties']) &&
      /^io\.k8s\.api\.(core|apps|batch|networking)\.v1\.[A-Z]\w+$/.test(name),
  )
  expect(kinds.length).toBeGreaterThan(100)
  const wrongly: string[] = []
  for (const name of kinds) {
    const { root } = schemaOf(name)
    for (const path of pathsOf(root, '', 3)) {
      if (missingIn(root, path) !== undefined) wrongly.push(`${name} has ${path}`)
      const isOfEveryObject = /^\.(apiVersion|kind|metadata)$/.test(path)
      const wrong = `${path}Zz`
      if (!isOfEveryObject && missingIn(root, wrong)?.name !== wrong.split('.').at(-1))
        wrongly.push(`${name} lacks ${wrong}`)
    }
  }
  expect(wrongly).toEqual([])
})

describe('of a Pod', () => {
  test.each([
    ['.spec.contaners[*].image', 'contaners', 'containers', false],
    ['.spec.containers.image', 'image', undefined, true],
    ['.spec.containers[*].resources.request.cpu', 'request', 'requests', false],
    ['.spec.nodeName.x', 'x', undefined, false],
    ['.specs.replicas', 'specs', 'spec', false],
    ['.spec.volumes[?(@.name=="a")].emptydir.sizeLimit', 'emptydir', 'emptyDir', false],
  ])('%s finds nothing', (path, name, meant, isInList) => {
    expect(missingField(path, pod)).toMatchObject({ name, isInList, ...(meant && { meant }) })
  })

  test.each([
    '.metadata.annotations.example\\.com/size',
    ".metadata.labels['app\\.kubernetes\\.io/name']",
    '.spec.containers[*].resources.requests.example\\.com/gpu',
    '.spec.containers[0].resources.limits.cpu',
    '.spec.containers[?(@.name=="a")].resources.requests.cpu',
    '.spec.volumes[*].emptyDir.sizeLimit',
    '.status.phase[?(@=="Running")]',
    '..cpu',
    '.spec.*.cpu',
  ])('%s may find something', (path) => {
    expect(missingField(path, pod)).toBeUndefined()
  })
})

describe('of a custom resource', () => {
  const of = (more: object): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'string' } }, ...more } },
  })

  test('fields that its schema leaves open may be there', () => {
    expect(missingIn(of({}), '.spec.sizes')).toEqual({ parent: 'spec', name: 'sizes', meant: 'size', isInList: false })
    for (const open of [
      { 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-embedded-resource': true },
      { additionalProperties: true },
      { anyOf: [{}] },
    ])
      expect(missingIn(of(open), '.spec.sizes')).toBeUndefined()
    expect(missingIn({}, '.spec.sizes')).toBeUndefined()
    expect(missingIn(of({}), '.metadata.generation')).toBeUndefined()
  })

  test('a map without named fields is followed to its values', () => {
    const map = { type: 'object', additionalProperties: { type: 'object', properties: { cpu: { type: 'string' } } } }
    const root = { type: 'object', properties: { spec: map } }
    expect(missingIn(root, '.spec.any.cpu')).toBeUndefined()
    expect(missingIn(root, '.spec.any.memory')).toMatchObject({ parent: 'spec.any', name: 'memory' })
  })

  test('references within a list of parts, and one to itself, are followed', () => {
    const root = {
      type: 'object',
      properties: { template: { allOf: [{ $ref: '#/definitions/io.k8s.api.core.v1.Pod' }] } },
    }
    expect(missingIn(root, '.template.spec.nodeName')).toBeUndefined()
    expect(missingIn(root, '.template.spec.nodename')).toMatchObject({ meant: 'nodeName' })
    const circle = { root: { $ref: 'self' }, resolve: () => ({ $ref: 'self' }) }
    expect(missingField('.spec', circle)).toBeUndefined()
  })
})
