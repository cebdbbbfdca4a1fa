import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs/light.js'
import { describe, expect, test } from 'vitest'
import { builtinResources } from '../resource/builtin-resources.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { openApiFactory } from './openapi.ts'

const data = (file: string) => JSON.parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), 'utf8'))
const { messages } = data('openapi-v2-protobuf.json')
const builtin = builtinResources(data('kubernetes-1.36-resources.json'))
const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const factory = () =>
  openApiFactory({
    definitions: data('kubernetes-1.36-definitions.json').definitions,
    messages,
    version: 'v1.36.0',
    hash,
  })
const widgets: ServedResource = {
  group: 'shop.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  singular: 'widget',
  namespaced: true,
  custom: true,
  verbs: ['create', 'get', 'list', 'patch', 'watch'],
  subresources: [
    { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
  ],
  schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer' }, note: { type: 'string', nullable: true } } },
    },
  },
}
const openApi = factory()([...builtin, widgets])
const v3 = (path: string) => JSON.parse(openApi.v3(path)?.body ?? 'null')
const WIDGET = 'com.example.shop.v1.Widget'
const METHODS = ['get', 'put', 'post', 'delete', 'patch']

// oxlint-disable-next-line typescript/no-explicit-any -- documents are read as the JSON they are
type Document = any

function references(value: Document): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' ? [child] : references(child),
  )
}
const resolve = (document: Document, ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, step) => at?.[step], document)
const operations = (document: Document): Document[] =>
  Object.values<Document>(document.paths).flatMap((item) => METHODS.map((method) => item[method]).filter(Boolean))

const names = (list: { name: string }[]) => list.map(({ name }) => name)
const extension = (of: Document, name: string) =>
  JSON.parse(of.vendorExtension.find((one: Document) => one.name === name).value.yaml)

describe('OpenAPI v3', () => {
  const index = JSON.parse(openApi.v3Index().body)

  test('has an index that names each document with the hash of its content', () => {
    for (const [path, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(index.paths))
      expect(serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${hash(openApi.v3(path)?.body ?? '')}`)
    expect(Object.keys(index.paths)).toEqual(
      expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/shop.example.com/v1']),
    )
    expect(openApi.v3('apis/nothing/v1')).toBeUndefined()
  })

  test.each(Object.keys(index.paths))('defines all that %s refers to', (path) => {
    const document = v3(path)
    const refs = references(document)
    expect(refs.filter((ref) => !ref.startsWith('#/components/schemas/'))).toEqual([])
    expect(refs.filter((ref) => resolve(document, ref) === undefined)).toEqual([])
  })

  test('gives every operation an id of its own', () => {
    const ids = Object.keys(index.paths).flatMap((path) => operations(v3(path)).map(({ operationId }) => operationId))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        'createCoreV1NamespacedPod',
        'listAppsV1DeploymentForAllNamespaces',
        'deleteCoreV1CollectionNamespacedPod',
        'readRbacAuthorizationV1ClusterRole',
        'replaceAppsV1NamespacedDeploymentScale',
        'createCoreV1Namespace',
        'patchShopExampleComV1NamespacedWidget',
      ]),
    )
  })

  test('documents on PATCH the parameters that kubectl looks for, with the kind', () => {
    const { patch } = v3('api/v1').paths['/api/v1/namespaces/{namespace}/pods/{name}']
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    })
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ])
    expect(Object.keys(patch.requestBody.content)).toContain('application/strategic-merge-patch+json')
  })

  test('has a path for each verb of a resource and of its subresources, and no other', () => {
    const document = v3('apis/shop.example.com/v1')
    const item = '/apis/shop.example.com/v1/namespaces/{namespace}/widgets'
    const found = Object.entries<Document>(document.paths).map(([path, entry]) => [
      path,
      METHODS.filter((method) => method in entry),
    ])
    expect(Object.fromEntries(found)).toEqual({
      '/apis/shop.example.com/v1/': ['get'],
      [item]: ['get', 'post'],
      [`${item}/{name}`]: ['get', 'patch'],
      [`${item}/{name}/scale`]: ['get', 'put', 'patch'],
      '/apis/shop.example.com/v1/widgets': ['get'],
    })
    expect(document.paths[`${item}/{name}/scale`].get['x-kubernetes-group-version-kind'].kind).toBe('Scale')
  })

  test('says of a log that it is text', () => {
    const { get } = v3('api/v1').paths['/api/v1/namespaces/{namespace}/pods/{name}/log']
    expect(Object.keys(get.responses[200].content)).toEqual(['text/plain'])
  })

  test('gives a custom resource its schema and the fields of every object, and no strategic merge', () => {
    const document = v3('apis/shop.example.com/v1')
    const { [WIDGET]: widget, [`${WIDGET}List`]: list } = document.components.schemas
    expect(Object.keys(widget.properties)).toEqual(['spec', 'apiVersion', 'kind', 'metadata'])
    expect(widget.properties.spec.properties.note).toEqual({ type: 'string', nullable: true })
    expect(widget['x-kubernetes-group-version-kind']).toEqual([
      { group: 'shop.example.com', kind: 'Widget', version: 'v1' },
    ])
    expect(list.properties.items.items.$ref).toBe(`#/components/schemas/${WIDGET}`)
    const { patch } = document.paths['/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}']
    expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json')
  })

  test('lets quantities and ports be numbers or strings', () => {
    const { schemas } = v3('api/v1').components
    expect(schemas['io.k8s.apimachinery.pkg.api.resource.Quantity']).toMatchObject({
      oneOf: [{ type: 'string' }, { type: 'number' }],
    })
    expect(schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).not.toHaveProperty('type')
  })
})

describe('OpenAPI v2', () => {
  const document: Document = JSON.parse(openApi.v2Json().body)
  const decoded: Document = protobuf.Root.fromJSON({ nested: messages })
    .lookupType('Document')
    .decode(openApi.v2Protobuf().body)
    .toJSON()

  test('defines all that it refers to', () => {
    expect(references(document).filter((ref) => resolve(document, ref) === undefined)).toEqual([])
  })

  test('has the same paths and definitions as protobuf and as JSON', () => {
    expect(decoded).toMatchObject({ swagger: '2.0', info: { title: 'allot' } })
    expect(names(decoded.paths.path)).toEqual(Object.keys(document.paths))
    expect(names(decoded.definitions.additionalProperties)).toEqual(Object.keys(document.definitions))
  })

  test('keeps parameters, references, types and extensions in protobuf', () => {
    const item = decoded.paths.path.find(
      (one: Document) => one.name === '/api/v1/namespaces/{namespace}/pods/{name}',
    ).value
    const query = item.patch.parameters.map(
      (one: Document) => one.parameter.nonBodyParameter?.queryParameterSubSchema?.name,
    )
    expect(query).toEqual([undefined, 'dryRun', 'fieldManager', 'fieldValidation', 'force'])
    expect(item.parameters[0].parameter.nonBodyParameter.pathParameterSubSchema).toMatchObject({
      name: 'name',
      required: true,
    })
    expect(extension(item.patch, 'x-kubernetes-group-version-kind')).toEqual({ group: '', version: 'v1', kind: 'Pod' })
    const definition = (name: string) =>
      decoded.definitions.additionalProperties.find((one: Document) => one.name === name).value
    const containers = definition('io.k8s.api.core.v1.PodSpec').properties.additionalProperties.find(
      (one: Document) => one.name === 'containers',
    ).value
    expect(containers.type.value).toEqual(['array'])
    expect(containers.items.schema).toMatchObject([{ _ref: '#/definitions/io.k8s.api.core.v1.Container' }])
    expect(extension(containers, 'x-kubernetes-patch-merge-key')).toBe('name')
  })

  test('says nothing of custom resources that it could only say too narrowly', () => {
    const { spec } = document.definitions[WIDGET].properties
    expect(spec.properties).toEqual({ size: { type: 'integer' }, note: {} })
  })

  test('has no definition that nothing reaches', () => {
    expect(document.definitions).not.toHaveProperty('io.k8s.api.resource.v1alpha3.DeviceTaintRule')
  })
})

describe('a changed set of resources', () => {
  test('changes the documents of its group version and leaves the others alone', () => {
    const make = factory()
    const before = make([...builtin, widgets])
    const apps = before.v3('apis/apps/v1')
    const after = make([...builtin, { ...widgets, schema: { type: 'object' } }])
    expect(after.v3('apis/apps/v1')).toBe(apps)
    expect(after.v3('apis/shop.example.com/v1')?.hash).not.toBe(before.v3('apis/shop.example.com/v1')?.hash)
    expect(after.v3Index().hash).not.toBe(before.v3Index().hash)
    expect(after.v2Protobuf().hash).not.toBe(before.v2Protobuf().hash)
    expect(make(builtin).v3('apis/shop.example.com/v1')).toBeUndefined()
  })
})
