import { describe, expect, test, vi } from 'vitest'
import type { KubeClient } from '../../src/kube/client/kube-client.ts'
import { systemContext } from '../../src/kube/time/system-context.ts'
import { WatchCache } from '../../src/kube/cache/watch-cache.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isNotFound } from '../../src/machinery/status.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { SeededRandom } from '../seeded-random.ts'
import { openProxied } from './proxied-client.ts'
import { CONFIG_MAPS, NAMESPACES } from './core-kinds.ts'
import { forSuite, servers } from './servers.ts'

interface Kept {
  readonly name: string
  readonly version: string
  readonly color: string
}

const keep = ({ metadata }: KubeObject): Kept => ({
  name: metadata.name ?? '',
  version: metadata.resourceVersion ?? '',
  color: metadata.labels?.['color'] ?? '',
})

const configMap = (namespace: string, name: string, color: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels: { color } },
})

/** Creates, changes or deletes something of the namespace. */
async function change(client: KubeClient, namespace: string, random: () => number): Promise<void> {
  const name = `map-${Math.floor(random() * 40)}`
  const color = random() < 0.7 ? 'red' : 'blue'
  if (random() < 0.3) return await client.delete(CONFIG_MAPS, { namespace, name }).catch(unlessMissing)
  const object = configMap(namespace, name, color)
  const written = await client.update(CONFIG_MAPS, object).catch(unlessMissing)
  if (written === undefined) await client.create(CONFIG_MAPS, object)
}

function unlessMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

describe.each(servers)('on %s', (_, start) => {
  const suite = forSuite(start)

  const newNamespace = async (name: string): Promise<string> => {
    await suite.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    return name
  }
  const cacheOf = (client: KubeClient, namespace: string, labelSelector = ''): WatchCache<Kept, 'color'> =>
    new WatchCache({
      client,
      kind: CONFIG_MAPS,
      namespace,
      labelSelector,
      keep,
      indexes: { color: ({ color }: Kept) => [color] },
      clock: systemContext,
      logger: silentLogger,
      pageSize: 7,
    })
  const stateOf = async (namespace: string, labelSelector = ''): Promise<readonly Kept[]> =>
    (await suite.client.list(CONFIG_MAPS, { namespace, labelSelector })).items.map(keep)
  const sorted = (kept: readonly Kept[]): readonly Kept[] => kept.toSorted((a, b) => (a.name < b.name ? -1 : 1))

  test('a cache comes to the state of the server although its connections are cut all the time', async () => {
    const namespace = await newNamespace('cut')
    const seeded = new SeededRandom(7)
    const random = (): number => seeded.next()
    for (let i = 0; i < 30; i++) await change(suite.client, namespace, random)
    await using proxied = await openProxied(suite.server.kubeconfig)
    const all = cacheOf(proxied.client, namespace)
    const red = cacheOf(proxied.client, namespace, 'color=red')
    const seen = new Map<string, Kept>()
    all.onChange((old, current) => {
      const { name = '' } = old ?? current ?? {}
      expect(seen.get(name)).toEqual(old)
      if (current === undefined) seen.delete(name)
      else seen.set(name, current)
    })
    all.start()
    red.start()
    await all.whenSynced()
    proxied.proxy.cutAtRandom(100, 0.4, random)
    for (let i = 0; i < 400; i++) await change(suite.client, namespace, random)
    // Ended by now or not: what happens when everything breaks at once.
    proxied.proxy.cut()
    await change(suite.client, namespace, random)
    proxied.proxy.leaveInPeace()
    const expected = sorted(await stateOf(namespace))
    await vi.waitFor(() => expect(sorted(all.list())).toEqual(expected), 20_000)
    await vi.waitFor(() => expect(sorted(red.list())).toEqual(expected.filter(({ color }) => color === 'red')), 20_000)
    expect(sorted([...seen.values()])).toEqual(expected)
    expect(sorted(all.keysOf('color').flatMap((color) => all.by('color', color)))).toEqual(expected)
    expect(proxied.proxy.cuts).toBeGreaterThan(4)
    await Promise.all([all.stop(), red.stop()])
  })

  test('a cache survives a server that is away, and says since when', async () => {
    const namespace = await newNamespace('away')
    await using proxied = await openProxied(suite.server.kubeconfig)
    const cache = cacheOf(proxied.client, namespace)
    cache.start()
    await cache.whenSynced()
    await suite.client.create(CONFIG_MAPS, configMap(namespace, 'a', 'red'))
    await vi.waitFor(() => expect(cache.get(namespace, 'a')).toBeDefined(), 10_000)
    proxied.proxy.refusing = true
    proxied.proxy.cut()
    await vi.waitFor(() => expect(cache.problem).toBeDefined(), 10_000)
    await suite.client.delete(CONFIG_MAPS, { namespace, name: 'a' })
    const silence = cache.silenceMs
    await vi.waitFor(() => expect(cache.silenceMs).toBeGreaterThan(silence), 10_000)
    expect(cache.get(namespace, 'a')).toBeDefined()
    proxied.proxy.refusing = false
    await vi.waitFor(() => expect(cache.get(namespace, 'a')).toBeUndefined(), 20_000)
    await cache.stop()
  })

  test('a writer reads its write in the cache at once, and it stays so', async () => {
    const namespace = await newNamespace('own')
    const cache = cacheOf(suite.client, namespace)
    const versions: (string | undefined)[] = []
    cache.start()
    await cache.whenSynced()
    cache.onChange((old, current) => {
      if ((old ?? current)?.name === 'a') versions.push(current?.version)
    })
    const written: (string | undefined)[] = []
    for (let i = 0; i < 50; i++) {
      const object = configMap(namespace, 'a', String(i))
      const answer = await (i === 0
        ? suite.client.create(CONFIG_MAPS, object)
        : suite.client.update(CONFIG_MAPS, object))
      cache.observed(answer)
      expect(cache.get(namespace, 'a')?.color).toBe(String(i))
      written.push(answer.metadata.resourceVersion)
    }
    await suite.client.delete(CONFIG_MAPS, { namespace, name: 'a' })
    await vi.waitFor(() => expect(cache.get(namespace, 'a')).toBeUndefined(), 10_000)
    expect(versions).toEqual([...written, undefined])
    await cache.stop()
  })
})
