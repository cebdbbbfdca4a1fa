import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../test/grants/pool-arena.ts'
import { eventually } from '../../../test/eventually.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import { type ResourcePool, resourcePool } from '../../api/resource-pool/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { isResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { KubeClient, ObjectName, Patch, ResourceKind, WatchOptions } from '../../kube/kube-client.ts'
import { systemSurroundings } from '../../kube/system-surroundings.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { ReconcileMetrics } from '../reconcile-metrics.ts'
import type { OperatorContext } from '../system.ts'
import { RESOURCE_QUOTAS } from './pool-caches.ts'
import { poolSystem } from './pool-system.ts'

const NAMESPACES: ResourceKind = { ...RESOURCE_QUOTAS, resource: 'namespaces', kind: 'Namespace', namespaced: false }

/** Quotas with the controller that enforces what they say, at once. */
class QuotaServer extends ScriptedClient {
  override put(object: KubeObject): KubeObject {
    const stored = super.put(object)
    if (!isResourceQuota(stored) || JSON.stringify(stored.spec?.hard) === JSON.stringify(stored.status?.hard))
      return stored
    const hard = stored.spec?.hard ?? {}
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    queueMicrotask(() => super.put(asObject({ ...stored, status: { hard, used } })))
    return stored
  }
}

/** An API server with all kinds that pools are about. */
class Server {
  readonly pools = new ScriptedClient(resourcePool)
  readonly claims = new ScriptedClient(resourcePoolClaim)
  readonly quotas = new QuotaServer(RESOURCE_QUOTAS)
  readonly namespaces = new ScriptedClient(NAMESPACES)

  readonly client = {
    get: (kind: ResourceKind, name: ObjectName) => this.#of(kind).get(kind, name),
    getMetadata: (kind: ResourceKind, name: ObjectName) => this.#of(kind).getMetadata(kind, name),
    listPages: (kind: ResourceKind) => this.#of(kind).listPages(kind, { pageSize: 0 }),
    create: (kind: ResourceKind, object: KubeObject) => this.#of(kind).create(kind, object),
    update: (kind: ResourceKind, object: KubeObject) => this.#of(kind).update(kind, object),
    patch: (kind: ResourceKind, name: ObjectName, patch: Patch) => this.#of(kind).patch(kind, name, patch),
    patchMetadata: (kind: ResourceKind, name: ObjectName, patch: Patch) =>
      this.#of(kind).patchMetadata(kind, name, patch),
    watch: (kind: ResourceKind, options: WatchOptions) => this.#of(kind).watch(kind, options),
  } as unknown as KubeClient

  #of({ resource }: ResourceKind): ScriptedClient {
    if (resource === resourcePool.resource) return this.pools
    if (resource === resourcePoolClaim.resource) return this.claims
    return resource === RESOURCE_QUOTAS.resource ? this.quotas : this.namespaces
  }
}

const PER_NAMESPACE = 10
const TRIES = 15

const asObject = (object: object): KubeObject => object as KubeObject
/** As somebody creates it: what the server gives is not there yet. */
const without = ({
  metadata: { uid: _uid, resourceVersion: _version, ...metadata },
  ...rest
}: KubeObject): KubeObject => ({
  ...rest,
  metadata,
})
const isTold = ({ status }: KubeObject): boolean =>
  isObject(status) && Array.isArray(status['conditions']) && status['conditions'].length === 4

/** Runs the system on a server until the work is done. */
async function operating<T>(server: Server, work: () => Promise<T>): Promise<T> {
  const registry = new Registry()
  const context: OperatorContext = {
    client: server.client,
    clock: systemSurroundings,
    logger: silentLogger,
    registry,
    reconciles: new ReconcileMetrics(registry),
    recorder: { record: () => undefined } as unknown as OperatorContext['recorder'],
    systemNamespace: 'allot-system',
    ownName: () => undefined,
  }
  const running = poolSystem(1).start(context)
  const stop = new AbortController()
  const leading = running.lead(stop.signal)
  const result = await work()
  stop.abort()
  await leading
  await running.stop()
  return result
}

async function oneClaim(size: number): Promise<{ readonly cpuMs: number; readonly quotaWrites: number }> {
  const server = new Server()
  const namespaceOf = (at: number): string => `n${Math.floor(at / PER_NAMESPACE)}`
  for (let at = 0; at < size; at += PER_NAMESPACE)
    server.namespaces.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespaceOf(at), labels: { pool: 'p' } },
    })
  server.pools.put(without(asObject(poolOf('p', { quota: { hard: { cpu: '100000' } } }))))
  const claim = (at: number, name: string): KubeObject =>
    without(asObject(claimOf(name, { cpu: '1' }, { namespace: namespaceOf(at), age: at })))
  for (let at = 0; at < size; at++) server.claims.put(claim(at, `c${at}`))
  return await operating(server, async () => {
    const told = (): boolean => [...server.claims.state.values()].every(isTold)
    await eventually(told, Boolean, { patienceMs: 100_000, everyMs: 200, what: 'every claim has its room' })
    const cpu: number[] = []
    let writes = 0
    for (let n = 0; n < TRIES; n++) {
      const before = server.quotas.calls.length
      const began = process.threadCpuUsage()
      const { namespace = '', name = '' } = server.claims.put(claim(n * PER_NAMESPACE, `late-${n}`)).metadata
      await eventually(() => isTold(server.claims.state.get(`${namespace}/${name}`) ?? ({} as KubeObject)), Boolean, {
        everyMs: 5,
      })
      const { user, system } = process.threadCpuUsage(began)
      cpu.push((user + system) / 1000)
      writes += server.quotas.calls.slice(before).filter((call) => call === 'update').length
    }
    return { cpuMs: cpu.toSorted((a, b) => a - b)[TRIES >> 2] ?? NaN, quotaWrites: writes / TRIES }
  })
}

test(
  'what one claim costs does not grow with the pool, and only its own quota is written',
  { timeout: 300_000 },
  async () => {
    const small = await oneClaim(150)
    const large = await oneClaim(3000)
    expect([small.quotaWrites, large.quotaWrites]).toEqual([1, 1])
    expect(large.cpuMs / small.cpuMs).toBeLessThan(3)
  },
)

test('a change at the head of a long queue is written to the first who wait, and to nobody else', async () => {
  const server = new Server()
  server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { pool: 'p' } } })
  const spec = { quota: { hard: { cpu: '2' } }, config: { orderedQueue: true } }
  server.pools.put(without(asObject(poolOf('p', spec))))
  const waiting = process.env['ALLOT_SOAK'] === '1' ? 10_000 : 1_000
  for (let at = 0; at <= waiting; at++)
    server.claims.put(without(asObject(claimOf(`c${at}`, { cpu: at === 0 ? '2' : '1' }, { namespace: 'n', age: at }))))
  const isGiven = (name: string): boolean => {
    const { status } = server.claims.state.get(`n/${name}`) as ResourcePoolClaim
    return status?.conditions.some(({ type, status: is }) => type === 'Allocated' && is === 'True') === true
  }
  const waitingCount = (): unknown =>
    ([...server.pools.state.values()][0] as ResourcePool | undefined)?.status?.waitingCount
  await operating(server, async () => {
    const told = (): boolean => [...server.claims.state.values()].every(isTold)
    await eventually(told, Boolean, { patienceMs: 100_000, everyMs: 100, what: 'every claim knows that it waits' })
    await eventually(waitingCount, (count) => count === waiting)
    const before = [server.claims, server.pools, server.quotas].map(({ calls }) => calls.length)
    server.claims.remove({ namespace: 'n', name: 'c0' })
    await eventually(() => isGiven('c1') && isGiven('c2'), Boolean, { what: 'the next have their room' })
    await eventually(waitingCount, (count) => count === waiting - 2)
    await eventually(
      () => (server.claims.state.get('n/c22') as ResourcePoolClaim).status?.waiting?.position,
      (position) => position === 20,
    )
    const after = [server.claims, server.pools, server.quotas].map(({ calls }) => calls.length)
    const written = after.reduce((sum, count, at) => sum + count - (before[at] ?? 0), 0)
    expect(written).toBeLessThan(100)
  })
})
