import { Registry } from '@prometheus-io/client'
import { resourcePool } from '../../src/systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../src/systems/resource-pool/api/claim.ts'
import { isResourceQuota } from '../../src/kinds/resource-quota/resource-quota.ts'
import type {
  DeleteCallOptions,
  KubeClient,
  ObjectName,
  Patch,
  ResourceKind,
  WatchCallOptions,
  WriteCallOptions,
} from '../../src/kube/client/kube-client.ts'
import type { Clock } from '../../src/kube/time/clock.ts'
import { systemContext } from '../../src/kube/time/system-context.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { ReconcileMetrics } from '../../src/operator/shell/reconcile-metrics.ts'
import { StartedSystems } from '../../src/operator/shell/started-systems.ts'
import { WebhookRules } from '../../src/operator/shell/registered-webhooks.ts'
import type { OperatorContext } from '../../src/operator/system.ts'
import { AdmittedUsage } from '../../src/systems/generated-quota/operate/admitted-usage.ts'
import { RESOURCE_QUOTAS } from '../../src/systems/generated-quota/operate/resource-quotas.ts'
import { PoolCaches } from '../../src/systems/resource-pool/operate/pool-caches.ts'
import { LIMIT_RANGES } from '../../src/systems/resource-pool/operate/limit-range/limit-ranges.ts'
import { poolSystem } from '../../src/systems/resource-pool/operate/system.ts'
import { SharedCaches, SystemCaches } from '../../src/operator/shell/shared-caches.ts'
import { ScriptedClient } from '../kube/scripted-client.ts'
import { sealBy } from './ledger-seals.ts'

const NAMESPACES: ResourceKind = { ...RESOURCE_QUOTAS, resource: 'namespaces', kind: 'Namespace', namespaced: false }

/** Quotas with the controller that enforces what they say, at once. */
class QuotaServer extends ScriptedClient {
  /** While it is not set, the controller is late. */
  isEnforcing = true

  override put(object: KubeObject): KubeObject {
    const stored = super.put(object)
    if (
      !this.isEnforcing ||
      !isResourceQuota(stored) ||
      JSON.stringify(stored.spec?.hard) === JSON.stringify(stored.status?.hard)
    )
      return stored
    const hard = stored.spec?.hard ?? {}
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    queueMicrotask(() => {
      const { namespace = '', name = '' } = stored.metadata
      if (this.state.get(`${namespace}/${name}`) === asObject(stored))
        super.put(asObject({ ...stored, status: { hard, used } }))
    })
    return stored
  }
}

/** An API server in memory with all kinds that pools are about. */
export class PoolServer {
  readonly pools = new ScriptedClient(resourcePool)
  readonly claims = new ScriptedClient(resourcePoolClaim)
  readonly quotas = new QuotaServer(RESOURCE_QUOTAS)
  readonly namespaces = new ScriptedClient(NAMESPACES)
  readonly limitRanges = new ScriptedClient(LIMIT_RANGES)

  /** As over a network, the server keeps nothing of what it is given. */
  readonly client = {
    get: (kind: ResourceKind, name: ObjectName) => this.#of(kind).get(kind, name),
    getMetadata: (kind: ResourceKind, name: ObjectName) => this.#of(kind).getMetadata(kind, name),
    listPages: (kind: ResourceKind) => this.#of(kind).listPages(kind, { pageSize: 0 }),
    create: (kind: ResourceKind, object: KubeObject, options?: WriteCallOptions) =>
      this.#of(kind).create(kind, structuredClone(object), options),
    update: (kind: ResourceKind, object: KubeObject, options?: WriteCallOptions) =>
      this.#of(kind).update(kind, structuredClone(object), options),
    patch: (kind: ResourceKind, name: ObjectName, patch: Patch, options?: WriteCallOptions) =>
      this.#of(kind).patch(kind, name, structuredClone(patch), options),
    patchMetadata: (kind: ResourceKind, name: ObjectName, patch: Patch, options?: WriteCallOptions) =>
      this.#of(kind).patchMetadata(kind, name, structuredClone(patch), options),
    delete: (kind: ResourceKind, name: ObjectName, options?: DeleteCallOptions) =>
      this.#of(kind).delete(kind, name, options),
    watch: (kind: ResourceKind, options: WatchCallOptions) => this.#of(kind).watch(kind, options),
  } as unknown as KubeClient

  #of({ resource }: ResourceKind): ScriptedClient {
    if (resource === resourcePool.resource) return this.pools
    if (resource === resourcePoolClaim.resource) return this.claims
    if (resource === LIMIT_RANGES.resource) return this.limitRanges
    return resource === RESOURCE_QUOTAS.resource ? this.quotas : this.namespaces
  }
}

export const asObject = (object: object): KubeObject => object as KubeObject
/** As somebody creates it: what the server gives is not there yet. */
export function asCreated(object: object): KubeObject {
  const {
    metadata: { uid: _uid, resourceVersion: _version, ...metadata },
    ...rest
  } = asObject(object)
  return { ...rest, metadata }
}

/** The caches of an operator on the server, as its watches keep them; they end with `await using`. */
export async function watchingPools(server: PoolServer): Promise<{ readonly caches: PoolCaches } & AsyncDisposable> {
  const shared = new SharedCaches({ client: server.client, clock: systemContext, logger: silentLogger })
  const system = new SystemCaches(shared)
  const caches = new PoolCaches(system)
  shared.start()
  await system.whenSynced()
  return { caches, [Symbol.asyncDispose]: () => shared.stop() }
}

/**
 * Runs the system of pools on a server until the work is done. Rejects where it wrote over an object without regard to what somebody
 * else may have written meanwhile: no number of operators may hand out the same room. `admitted`: what allot admits for the quotas.
 */
export async function operating<T>(
  server: PoolServer,
  work: (registry: Registry) => Promise<T>,
  clock: Clock = systemContext,
  admitted = new AdmittedUsage(),
): Promise<T> {
  const registry = new Registry()
  const shared = {
    client: server.client,
    clock,
    logger: silentLogger,
    registry,
    recorder: { record: () => undefined } as unknown as OperatorContext['recorder'],
    webhooks: new WebhookRules(),
    systemNamespace: 'allot-system',
    exempt: new Set<string>(),
    seal: sealBy(),
    ownName: () => undefined,
  }
  const started = new StartedSystems({
    client: server.client,
    clock,
    logger: silentLogger,
    metrics: new ReconcileMetrics(registry),
    starts: [(caches) => poolSystem(1, admitted).start({ ...shared, caches })],
  })
  await started.start()
  const stop = new AbortController()
  const leading = started.lead(stop.signal)
  const result = await work(registry)
  stop.abort()
  await leading
  await started.stop()
  const { pools, claims, quotas, limitRanges } = server
  const unconditional = [pools, claims, quotas, limitRanges].flatMap((kind) => kind.unconditional)
  if (unconditional.length > 0) throw new Error(`written whatever was there: ${unconditional.join(', ')}`)
  return result
}
