import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { apiServer, configMap, METADATA_ONLY, pod, TABLE } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
  await api.create(`${ns}/configmaps`, configMap('a', { k: 'v' }, { labels: { x: 'y' } }))
})

const accept = (type: string): Readonly<Record<string, string>> => ({ accept: type })

describe('a table', () => {
  test('of a list has columns, rows with metadata, and the version of the list', async () => {
    const table = await api.get(`${ns}/configmaps?labelSelector=x`, TABLE)
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: String(api.running.store.revision) },
    })
    expect(table.columnDefinitions[0]).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 })
    expect(table.columnDefinitions[0].description).toMatch(/unique within/)
    expect(table.rows).toMatchObject([
      {
        cells: ['a', 1, expect.any(String)],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
      },
    ])
    expect(table.rows[0].object.data).toBeUndefined()
  })

  test('of one object has one row', async () => {
    const table = await api.get(`${ns}/configmaps/a`, TABLE)
    expect([table.kind, table.rows.length]).toEqual(['Table', 1])
  })

  test('of nothing has no rows, and columns all the same', async () => {
    const table = await api.get(`${ns}/secrets`, TABLE)
    expect([table.rows, table.columnDefinitions.length]).toEqual([[], 4])
  })

  test.each([
    ['None', undefined],
    ['Metadata', 'PartialObjectMetadata'],
    ['Object', 'ConfigMap'],
  ])('carries with includeObject=%s objects of kind %s', async (include, kind) => {
    const { rows } = await api.get(`${ns}/configmaps?labelSelector=x&includeObject=${include}`, TABLE)
    expect(rows[0].object?.kind).toBe(kind)
  })

  test('comes in pages', async () => {
    const { metadata, rows } = await api.get(`${ns}/configmaps?limit=1`, TABLE)
    expect([rows.length, typeof metadata.continue, metadata.remainingItemCount]).toEqual([1, 'string', 1])
  })

  test('of an object that was created or changed is answered too', async () => {
    expect((await api.send('POST', `${ns}/configmaps`, configMap('tabled'), TABLE)).body.kind).toBe('Table')
    expect(
      (
        await api.send(
          'PATCH',
          `${ns}/configmaps/tabled`,
          { data: { a: 'b' } },
          { ...TABLE, 'content-type': 'application/merge-patch+json' },
        )
      ).body.kind,
    ).toBe('Table')
  })

  test('of pods shows a deletion and a phase', async () => {
    await api.create(`${ns}/pods`, pod('p', { nodeName: 'n' }))
    await api.send('DELETE', `${ns}/pods/p`)
    const { columnDefinitions, rows } = await api.get(`${ns}/pods`, TABLE)
    const status = columnDefinitions.findIndex(({ name }: { name: string }) => name === 'Status')
    expect(rows[0].cells[status]).toBe('Terminating')
  })

  test('of a quota without limits has empty cells', async () => {
    await api.create(`${ns}/resourcequotas`, { metadata: { name: 'empty' }, spec: {} })
    const { columnDefinitions, rows } = await api.get(`${ns}/resourcequotas`, TABLE)
    const cell = (name: string): unknown =>
      rows[0].cells[columnDefinitions.findIndex((column: { name: string }) => column.name === name)]
    expect([cell('Request'), cell('Limit')]).toEqual(['', ''])
  })

  test('of v1beta1 is the same table', async () => {
    expect((await api.get(`${ns}/configmaps`, accept('application/json;as=Table;v=v1beta1;g=meta.k8s.io'))).kind).toBe(
      'Table',
    )
  })
})

describe('metadata alone', () => {
  test('of one object', async () => {
    expect(await api.get(`${ns}/configmaps/a`, METADATA_ONLY)).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: expect.objectContaining({ name: 'a' }),
    })
  })

  test('of a list', async () => {
    const list = await api.get(
      `${ns}/configmaps?labelSelector=x`,
      accept('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'),
    )
    expect([list.kind, list.apiVersion, list.items[0].kind, list.items[0].data]).toEqual([
      'PartialObjectMetadataList',
      'meta.k8s.io/v1',
      'PartialObjectMetadata',
      undefined,
    ])
  })
})

describe('a deleted object', () => {
  const make = (name: string): Promise<unknown> =>
    api.create(`${ns}/configmaps`, configMap(name, {}, { labels: { going: name } }))
  const remove = (name: string, type: string) =>
    api.send('DELETE', `${ns}/configmaps?labelSelector=going=${name}`, undefined, accept(type))

  test('one by one is answered in the encoding that the client asked for', async () => {
    await make('one')
    const { headers, body } = await api.send('DELETE', `${ns}/configmaps/one`, undefined, accept('application/yaml'))
    expect(headers.get('content-type')).toBe('application/yaml')
    expect(parse(body)).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'one' } })
  })

  test('together is answered in the shape and encoding that the client asked for', async () => {
    await make('table')
    expect((await remove('table', TABLE.accept)).body.rows).toMatchObject([{ cells: ['table', 0, expect.any(String)] }])
    await make('yaml')
    expect(parse((await remove('yaml', 'application/yaml')).body).items).toMatchObject([{ metadata: { name: 'yaml' } }])
    await make('metadata')
    expect((await remove('metadata', ONLY_METADATA_LIST)).body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'metadata' } }],
    })
    await make('protobuf')
    const { headers } = await remove('protobuf', 'application/vnd.kubernetes.protobuf')
    expect(headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf')
  })
})

const ONLY_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

describe('YAML', () => {
  test('is answered to a client that asks for it', async () => {
    const { headers, body } = await api.send('GET', `${ns}/configmaps/a`, undefined, accept('application/yaml'))
    expect(headers.get('content-type')).toBe('application/yaml')
    expect(parse(body)).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } })
  })

  test('holds for lists and answers to writes', async () => {
    expect(parse((await api.send('GET', `${ns}/configmaps`, undefined, accept('application/yaml'))).body).kind).toBe(
      'ConfigMapList',
    )
    expect(
      parse((await api.send('POST', `${ns}/configmaps`, configMap('y'), accept('application/yaml'))).body).kind,
    ).toBe('ConfigMap')
  })

  test('keeps texts that look like something else', async () => {
    await api.create(
      `${ns}/configmaps`,
      configMap('texts', { a: 'yes', b: '1e3', c: '2001-01-01', d: 'null', e: '08', f: 'a: b\n# c' }),
    )
    const { body } = await api.send('GET', `${ns}/configmaps/texts`, undefined, accept('application/yaml'))
    expect(parse(body, { version: '1.1' }).data).toEqual({
      a: 'yes',
      b: '1e3',
      c: '2001-01-01',
      d: 'null',
      e: '08',
      f: 'a: b\n# c',
    })
  })
})

describe('Accept', () => {
  test.each([
    '*/*',
    'application/*',
    'application/json',
    'application/json, */*',
    'text/html, application/json;q=0.9',
    'application/json;charset=utf-8',
    'application/vnd.kubernetes.protobuf,application/json',
  ])('of %s is answered with JSON', async (type) => {
    const { status, headers } = await api.send('GET', `${ns}/configmaps/a`, undefined, accept(type))
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  test.each([
    'text/html',
    'application/json;as=Chair;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
  ])('of %s alone cannot be met', async (type) => {
    const { status, body } = await api.send('GET', `${ns}/configmaps/a`, undefined, accept(type))
    expect([status, body.reason]).toEqual([406, 'NotAcceptable'])
    expect(body.message).toMatch(
      /^406: Not Acceptable$|^only the following media types are accepted: application\/json, application\/yaml/,
    )
  })

  test('of nothing but protobuf is answered with it, failures too, unless there is none', async () => {
    const protobuf = accept('application/vnd.kubernetes.protobuf')
    for (const [name, code] of [
      ['a', 200],
      ['none', 404],
    ] as const) {
      const { status, headers } = await api.send('GET', `${ns}/configmaps/${name}`, undefined, protobuf)
      expect([status, headers.get('content-type')]).toEqual([code, 'application/vnd.kubernetes.protobuf'])
    }
    const table = accept('application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io')
    expect((await api.send('GET', `${ns}/configmaps/a`, undefined, table)).status).toBe(406)
  })

  test('that cannot be met writes nothing', async () => {
    expect((await api.send('POST', `${ns}/configmaps`, configMap('unwritten'), accept('text/html'))).status).toBe(406)
    expect((await api.send('GET', `${ns}/configmaps/unwritten`)).status).toBe(404)
  })

  test('a shape that is not known falls back to what is asked for next', async () => {
    expect(
      (await api.get(`${ns}/configmaps/a`, accept('application/json;as=Chair;v=v1;g=meta.k8s.io,application/json')))
        .kind,
    ).toBe('ConfigMap')
  })
})

test('warnings are headers that any text fits into', async () => {
  const { headers } = await api.send('POST', `${ns}/configmaps`, { metadata: { name: 'quoted' }, 'ä"\\': 1 })
  // The bytes of UTF-8, each read as one character.
  expect(headers.get('warning')).toMatch(/^299 - "unknown field [\x20-\xff]*"$/)
})

test('answers say that nobody may keep them', async () => {
  expect((await api.send('GET', `${ns}/configmaps/a`)).headers.get('cache-control')).toBe('no-cache, private')
})

describe('a virtual resource', () => {
  const ONLY_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const named = { metadata: { name: 'v' } }
  const account = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const AUTHORIZATION = '/apis/authorization.k8s.io/v1'
  const creates: readonly (readonly [string, object])[] = [
    [`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { nonResourceAttributes: { verb: 'get', path: '/' } } }],
    [`${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } }],
    [
      `${AUTHORIZATION}/subjectaccessreviews`,
      { spec: { user: 'x', nonResourceAttributes: { verb: 'get', path: '/' } } },
    ],
    [
      `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`,
      { spec: { user: 'x', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } } },
    ],
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
    [account, { spec: {} }],
    ['POD/binding', { ...named, target: { kind: 'Node', name: 'n' } }],
    ['BINDINGS', { ...named, target: { kind: 'Node', name: 'n' } }],
    ['POD/eviction', named],
  ]

  test.each(creates)('POST %s has no table: 406, and nothing is done', async (path, body) => {
    const home = await api.namespace()
    await api.create(`${home}/pods`, pod('v'))
    const url = path.replace('POD', `${home}/pods/v`).replace('BINDINGS', `${home}/bindings`)
    const refused = await api.send('POST', url, body, accept(ONLY_TABLE))
    expect([refused.status, refused.body.reason]).toEqual([406, 'NotAcceptable'])
    expect((await api.get(`${home}/pods/v`)).spec.nodeName).toBeUndefined()
    // A client that takes something else too gets that.
    expect(
      (await api.send('POST', url, body, accept(`${ONLY_TABLE},application/yaml`))).headers.get('content-type'),
    ).toBe('application/yaml')
  })
})
