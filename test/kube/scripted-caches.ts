import { afterEach } from 'vitest'
import { ManualClock, settled } from './manual-clock.ts'
import { ScriptedClient } from './scripted-client.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import type { ResourceKind } from '../../src/kube/client/kube-client.ts'
import { WatchCache, type WatchCacheOptions } from '../../src/kube/cache/watch-cache.ts'

export const THINGS: ResourceKind = {
  group: 'a.test',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  namespaced: true,
}

export interface Kept {
  readonly name: string
  readonly size: number
  readonly version: string
}

export const thing = (name: string, size = 0, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'a.test/v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name, labels },
  size,
})

export const keep = ({ metadata, size }: KubeObject): Kept => ({
  name: metadata.name ?? '',
  size: Number(size),
  version: metadata.resourceVersion ?? '',
})

export type Scope = Pick<WatchCacheOptions<Kept, 'size', KubeObject>, 'labelSelector' | 'namespace' | 'ownWrite'>

export const names = (cache: WatchCache<Kept, 'size'>): readonly string[] => cache.list().map(({ name }) => name)

/** Caches of a scripted server and clock; one at a time, which ends with its test. */
export function scriptedCaches() {
  let running: WatchCache<Kept, 'size'> | undefined
  afterEach(() => running?.stop())

  function setUp(scope: Scope = {}) {
    const server = new ScriptedClient(THINGS)
    const clock = new ManualClock()
    const cache = new WatchCache({
      client: server,
      kind: THINGS,
      clock,
      logger: silentLogger,
      keep,
      indexes: { size: ({ size }: Kept) => [String(size)] },
      ...scope,
    })
    running = cache
    const reported: string[] = []
    cache.onChange((old, current) => {
      reported.push(
        `${old === undefined ? '' : `${old.name}=${old.size}`}>${current === undefined ? '' : `${current.name}=${current.size}`}`,
      )
    })
    return { server, clock, cache, reported }
  }

  async function started(objects: readonly KubeObject[] = [], scope: Scope = {}) {
    const all = setUp(scope)
    for (const object of objects) all.server.put(object)
    all.cache.start()
    await all.cache.whenSynced()
    await settled()
    all.reported.length = 0
    return all
  }

  return { setUp, started }
}
