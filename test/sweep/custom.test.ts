import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/machinery/object.ts'
import { readYaml } from '../../src/machinery/yaml/text.ts'
import { type Document, keeping, type Kind, NAMESPACE, SweptPlane } from './swept-plane.ts'

const isLong = process.env['ALLOT_SOAK'] !== undefined
const COUNT = isLong ? 8000 : 2000
const QUICK_MS = isLong ? 80 : 30
/** YAML takes ten times as long to read as JSON. */
const [YAML_COUNT, YAML_QUICK_MS] = isLong ? [4000, 200] : [1000, 60]
const GROUP = 'sweep.test'
const KIND: Kind = {
  path: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/things`,
  bucket: `things.${GROUP}`,
  namespaced: true,
}

const text = { type: 'string' }
const entry = {
  type: 'object',
  required: ['a'],
  properties: { a: text, b: { ...text, default: 'b' }, n: { type: 'integer', minimum: 0 } },
}
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
/** One field for each way in which a schema can say what a list or map is. */
const FIELDS: Readonly<Record<string, JsonObject>> = {
  plain: list(entry),
  atomic: list(entry, { 'x-kubernetes-list-type': 'atomic' }),
  set: list(text, { 'x-kubernetes-list-type': 'set' }),
  setOfObjects: list({ ...entry, 'x-kubernetes-map-type': 'atomic' }, { 'x-kubernetes-list-type': 'set' }),
  map: list(entry, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  mapOfTwo: list(entry, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] }),
  keyed: { type: 'object', additionalProperties: entry },
  keyedAtomic: { type: 'object', additionalProperties: entry, 'x-kubernetes-map-type': 'atomic' },
  anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  anyList: list({ 'x-kubernetes-preserve-unknown-fields': true }),
  embedded: list({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  eitherList: list({ 'x-kubernetes-int-or-string': true }),
  enumerated: list({ ...text, enum: ['one', 'two'] }),
  patterned: list({ ...text, pattern: '^x[0-9]+$' }),
  formatted: list({ ...text, format: 'date-time' }),
  distinct: list(text, { uniqueItems: false, maxItems: 1_000_000 }),
  ruled: list(
    { ...entry, 'x-kubernetes-validations': [{ rule: 'self.a != "never"' }, { rule: 'self == oldSelf || true' }] },
    { maxItems: 50_000, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
  ),
  ruledWhole: list(
    { ...text, maxLength: 20 },
    { maxItems: 50_000, 'x-kubernetes-validations': [{ rule: 'self.all(x, x != "never")' }] },
  ),
}
const NESTED = { type: 'array', items: { type: 'array', items: { type: 'array', items: text } } }

const OBJECTS: Readonly<Record<string, (n: number) => unknown>> = {
  distinct: (n) => ({ a: `x${n}`, n }),
  equal: () => ({ a: 'x', b: 'y' }),
  wrong: (n) => ({ a: n, n: -1, unknown: `x${n}` }),
  embedded: (n) => ({ apiVersion: 'v1', kind: 'X', metadata: { name: `x${n}` }, more: n }),
}
const TEXTS: Readonly<Record<string, (n: number) => unknown>> = {
  distinct: (n) => `x${n}`,
  equal: () => 'x1',
  wrong: (n) => ({ n }),
}

let swept: SweptPlane
beforeAll(async () => {
  swept = await SweptPlane.start()
  const properties = { ...FIELDS, nested: NESTED }
  const columns = Object.keys(FIELDS).map((name) => ({ name, type: 'string', jsonPath: `.spec.${name}[*].a` }))
  const { status, body } = await swept.send(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    JSON.stringify({
      metadata: { name: KIND.bucket },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: columns,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
          },
        ],
      },
    }),
  )
  if (status !== 201) throw new Error(`the kind cannot be defined: ${body.message}`)
})
afterAll(() => swept.stop())

function documentOf(
  field: string,
  make: (n: number) => unknown,
  isMap = FIELDS[field]?.['type'] === 'object',
): Document {
  return (count) => {
    const made = Array.from({ length: count }, (_, n) => make(n))
    return {
      apiVersion: `${GROUP}/v1`,
      kind: 'Thing',
      metadata: { name: NAMESPACE },
      spec: { [field]: isMap ? Object.fromEntries(made.map((value, n) => [`k${n}`, value])) : made },
    }
  }
}

/** Stands in YAML for the field. */
const ANY_FIELD = 'anyField'

/** Gives the YAML of documents; of fields that hold the same it is the same, and written once for each size. */
function yamlTexts(): (field: string, how: 'distinct' | 'wrong', style: 'block' | 'flow') => (count: number) => string {
  const known = new Map<string, (count: number) => string>()
  return (field, how, collectionStyle) => {
    const make = makersOf(field)[how] ?? String
    const isMap = FIELDS[field]?.['type'] === 'object'
    const key = [how, collectionStyle, isMap, ofTexts.has(field)].join()
    const texts = new Map<number, string>()
    const textOf = (count: number): string => {
      const options = { collectionStyle, aliasDuplicateObjects: false, lineWidth: 0 }
      const text = texts.get(count) ?? stringify(documentOf(ANY_FIELD, make, isMap)(count), options)
      texts.set(count, text)
      return text
    }
    const found = known.get(key) ?? textOf
    known.set(key, found)
    return found
  }
}

const ofTexts = new Set(['set', 'eitherList', 'enumerated', 'patterned', 'formatted', 'distinct', 'ruledWhole'])
const makersOf = (field: string): typeof OBJECTS => (ofTexts.has(field) ? TEXTS : OBJECTS)

describe(
  'every kind of list and map that a schema can describe [security/list-work]',
  { timeout: isLong ? 4 * 3600_000 : 600_000 },
  () => {
    test('is created in time that grows no faster than n log n', async () => {
      for (const field of Object.keys(FIELDS))
        for (const [how, make] of Object.entries(makersOf(field)))
          await swept.look(`${field}, ${how}`, swept.create(KIND, documentOf(field, make)), COUNT, QUICK_MS)
      const { slow, codes } = swept.found()
      expect([slow, codes.has(201), codes.has(422)]).toEqual([[], true, true])
    })

    test('is read as YAML in time that grows no faster than n log n', async () => {
      const textsOf = yamlTexts()
      // A reader knows no schema, so that what is in a field is all that matters to it.
      const looked = new Set<(size: number) => string>()
      for (const field of Object.keys(FIELDS)) {
        for (const how of ['distinct', 'wrong'] as const)
          for (const style of ['block', 'flow'] as const) {
            const textOf = textsOf(field, how, style)
            if (looked.has(textOf)) continue
            looked.add(textOf)
            const read = keeping(textOf, async (text) => readYaml(text, true))
            await swept.look(`${field}, ${how}, ${style}`, read, YAML_COUNT, YAML_QUICK_MS)
          }
        const textOf = textsOf(field, 'distinct', 'block')
        const sent = keeping(
          (count) => textOf(count).replace(ANY_FIELD, field),
          (text) => swept.send('POST', `${KIND.path}?dryRun=All`, text, 'application/yaml'),
        )
        await swept.look(`${field}, sent as YAML`, sent, YAML_COUNT, YAML_QUICK_MS)
      }
      const { slow, codes } = swept.found()
      expect([slow, codes.has(201)]).toEqual([[], true])
    })

    const CHANGES: Readonly<Record<string, readonly [method: string, type: string, query?: string]>> = {
      replaced: ['PUT', 'application/json'],
      'merged as JSON': ['PATCH', 'application/merge-patch+json'],
      applied: ['PATCH', 'application/apply-patch+yaml', '&fieldManager=me&force=true'],
    }
    for (const [change, [method, type, query = '']] of Object.entries(CHANGES))
      test(`is ${change} in time that grows no faster than n log n`, async () => {
        for (const field of Object.keys(FIELDS)) {
          const { distinct = String, equal = String } = makersOf(field)
          const moved = (n: number): unknown => distinct(n + 1)
          for (const [how, old, next] of [
            ['moved', distinct, moved],
            ['equal', equal, distinct],
          ] as const) {
            const path = `${KIND.path}/${NAMESPACE}?dryRun=All${query}`
            const texts = keeping(
              (count) => JSON.stringify(documentOf(field, next)(count)),
              async (body) => body,
            )
            // A replacement of a custom resource must name its version.
            const named = (body: string, revision: string): string =>
              method === 'PUT' ? body.replace('"metadata":{', `"metadata":{"resourceVersion":"${revision}",`) : body
            const run = async (count: number): Promise<void> => {
              const body = await texts(count)
              const put = (revision: string): Promise<unknown> => swept.send(method, path, named(body, revision), type)
              await swept.onStored(KIND, documentOf(field, old)(count), put)
            }
            await swept.look(`${field}, ${how}`, run, COUNT, QUICK_MS)
          }
        }
        const { slow, codes } = swept.found()
        expect([slow, (codes.get(200) ?? 0) >= Object.keys(FIELDS).length]).toEqual([[], true])
      })

    test('is shown in columns in time that grows no faster than n log n', async () => {
      for (const field of Object.keys(FIELDS)) {
        const { distinct = String } = makersOf(field)
        const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
        const run = (count: number): Promise<void> =>
          swept.onStored(KIND, documentOf(field, distinct)(count), () =>
            swept.plane.send('GET', `${KIND.path}/${NAMESPACE}`, undefined, { accept }),
          )
        await swept.look(field, run, COUNT, QUICK_MS)
      }
      expect(swept.found().slow).toEqual([])
    })
  },
)

describe('a list times what the schema of its items lists', { timeout: isLong ? 4 * 3600_000 : 600_000 }, () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `x${n}`)
  const fields = (count: number, of: JsonObject): JsonObject =>
    Object.fromEntries(names(count).map((name) => [name, of]))
  const PRODUCTS: Readonly<
    Record<string, readonly [items: (count: number) => JsonObject, item: (n: number) => unknown]>
  > = {
    enum: [(count) => ({ ...text, enum: names(count) }), (n) => `x${n}`],
    'enum that refuses': [(count) => ({ ...text, enum: names(count) }), (n) => `y${n}`],
    properties: [(count) => ({ type: 'object', properties: fields(count, text) }), (n) => ({ [`x${n}`]: '' })],
    defaults: [
      (count) => ({ type: 'object', properties: fields(count, { ...text, default: '' }) }),
      (n) => (n % 100 === 0 ? {} : null),
    ],
    required: [(count) => ({ type: 'object', required: names(count) }), () => ({})],
    anyOf: [(count) => ({ ...text, anyOf: names(count).map((name) => ({ enum: [name] })) }), () => 'y'],
  }

  test('is held against it in bounded time', async () => {
    const [few, many] = isLong ? [5000, 20_000] : [1000, 10_000]
    for (const [at, [product, [items, item]]] of Object.entries(PRODUCTS).entries()) {
      const plural = `products${at}`
      const properties = { list: list(items(few)) }
      const { status, body } = await swept.plane.send(
        'POST',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        {
          metadata: { name: `${plural}.${GROUP}` },
          spec: {
            group: GROUP,
            scope: 'Namespaced',
            names: { plural, kind: `Product${at}` },
            versions: [
              { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
            ],
          },
        },
      )
      expect([product, status, body.message]).toEqual([product, 201, undefined])
      const path = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/${plural}`
      await swept.plane.until(path, ({ kind }) => kind === `Product${at}List`)
      const document = keeping(
        (count) =>
          JSON.stringify({
            apiVersion: `${GROUP}/v1`,
            kind: `Product${at}`,
            metadata: { name: 'p' },
            list: Array.from({ length: count }, (_, n) => item(n)),
          }),
        (sent) => swept.send('POST', `${path}?dryRun=All`, sent),
      )
      await swept.look(product, document, many, isLong ? 80 : 1000)
    }
    const { slow, codes } = swept.found()
    expect([slow, codes.has(422)]).toEqual([[], true])
  })
})

describe('metadata and managers beside the fields of an object', { timeout: isLong ? 4 * 3600_000 : 600_000 }, () => {
  const map = (count: number, of: (n: number) => readonly [string, unknown]): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => of(n)))
  const object = (data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAMESPACE, ...metadata },
    data,
  })
  const CONFIG_MAPS: Kind = {
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    bucket: 'configmaps',
    namespaced: true,
  }

  test('many operations of a JSON patch take time that grows no faster than n log n', async () => {
    const PATCHES: Readonly<Record<string, (n: number) => JsonObject>> = {
      add: (n) => ({ op: 'add', path: `/data/y${n}`, value: 'y' }),
      remove: (n) => ({ op: 'remove', path: `/data/x${n}` }),
      replace: (n) => ({ op: 'replace', path: `/data/x${n}`, value: 'y' }),
      move: (n) => ({ op: 'move', from: `/data/x${n}`, path: `/data/y${n}` }),
      copy: (n) => ({ op: 'copy', from: `/data/x${n}`, path: `/data/y${n}` }),
      test: (n) => ({ op: 'test', path: `/data/x${n}`, value: 'x' }),
      'add in front': (n) => ({ op: 'add', path: '/metadata/finalizers/0', value: `example.test/f${n}` }),
    }
    for (const [name, operation] of Object.entries(PATCHES)) {
      const patch = keeping(
        (count) => JSON.stringify(Array.from({ length: count }, (_, n) => operation(n))),
        (body) =>
          swept.send('PATCH', `${CONFIG_MAPS.path}/${NAMESPACE}?dryRun=All`, body, 'application/json-patch+json'),
      )
      const run = (count: number): Promise<void> =>
        swept.onStored(
          CONFIG_MAPS,
          object(
            map(count, (n) => [`x${n}`, 'x']),
            { finalizers: ['example.test/x'] },
          ),
          () => patch(count),
        )
      await swept.look(name, run, isLong ? 5000 : 2000, QUICK_MS)
    }
    expect(swept.found().slow).toEqual([])
  })

  test('many managers of many fields take time that grows no faster than n log n', async () => {
    const managers = (count: number): unknown =>
      Array.from({ length: 20 }, (_, manager) => ({
        manager: `m${manager}`,
        operation: manager % 2 === 0 ? 'Apply' : 'Update',
        apiVersion: 'v1',
        time: '2026-11-21T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': map(count, (n) => [`f:x${n + manager}`, {}]) },
      }))
    const apply = keeping(
      (count) => JSON.stringify(object(map(count, (n) => [`x${n + 5}`, 'y']))),
      (body) =>
        swept.send(
          'PATCH',
          `${CONFIG_MAPS.path}/${NAMESPACE}?dryRun=All&fieldManager=m0`,
          body,
          'application/apply-patch+yaml',
        ),
    )
    const run = (count: number): Promise<void> =>
      swept.onStored(
        CONFIG_MAPS,
        object(
          map(count, (n) => [`x${n}`, 'x']),
          { managedFields: managers(count) },
        ),
        () => apply(count),
      )
    await swept.look('apply', run, 1000, 0)
    expect(swept.found().slow).toEqual([])
  })

  test('many managers that are sent or stored take time that grows no faster than n log n', async () => {
    const time = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('.000', '')
    const entry = (n: number, more: JsonObject = {}): JsonObject => ({
      manager: `m${n}`,
      operation: 'Update',
      apiVersion: 'v1',
      time: time(n),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:x${n}`]: {} } },
      ...more,
    })
    const { time: _time, ...timeless } = entry(0)
    const ENTRIES: Readonly<Record<string, (n: number) => JsonObject>> = {
      update: (n) => entry(n),
      'update at one time': (n) => entry(n, { time: time(0) }),
      'update at no time': (n) => ({ ...timeless, manager: `m${n}`, fieldsV1: { 'f:data': { [`f:x${n}`]: {} } } }),
      'update the same': (n) => entry(n, { fieldsV1: { 'f:data': { 'f:x': {} } } }),
      'update in versions': (n) => entry(n, { apiVersion: `v${n}` }),
      'update in a few versions': (n) => entry(n, { apiVersion: `v${n % 5}` }),
      'update subresources': (n) => entry(n, { manager: 'm', subresource: `s${n}` }),
      apply: (n) => entry(n, { operation: 'Apply' }),
      'apply and update': (n) => entry(n, { operation: n % 2 === 0 ? 'Apply' : 'Update' }),
      'old changes': (n) => entry(n, { manager: n % 2 === 0 ? 'ancient-changes' : `m${n}` }),
    }
    const data = (count: number, value: string): JsonObject => map(count, (n) => [`x${n}`, value])
    const managed =
      (of: (n: number) => JsonObject): Document =>
      (count) =>
        object({ x: 'y' }, { managedFields: Array.from({ length: count }, (_, n) => of(n)) })
    const path = `${CONFIG_MAPS.path}/${NAMESPACE}?dryRun=All`
    for (const [name, of] of Object.entries(ENTRIES)) {
      const document = managed(of)
      await swept.look(`${name}, created`, swept.create(CONFIG_MAPS, document), 3000, 30)
      const put = keeping(
        (count) => JSON.stringify(document(count)),
        (body) => swept.send('PUT', path, body),
      )
      const sent = (count: number): Promise<void> => swept.onStored(CONFIG_MAPS, object({ x: 'x' }), () => put(count))
      await swept.look(`${name}, sent`, sent, 3000, 30)
      const patch = keeping(
        (count) => JSON.stringify({ data: data(count, 'z') }),
        (body) => swept.send('PATCH', path, body, 'application/merge-patch+json'),
      )
      // All that is written belongs to one of the managers.
      const stored = (count: number): Promise<void> =>
        swept.onStored(CONFIG_MAPS, { ...document(count), data: data(count, 'y') }, () => patch(count))
      await swept.look(`${name}, stored`, stored, 1000, 30)
    }
    expect(swept.found().slow).toEqual([])
  })

  test('many terms of selectors, options and media types take time that grows no faster than n log n', async () => {
    const many = (count: number, of: (n: number) => string, by = ','): string =>
      Array.from({ length: count }, (_, n) => of(n)).join(by)
    const get = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      swept.plane.send('GET', `${CONFIG_MAPS.path}${query === '' ? '' : `?${query}`}`, undefined, headers)
    const TERMS: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
      'label selector': (count) => get(`labelSelector=${encodeURIComponent(many(count, (n) => `x${n}!=y`))}`),
      'set of labels': (count) => get(`labelSelector=${encodeURIComponent(`x in (${many(count, (n) => `y${n}`)})`)}`),
      'field selector': (count) =>
        get(`fieldSelector=${encodeURIComponent(many(count, (n) => `metadata.name!=x${n}`))}`),
      'accepted types': (count) => get('', { accept: many(count, (n) => `a/b${n}`) }),
      'type parameters': (count) => get('', { accept: `application/json;${many(count, (n) => `a${n}=b`, ';')}` }),
      'dry runs': (count) => get(many(count, () => 'dryRun=All', '&')),
    }
    // A head of HTTP may have a mebibyte here.
    for (const [name, run] of Object.entries(TERMS)) await swept.look(name, run, 1500, 10)
    expect(swept.found().slow).toEqual([])
  })
})
