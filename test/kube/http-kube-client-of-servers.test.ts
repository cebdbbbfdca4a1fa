import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isConflict, isForbidden, isNotFound } from '../../src/machinery/status.ts'
import type { ResourceKind, WatchEvent } from '../../src/kube/client/kube-client.ts'
import { ServerUnreachable } from '../../src/kube/transport/server-unreachable.ts'
import { CONFIG_MAPS, coreKind } from './core-kinds.ts'
import { forSuite, servers } from './servers.ts'

const PODS = coreKind('pods', 'Pod')

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

let names = 0
const configMap = (data: Readonly<Record<string, string>> = {}, name = `map-${names++}`): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})

const nameOf = ({ metadata }: KubeObject) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(servers)('on %s', (_, start) => {
  const suite = forSuite(start)

  test('an object is created, read, replaced and deleted', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap({ a: '1' }))
    const replaced = await suite.client.update<ConfigMap>(CONFIG_MAPS, { ...created, data: { a: '2' } })
    const read = await suite.client.get<ConfigMap>(CONFIG_MAPS, nameOf(created))
    expect([replaced.data, read.data, read.metadata.uid]).toEqual([{ a: '2' }, { a: '2' }, created.metadata.uid])
    await suite.client.delete(CONFIG_MAPS, nameOf(created))
    expect(isNotFound(await refusal(suite.client.get(CONFIG_MAPS, nameOf(created))))).toBe(true)
  })

  test('the four kinds of patch work', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap({ a: '1', b: '1' }))
    const name = nameOf(created)
    await suite.client.patch(CONFIG_MAPS, name, { type: 'merge', body: { data: { a: null, c: '2' } } })
    await suite.client.patch(CONFIG_MAPS, name, { type: 'strategic', body: { data: { d: '3' } } })
    await suite.client.patch(CONFIG_MAPS, name, {
      type: 'json',
      body: [{ op: 'replace', path: '/data/b', value: '4' }],
    })
    const applied = await suite.client.patch<ConfigMap>(CONFIG_MAPS, name, {
      type: 'apply',
      fieldManager: 'tester',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name.name }, data: { e: '5' } },
    })
    expect(applied.data).toEqual({ b: '4', c: '2', d: '3', e: '5' })
    expect(applied.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'tester', operation: 'Apply' }),
    )
  })

  test('a field of another manager is only applied by force', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap({ a: '1' }))
    const apply = (force: boolean) =>
      suite.client.patch<ConfigMap>(CONFIG_MAPS, nameOf(created), {
        type: 'apply',
        fieldManager: 'tester',
        force,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: created.metadata.name }, data: { a: '2' } },
      })
    expect(isConflict(await refusal(apply(false)))).toBe(true)
    expect((await apply(true)).data).toEqual({ a: '2' })
  })

  test('writes are made under the name allot', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap({ a: '1' }))
    expect(created.metadata.managedFields?.map((entry) => entry['manager'])).toEqual(['allot'])
  })

  test('a subresource is written', async () => {
    const accounts: ResourceKind = { ...CONFIG_MAPS, resource: 'serviceaccounts', kind: 'ServiceAccount' }
    await vi.waitFor(() => suite.client.get(accounts, { namespace: 'default', name: 'default' }), 20_000)
    await suite.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'main' }], automountServiceAccountToken: false },
    })
    const patched = await suite.client.patch<KubeObject>(
      PODS,
      { namespace: 'default', name: 'pod' },
      { type: 'merge', body: { status: { message: 'seen' } } },
      { subresource: 'status' },
    )
    expect(patched['status']).toMatchObject({ message: 'seen' })
  })

  test('a dry run writes nothing', async () => {
    const map = configMap()
    await suite.client.create(CONFIG_MAPS, map, { dryRun: true })
    expect(isNotFound(await refusal(suite.client.get(CONFIG_MAPS, nameOf(map))))).toBe(true)
    const created = await suite.client.create(CONFIG_MAPS, map)
    await suite.client.delete(CONFIG_MAPS, nameOf(created), { dryRun: true })
    expect((await suite.client.get(CONFIG_MAPS, nameOf(map))).metadata.uid).toBe(created.metadata.uid)
  })

  test('an update at an old version is a conflict, as is a deletion of another object of that name', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap())
    await suite.client.update(CONFIG_MAPS, { ...created, data: { changed: 'yes' } })
    const late = await refusal(suite.client.update(CONFIG_MAPS, { ...created, data: {} }))
    expect(isConflict(late)).toBe(true)
    expect(isConflict(await refusal(suite.client.delete(CONFIG_MAPS, nameOf(created), { uid: 'another' })))).toBe(true)
    const { resourceVersion = '' } = created.metadata
    expect(isConflict(await refusal(suite.client.delete(CONFIG_MAPS, nameOf(created), { resourceVersion })))).toBe(true)
  })

  test('of a large object only the metadata need be read and watched', async () => {
    const created = await suite.client.create(CONFIG_MAPS, configMap({ large: 'yes' }))
    const read = await suite.client.getMetadata(CONFIG_MAPS, nameOf(created))
    expect(read).toEqual(created.metadata)
    const stop = new AbortController()
    const { resourceVersion = '' } = created.metadata
    const events = suite.client.watch<ConfigMap>(CONFIG_MAPS, {
      resourceVersion,
      metadataOnly: true,
      signal: stop.signal,
    })
    const written = await suite.client.update(CONFIG_MAPS, { ...created, data: { changed: 'yes' } })
    for await (const event of events) {
      if (event.type === 'BOOKMARK' || event.object.metadata.uid !== created.metadata.uid) continue
      const kind = 'PartialObjectMetadata'
      expect(event.object).toEqual({ apiVersion: 'meta.k8s.io/v1', kind, metadata: written.metadata })
      break
    }
    stop.abort()
  })

  test('a name that would be another path is refused before it is sent', async () => {
    for (const name of ['', '..', 'a/b']) {
      const error = await refusal(suite.client.delete(CONFIG_MAPS, { namespace: 'default', name }))
      expect(error).toMatchObject({ status: { code: 400 } })
    }
  })

  test('a resource that the server does not have is not found, in the words of client-go', async () => {
    const kind = { group: 'nowhere.example.com', version: 'v1', resource: 'things', kind: 'Thing', namespaced: false }
    const error = await refusal(suite.client.list(kind))
    expect(isNotFound(error)).toBe(true)
    expect(String(error)).toBe(
      'ApiError: the server could not find the requested resource (get things.nowhere.example.com)',
    )
  })

  describe('with 1,100 objects', () => {
    beforeAll(async () => {
      for (let from = 0; from < 1100; from += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, at) =>
            suite.client.create(CONFIG_MAPS, {
              ...configMap({}, `many-${String(from + at).padStart(4, '0')}`),
              metadata: {
                name: `many-${String(from + at).padStart(4, '0')}`,
                namespace: 'default',
                labels: { many: 'yes' },
              },
            }),
          ),
        )
    })

    test('a list has them all, each saying what it is', async () => {
      const { items, resourceVersion } = await suite.client.list<ConfigMap>(CONFIG_MAPS, { labelSelector: 'many=yes' })
      expect(new Set(items.map((item) => item.metadata.name)).size).toBe(1100)
      expect([items[0]?.apiVersion, items[1099]?.kind, Number(resourceVersion) > 0]).toEqual(['v1', 'ConfigMap', true])
    })

    test('pages come one after the other, of one version', async () => {
      const pages: number[] = []
      const versions = new Set<string>()
      for await (const page of suite.client.listPages(CONFIG_MAPS, {
        namespace: 'default',
        labelSelector: 'many=yes',
      })) {
        pages.push(page.items.length)
        versions.add(page.resourceVersion)
        await suite.client.create(CONFIG_MAPS, configMap())
      }
      expect([pages, versions.size]).toEqual([[500, 500, 100], 1])
    })

    test('a list from the cache has them all too', async () => {
      await expect
        .poll(
          async () =>
            (await suite.client.list(CONFIG_MAPS, { labelSelector: 'many=yes', resourceVersion: '0' })).items.length,
        )
        .toBe(1100)
    })
  })

  test('a watch sends the events after a version, and ends with its signal', async () => {
    const { resourceVersion } = await suite.client.list(CONFIG_MAPS, { namespace: 'default' })
    const stop = new AbortController()
    const seen: string[] = []
    const watching = (async () => {
      const options = { namespace: 'default', resourceVersion, labelSelector: 'watched=yes', signal: stop.signal }
      for await (const event of suite.client.watch<ConfigMap>(CONFIG_MAPS, options)) {
        if (event.type === 'BOOKMARK') continue
        seen.push(`${event.type} ${event.object.data?.['text']}`)
      }
    })()
    const map = configMap({ text: 'héllo – 世界' })
    const created = await suite.client.create<ConfigMap>(CONFIG_MAPS, {
      ...map,
      metadata: { ...map.metadata, labels: { watched: 'yes' } },
    })
    await suite.client.update<ConfigMap>(CONFIG_MAPS, { ...created, data: { text: 'x'.repeat(200_000) } })
    await suite.client.delete(CONFIG_MAPS, nameOf(created))
    await expect
      .poll(() => seen.map((line) => line.slice(0, 24)))
      .toEqual(['ADDED héllo – 世界', `MODIFIED ${'x'.repeat(15)}`, `DELETED ${'x'.repeat(16)}`])
    stop.abort(new Error('enough'))
    await expect(watching).rejects.toThrow('enough')
  })

  test('a watch that is left ends', async () => {
    const { resourceVersion } = await suite.client.list(CONFIG_MAPS, { namespace: 'default' })
    await suite.client.create(CONFIG_MAPS, configMap())
    const events: WatchEvent<KubeObject>[] = []
    for await (const event of suite.client.watch(CONFIG_MAPS, { namespace: 'default', resourceVersion })) {
      events.push(event)
      break
    }
    expect(events).toHaveLength(1)
  })

  test('a watch of what the server does not have is refused', async () => {
    const kind: ResourceKind = { ...CONFIG_MAPS, resource: 'nonsense' }
    const watching = (async () => {
      for await (const _ of suite.client.watch(kind, { resourceVersion: '1' })) break
    })()
    expect(isNotFound(await refusal(watching))).toBe(true)
  })

  test('any other request gives its answer', async () => {
    expect(await suite.client.request('GET', '/version')).toMatchObject({ major: '1' })
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    }
    const answer = await suite.client.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)
    expect(answer).toMatchObject({ status: { allowed: true } })
  })

  test('a text that is not JSON differs from an answer', async () => {
    const error = await refusal(suite.client.request('GET', '/healthz'))
    expect([error instanceof ServerUnreachable, error]).toMatchObject([true, { code: 'no-api-server' }])
  })

  test('a call that is aborted rejects with the reason', async () => {
    const signal = AbortSignal.abort(new Error('not now'))
    await expect(suite.client.list(CONFIG_MAPS, { signal })).rejects.toThrow('not now')
    expect(isForbidden(new Error('not now'))).toBe(false)
  })
})
