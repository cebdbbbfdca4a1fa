import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer, configMap, JSON_PATCH, MERGE, pod, STRATEGIC } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

const deployments = (): string => ns.replace('/api/v1', '/apis/apps/v1').concat('/deployments')
const deployment = (name: string, containers: readonly unknown[]): unknown => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
})

describe('a merge patch', () => {
  test('sets, replaces and removes', async () => {
    await api.create(`${ns}/configmaps`, configMap('merge', { a: '1', b: '2' }))
    expect((await api.patch(`${ns}/configmaps/merge`, { data: { a: null, b: '3', c: '4' } })).data).toEqual({
      b: '3',
      c: '4',
    })
  })

  test('replaces lists whole', async () => {
    await api.create(`${ns}/configmaps`, configMap('lists', {}, { finalizers: ['a.test/x', 'a.test/y'] }))
    expect(
      (await api.patch(`${ns}/configmaps/lists`, { metadata: { finalizers: ['a.test/y'] } })).metadata.finalizers,
    ).toEqual(['a.test/y'])
  })

  test('with the newest version in it is applied, with another it is a conflict', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, configMap('based'))
    const patch = { metadata: { resourceVersion: metadata.resourceVersion }, data: { a: '1' } }
    expect((await api.send('PATCH', `${ns}/configmaps/based`, patch, MERGE)).status).toBe(200)
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/based`, { ...patch, data: { a: '2' } }, MERGE)
    expect([status, body.reason]).toEqual([409, 'Conflict'])
  })

  test('cannot change the uid', async () => {
    await api.create(`${ns}/configmaps`, configMap('whose'))
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/whose`, { metadata: { uid: 'x' } }, MERGE)
    expect([status, body.message]).toEqual([
      422,
      'ConfigMap "whose" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    ])
  })

  test('cannot rename', async () => {
    await api.create(`${ns}/configmaps`, configMap('old'))
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/old`, { metadata: { name: 'new' } }, MERGE)
    expect([status, body.message]).toEqual([
      400,
      'the name of the object (new) does not match the name on the URL (old)',
    ])
  })

  test('cannot change kind or version', async () => {
    await api.create(`${ns}/configmaps`, configMap('kind'))
    expect((await api.send('PATCH', `${ns}/configmaps/kind`, { kind: 'Secret' }, MERGE)).status).toBe(422)
    expect((await api.send('PATCH', `${ns}/configmaps/kind`, { apiVersion: 'v2' }, MERGE)).status).toBe(422)
  })

  test('that changes nothing keeps the version', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, configMap('nothing', { a: '1' }))
    expect((await api.patch(`${ns}/configmaps/nothing`, { data: { a: '1' } })).metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    )
  })

  test.each(['[]', '5', '"x"', 'null', '{'])('of %s is a bad request', async (patch) => {
    await api.send('POST', `${ns}/configmaps`, configMap('shape'))
    expect((await api.send('PATCH', `${ns}/configmaps/shape`, patch, MERGE)).status).toBe(400)
  })

  test('of an absent object is rejected with 404', async () => {
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/missing`, { data: {} }, MERGE)
    expect([status, body.message]).toEqual([404, 'configmaps "missing" not found'])
  })

  test('whose result is invalid is refused and changes nothing', async () => {
    await api.create(`${ns}/configmaps`, configMap('valid'))
    const { status } = await api.send(
      'PATCH',
      `${ns}/configmaps/valid`,
      { metadata: { labels: { 'not valid!': 'x' } } },
      MERGE,
    )
    expect([status, (await api.get(`${ns}/configmaps/valid`)).metadata.labels]).toEqual([422, undefined])
  })

  test('that makes a field of the wrong type is a bad request', async () => {
    await api.create(`${ns}/configmaps`, configMap('type'))
    expect((await api.send('PATCH', `${ns}/configmaps/type`, { data: { a: 5 } }, MERGE)).status).toBe(422)
  })

  test('reports unknown fields as a create does', async () => {
    await api.create(`${ns}/configmaps`, configMap('unknown'))
    const warned = await api.send('PATCH', `${ns}/configmaps/unknown`, { surprise: 1 }, MERGE)
    expect(warned.headers.get('warning')).toBe('299 - "unknown field \\"surprise\\""')
    const strict = await api.send('PATCH', `${ns}/configmaps/unknown?fieldValidation=Strict`, { surprise: 1 }, MERGE)
    expect([strict.status, strict.body.message.includes('strict decoding error: unknown field "surprise"')]).toEqual([
      422,
      true,
    ])
  })

  test('as a dry run answers what would be', async () => {
    await api.create(`${ns}/configmaps`, configMap('dry'))
    const { body } = await api.send('PATCH', `${ns}/configmaps/dry?dryRun=All`, { data: { a: '1' } }, MERGE)
    expect([body.data, (await api.get(`${ns}/configmaps/dry`)).data ?? {}]).toEqual([{ a: '1' }, {}])
  })

  test('patches at once all take effect', async () => {
    await api.create(`${ns}/configmaps`, configMap('many'))
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => api.patch(`${ns}/configmaps/many`, { data: { [`k${i}`]: 'v' } })),
    )
    expect(Object.keys((await api.get(`${ns}/configmaps/many`)).data)).toHaveLength(30)
  })
})

describe('a JSON patch', () => {
  test('does its operations in order', async () => {
    await api.create(`${ns}/configmaps`, configMap('json', { a: '1', b: '2' }))
    const { data } = await api.patch(
      `${ns}/configmaps/json`,
      [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'move', from: '/data/a', path: '/data/c' },
        { op: 'copy', from: '/data/b', path: '/data/d' },
        { op: 'replace', path: '/data/b', value: '9' },
        { op: 'add', path: '/metadata/labels', value: { x: 'y' } },
        { op: 'remove', path: '/data/d' },
      ],
      JSON_PATCH,
    )
    expect(data).toEqual({ b: '9', c: '1' })
  })

  test('whose test fails changes nothing', async () => {
    await api.create(`${ns}/configmaps`, configMap('tested', { a: '1' }))
    const patch = [
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'test', path: '/data/a', value: '1' },
    ]
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/tested`, patch, JSON_PATCH)
    expect([status, body.reason]).toEqual([422, 'Invalid'])
    expect((await api.get(`${ns}/configmaps/tested`)).data).toEqual({ a: '1' })
  })

  test.each([
    [[{ op: 'remove', path: '/data/missing' }], 422],
    [[{ op: 'replace', path: '/data/missing/deep', value: 1 }], 422],
    [{ op: 'add' }, 400],
    ['[', 400],
    [[{ op: 'jump', path: '/data' }], 422],
  ])('of %j is answered with %i', async (patch, code) => {
    await api.send('POST', `${ns}/configmaps`, configMap('wrong', { a: '1' }))
    expect((await api.send('PATCH', `${ns}/configmaps/wrong`, patch, JSON_PATCH)).status).toBe(code)
  })

  test('escapes in paths are read', async () => {
    await api.create(`${ns}/configmaps`, configMap('escaped', {}, { annotations: { 'a.test/b': 'x' } }))
    const { metadata } = await api.patch(
      `${ns}/configmaps/escaped`,
      [{ op: 'replace', path: '/metadata/annotations/a.test~1b', value: 'y' }],
      JSON_PATCH,
    )
    expect(metadata.annotations).toEqual({ 'a.test/b': 'y' })
  })
})

describe('a strategic merge patch', () => {
  const names = (containers: readonly { name: string }[]): readonly string[] => containers.map(({ name }) => name)

  test('merges lists by their key', async () => {
    await api.create(
      deployments(),
      deployment('by-key', [
        { name: 'a', image: 'a:1' },
        { name: 'b', image: 'b:1' },
      ]),
    )
    const patch = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'b', image: 'b:2' },
              { name: 'c', image: 'c:1' },
            ],
          },
        },
      },
    }
    const { containers } = (await api.patch(`${deployments()}/by-key`, patch, STRATEGIC)).spec.template.spec
    expect(containers.map(({ name, image }: { name: string; image: string }) => `${name}=${image}`).toSorted()).toEqual(
      ['a=a:1', 'b=b:2', 'c=c:1'],
    )
  })

  test('deletes items and orders them as kubectl apply asks', async () => {
    await api.create(
      deployments(),
      deployment('ordered', [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
        { name: 'c', image: 'i' },
      ]),
    )
    const patch = {
      spec: {
        template: {
          spec: {
            $setElementOrder: undefined,
            '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }, { name: 'a' }],
            containers: [
              { name: 'd', image: 'i' },
              { $patch: 'delete', name: 'b' },
            ],
          },
        },
      },
    }
    const { containers } = (await api.patch(`${deployments()}/ordered`, patch, STRATEGIC)).spec.template.spec
    expect(names(containers)).toEqual(['c', 'd', 'a'])
  })

  test('replaces a map or list that says so', async () => {
    await api.create(
      deployments(),
      deployment('replaced', [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ]),
    )
    const patch = { spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'z', image: 'i' }] } } } }
    expect(
      names((await api.patch(`${deployments()}/replaced`, patch, STRATEGIC)).spec.template.spec.containers),
    ).toEqual(['z'])
    const labels = { metadata: { labels: { $patch: 'replace', only: 'this' } } }
    await api.patch(`${deployments()}/replaced`, { metadata: { labels: { old: 'x' } } }, STRATEGIC)
    expect((await api.patch(`${deployments()}/replaced`, labels, STRATEGIC)).metadata.labels).toEqual({ only: 'this' })
  })

  test('removes values of a primitive list', async () => {
    await api.create(`${ns}/configmaps`, configMap('primitive', {}, { finalizers: ['a.test/x', 'a.test/y'] }))
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.test/x'], finalizers: ['a.test/z'] } }
    expect((await api.patch(`${ns}/configmaps/primitive`, patch, STRATEGIC)).metadata.finalizers.toSorted()).toEqual([
      'a.test/y',
      'a.test/z',
    ])
  })

  test('retains the keys that a union names', async () => {
    const spec = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } }
    const created = deployment('union', [{ name: 'a', image: 'i' }]) as { spec: object }
    await api.create(deployments(), { ...created, spec: { ...created.spec, ...spec } })
    const { strategy } = (
      await api.patch(
        `${deployments()}/union`,
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        STRATEGIC,
      )
    ).spec
    expect(strategy).toEqual({ type: 'Recreate' })
  })

  test('merges ports by their port, however they are written', async () => {
    await api.create(`${ns}/services`, {
      metadata: { name: 'ports' },
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    })
    const { ports } = (
      await api.patch(`${ns}/services/ports`, { spec: { ports: [{ port: 81, targetPort: 8081 }] } }, STRATEGIC)
    ).spec
    expect(ports.map(({ port, targetPort }: { port: number; targetPort: number }) => [port, targetPort])).toEqual(
      expect.arrayContaining([
        [80, 80],
        [81, 8081],
      ]),
    )
  })

  test('of a list item without its key is refused', async () => {
    await api.create(deployments(), deployment('keyless', [{ name: 'a', image: 'i' }]))
    const { body } = await api.send(
      'PATCH',
      `${deployments()}/keyless`,
      { spec: { template: { spec: { containers: [{ image: 'x' }] } } } },
      STRATEGIC,
    )
    expect(body.message).toContain('map: map[image:x] does not contain declared merge key: name')
  })

  test('does not exist for custom resources', async () => {
    await api.define('anchors')
    const anchors = ns.replace('/api/v1', '/apis/harbour.test/v1').concat('/anchors')
    await api.create(anchors, { apiVersion: 'harbour.test/v1', kind: 'Anchor', metadata: { name: 'a' } })
    const { status, body } = await api.send('PATCH', `${anchors}/a`, { spec: {} }, STRATEGIC)
    expect([status, body.message]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ])
    expect((await api.send('PATCH', `${anchors}/a`, { spec: { weight: 5 } }, MERGE)).body.spec).toEqual({ weight: 5 })
  })
})

test.each(['application/json', 'text/plain', 'application/nonsense+json'])(
  'a patch of type %s is refused',
  async (type) => {
    await api.send('POST', `${ns}/configmaps`, configMap('media'))
    const { status, body } = await api.send('PATCH', `${ns}/configmaps/media`, {}, { 'content-type': type })
    expect(status).toBe(415)
    expect(body.message).toBe('415: Unsupported Media Type')
  },
)

test('the immutable part of a pod stays', async () => {
  await api.create(`${ns}/pods`, pod('fixed'))
  const { status, body } = await api.send('PATCH', `${ns}/pods/fixed`, { spec: { restartPolicy: 'Never' } }, MERGE)
  expect(status).toBe(422)
  expect(body.message).toContain('pod updates may not change fields other than')
})
