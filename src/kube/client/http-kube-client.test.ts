import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { HttpKubeClient } from './http-kube-client.ts'
import type { ResourceKind, WatchEvent } from './kube-client.ts'
import type { TransportAnswer, TransportRequest } from '../transport/transport.ts'

const PODS: ResourceKind = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }
const NODES: ResourceKind = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false }
const SCALED: ResourceKind = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } }

/** A client whose server answers everything with one text, or sends these chunks to a watch. */
function clientOf(answer: Partial<TransportAnswer> & { readonly chunks?: readonly string[] } = {}) {
  const sent: TransportRequest[] = []
  const lives: number[] = []
  const { chunks, ...rest } = {
    status: 200,
    contentType: 'application/json',
    retryAfterSeconds: undefined,
    text: JSON.stringify(pod),
    ...answer,
  }
  const client = new HttpKubeClient(
    {
      server: 'https://host',
      send: async (request) => {
        sent.push(request)
        return rest
      },
      stream: async (request, lifeMs) => {
        sent.push(request)
        lives.push(lifeMs)
        if (chunks === undefined) return rest
        return {
          chunks: (async function* () {
            for (const chunk of chunks) yield Buffer.from(chunk)
          })(),
        }
      },
    },
    () => 0.5,
  )
  return { client, sent, lives }
}

const only = (sent: readonly TransportRequest[]) => {
  const { method, path, body } = sent[0] ?? { method: '', path: '' }
  return [`${method} ${path}`, ...(body === undefined ? [] : [JSON.parse(body)])]
}

test('whoever writes is told of warnings where it asks for them', async () => {
  const { client, sent } = clientOf()
  const options = { warned: () => undefined }
  const name = { namespace: 'shop', name: 'web' }
  await client.create(PODS, pod, options)
  await client.update(PODS, pod, options)
  await client.patch(PODS, name, { type: 'merge', body: {} }, options)
  await client.delete(PODS, name, options)
  await client.create(PODS, pod)
  expect(sent.map(({ warned }) => warned === options.warned)).toEqual([true, true, true, true, false])
})

describe('the request', () => {
  const name = { namespace: 'shop', name: 'web' }

  test.each<[string, (client: HttpKubeClient) => Promise<unknown>, readonly unknown[]]>([
    ['to read', (client) => client.get(PODS, name), ['GET /api/v1/namespaces/shop/pods/web']],
    [
      'to read what is in no namespace',
      (client) => client.get(NODES, { namespace: '', name: 'n1' }),
      ['GET /api/v1/nodes/n1'],
    ],
    [
      'to read a name with a colon',
      (client) => client.get(NODES, { namespace: '', name: 'system:node' }),
      ['GET /api/v1/nodes/system%3Anode'],
    ],
    ['to create', (client) => client.create(PODS, pod), ['POST /api/v1/namespaces/shop/pods', pod]],
    [
      'to create below',
      (client) => client.create(PODS, pod, { subresource: 'binding' }),
      ['POST /api/v1/namespaces/shop/pods/web/binding', pod],
    ],
    [
      'to try a creation',
      (client) => client.create(PODS, pod, { dryRun: true }),
      ['POST /api/v1/namespaces/shop/pods?dryRun=All', pod],
    ],
    ['to replace', (client) => client.update(PODS, pod), ['PUT /api/v1/namespaces/shop/pods/web', pod]],
    [
      'to replace a status',
      (client) => client.update(SCALED, pod, { subresource: 'status' }),
      ['PUT /apis/apps/v1/namespaces/shop/deployments/web/status', pod],
    ],
    [
      'to apply',
      (client) => client.patch(PODS, name, { type: 'apply', body: { a: 1 }, fieldManager: 'a b', force: true }),
      ['PATCH /api/v1/namespaces/shop/pods/web?fieldManager=a+b&force=true', { a: 1 }],
    ],
    [
      'to delete',
      (client) =>
        client.delete(PODS, name, { uid: 'u', resourceVersion: '7', propagationPolicy: 'Foreground', dryRun: true }),
      [
        'DELETE /api/v1/namespaces/shop/pods/web',
        {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'u', resourceVersion: '7' },
          propagationPolicy: 'Foreground',
          dryRun: ['All'],
        },
      ],
    ],
    ['of another kind', (client) => client.request('POST', '/x?y=z', { a: 1 }), ['POST /x?y=z', { a: 1 }]],
  ])('%s', async (_, call, request) => {
    const { client, sent } = clientOf()
    await call(client)
    expect(only(sent)).toEqual(request)
  })

  test('to list selects, and reads from the cache', async () => {
    const { client, sent } = clientOf({ text: '{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]}' })
    const options = { namespace: 'shop', labelSelector: 'a in (b,c)', fieldSelector: 'x=y', resourceVersion: '0' }
    expect(await client.list(PODS, options)).toEqual({ items: [], resourceVersion: '5' })
    const path = sent[0]?.path ?? ''
    expect(Object.fromEntries(new URL(path, 'http://h').searchParams)).toEqual({
      labelSelector: 'a in (b,c)',
      fieldSelector: 'x=y',
      resourceVersion: '0',
      limit: '500',
    })
    expect(path.startsWith('/api/v1/namespaces/shop/pods?')).toBe(true)
  })

  test('for the next page says no version', async () => {
    const { client, sent } = clientOf({ text: '{"metadata":{"resourceVersion":"5","continue":"on"},"items":[]}' })
    const pages = client.listPages(PODS, { resourceVersion: '0' })
    await pages.next()
    await pages.next()
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/v1/pods?resourceVersion=0&limit=500',
      '/api/v1/pods?continue=on&limit=500',
    ])
  })

  test.each(['', '.', '..', 'a/b', 'a%2fb'])('about the name %j is not sent', async (bad) => {
    const { client, sent } = clientOf()
    const calls = [
      client.delete(NODES, { namespace: '', name: bad }),
      client.get(PODS, { namespace: 'shop', name: bad }),
      client.update(PODS, { ...pod, metadata: { namespace: 'shop', name: bad } }),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ status: { code: 400 } })
    expect(sent).toEqual([])
  })

  test('about an object without the namespace that it needs is not sent', async () => {
    const { client, sent } = clientOf()
    const homeless = { ...pod, metadata: { name: 'web' } }
    await expect(client.create(PODS, homeless)).rejects.toThrow('an empty namespace may not be set during creation')
    await expect(client.delete(PODS, { namespace: '', name: 'web' })).rejects.toMatchObject({ status: { code: 400 } })
    expect(sent).toEqual([])
  })
})

test('items of a list get their apiVersion and kind', async () => {
  const { client } = clientOf({ text: '{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"d"}}]}' })
  expect((await client.list(SCALED)).items).toEqual([
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
  ])
})

test('numbers keep every digit', async () => {
  const text = '{"metadata":{"name":"n"},"spec":{"big":9007199254740993,"exact":1.10}}'
  const { client, sent } = clientOf({ text })
  const read = await client.get<KubeObject>(NODES, { namespace: '', name: 'n' })
  await client.update(NODES, read)
  expect(sent[1]?.body).toBe(text)
})

test.each(['<html>', '', '[]', '{"metadata":1}'])(
  'an answer that no API server gives (%j) is reported',
  async (text) => {
    const { client } = clientOf({ text })
    const code = {
      code: 'no-api-server',
      message: 'https://host/api/v1/pods answered with something that no API server answers',
    }
    await expect(client.list(PODS)).rejects.toMatchObject(code)
  },
)

describe('a watch', () => {
  const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`

  async function seen(chunks: readonly string[]): Promise<readonly WatchEvent<KubeObject>[]> {
    const events: WatchEvent<KubeObject>[] = []
    for await (const one of clientOf({ chunks }).client.watch(PODS, { resourceVersion: '5' })) events.push(one)
    return events
  }

  test('asks for bookmarks, and ends after five to ten minutes', async () => {
    const { client, sent, lives } = clientOf({ chunks: [] })
    for await (const _ of client.watch(PODS, { namespace: 'shop', labelSelector: 'a=b', resourceVersion: '5' }));
    expect(sent[0]?.path).toBe(
      '/api/v1/namespaces/shop/pods?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=450',
    )
    expect(lives).toEqual([480_000])
  })

  test('gives events and bookmarks', async () => {
    const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '9' } })
    expect(await seen([event('ADDED', pod) + bookmark + event('DELETED', pod)])).toEqual([
      { type: 'ADDED', object: pod },
      { type: 'BOOKMARK', resourceVersion: '9' },
      { type: 'DELETED', object: pod },
    ])
  })

  test('gives an event that is whole though its newline is missing', async () => {
    expect(await seen([event('ADDED', pod).trim()])).toHaveLength(1)
  })

  test.each([
    [
      'an ERROR event',
      event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
      { status: { code: 410, reason: 'Expired' } },
    ],
    ['half an event', '{"type":"ADDED","obj', { code: 'dropped' }],
    ['no JSON', 'hello\nhello\n', { code: 'no-api-server' }],
    ['an unknown type', event('RENAMED', pod), { code: 'no-api-server' }],
    ['an event without an object', event('ADDED', 'pod'), { code: 'no-api-server' }],
  ])('that sends %s rejects', async (_, chunk, error) => {
    await expect(seen([event('ADDED', pod), chunk])).rejects.toMatchObject(error)
  })

  test('that is refused rejects', async () => {
    const { client } = clientOf({ status: 404, text: '' })
    const watching = client.watch(PODS, { resourceVersion: '5' }).next()
    await expect(watching).rejects.toThrow('the server could not find the requested resource (get pods)')
  })
})

test.each([
  ['a version', { ...SCALED, version: 'v1/namespaces/kube-system/secrets/x?' }],
  ['a group', { ...SCALED, group: '../api/v1' }],
  ['a version that goes up', { ...PODS, version: '..' }],
])('%s makes no other path [security/refusal-events]', async (_, kind) => {
  const { client, sent } = clientOf()
  await expect(client.get(kind, { namespace: 'shop', name: 'web' })).rejects.toMatchObject({ status: { code: 400 } })
  expect(sent).toEqual([])
})

test('letters of a version are encoded in a path', async () => {
  const { client, sent } = clientOf()
  await client.get({ ...SCALED, version: 'v1?x' }, { namespace: 'shop', name: 'web' })
  expect(sent[0]?.path).toBe('/apis/apps/v1%3Fx/namespaces/shop/deployments/web')
})
