// Covers namespace-quota-controller.ts and namespace-quota-writer.ts, beside others that write.
import { Registry } from '@prometheus-io/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { readDefinitionsFile } from '../decide/read-definitions.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { alreadyExists, ApiError, conflict, notFound } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { FollowedDefinitions } from './definitions-controller.ts'
import { type IncreaseCaches, keepState } from './increase-caches.ts'
import { NamespaceQuotaController } from './namespace-quota-controller.ts'
import { deletedIncreases, NamespaceWriter } from './namespace-quota-writer.ts'

const PROVIDER = 'quota-controller'
const QUOTAS = { group: '', resource: 'resourcequotas' }
const NOW = Date.parse('2026-01-01T00:00:00Z')

/** One namespace of an API server, which takes a write of a quota only at the version that is stored. */
class Server {
  namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', uid: 'n', labels: {} } }
  quotas: ReadonlyMap<string, ResourceQuota> = new Map()
  #version = 0

  /** Brings all limits into force. */
  enforce(): void {
    for (const [name, quota] of this.quotas)
      if (quota.status === undefined)
        this.#store(name, { ...quota, status: { hard: quota.spec?.hard ?? {}, used: {} } })
  }

  move(to: number): void {
    const { metadata } = this.namespace
    this.namespace = { ...this.namespace, metadata: { ...metadata, labels: { ...metadata.labels, at: String(to) } } }
  }

  create(quota: ResourceQuota): ResourceQuota {
    const { name = '' } = quota.metadata
    if (this.quotas.has(name)) throw alreadyExists(QUOTAS, name)
    const metadata = {
      ...quota.metadata,
      uid: `${name}-${this.#version}`,
      creationTimestamp: new Date(NOW).toISOString(),
    }
    return this.#store(name, { ...quota, metadata })
  }

  update(quota: ResourceQuota): ResourceQuota {
    const there = this.#at(quota.metadata)
    return this.#store(
      quota.metadata.name ?? '',
      there.status === undefined ? quota : { ...quota, status: there.status },
    )
  }

  delete(as: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string }): void {
    this.#at(as)
    this.quotas = new Map([...this.quotas].filter(([name]) => name !== as.name))
  }

  patch({ body }: { readonly body: { readonly metadata: JsonObject } }): KubeObject {
    const { metadata } = this.namespace
    const labels = Object.entries({ ...metadata.labels, ...(body.metadata['labels'] as object | undefined) })
    const kept = Object.fromEntries(labels.filter(([, value]) => typeof value === 'string')) as Record<string, string>
    return (this.namespace = { ...this.namespace, metadata: { ...metadata, labels: kept } })
  }

  #at({ name = '', uid, resourceVersion }: ResourceQuota['metadata']): ResourceQuota {
    const there = this.quotas.get(name)
    if (there === undefined) throw notFound(QUOTAS, name)
    if (there.metadata.uid === uid && there.metadata.resourceVersion === resourceVersion) return there
    throw conflict(QUOTAS, name)
  }

  #store(name: string, quota: ResourceQuota): ResourceQuota {
    const stored = { ...quota, metadata: { ...quota.metadata, resourceVersion: String(++this.#version) } }
    this.quotas = new Map([...this.quotas, [name, stored]])
    return stored
  }
}

/** The controller of a replica that may stand still before and after each of its requests, and sees changes when the test lets it. */
class Replica {
  readonly #server: Server
  readonly #controller: NamespaceQuotaController
  readonly #held: (() => void)[] = []
  #namespace: KubeObject
  #quotas: ReadonlyMap<string, ResourceQuota> = new Map()
  #work: Promise<void> | undefined

  constructor(server: Server, followed: FollowedDefinitions) {
    this.#server = server
    this.#namespace = server.namespace
    const context = {
      client: this.#client(),
      clock: { now: () => NOW, monotonic: () => 0 },
      logger: silentLogger,
      recorder: { record: () => undefined },
    } as unknown as OperatorContext
    const caches = this.#caches()
    const deleted = deletedIncreases(new Registry())
    const writer = new NamespaceWriter({ context, caches, followed, provider: PROVIDER, deleted })
    this.#controller = new NamespaceQuotaController({
      context,
      caches,
      followed,
      writer,
      provider: PROVIDER,
      workers: 1,
    })
  }

  get isIdle(): boolean {
    return this.#work === undefined
  }

  see(): void {
    this.#namespace = this.#server.namespace
    this.#quotas = this.#server.quotas
  }

  /** Begins to reconcile, or lets the next request go on. */
  async step(): Promise<void> {
    if (this.#work === undefined) this.#work = this.#reconcile()
    else this.#held.shift()?.()
    await new Promise(setImmediate)
  }

  async #reconcile(): Promise<void> {
    try {
      await this.#controller.reconcile('n', undefined, new AbortController().signal)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    } finally {
      this.#work = undefined
    }
  }

  #client() {
    const server = this.#server
    const held = async <T>(work: () => T): Promise<T> => {
      await new Promise<void>((go) => this.#held.push(go))
      const answer = work()
      await new Promise<void>((go) => this.#held.push(go))
      return answer
    }
    return {
      get: () => held(() => server.namespace),
      list: (kind: { resource: string }) =>
        held(() => ({ items: kind.resource === QUOTAS.resource ? [...server.quotas.values()] : [] })),
      create: (_: unknown, quota: ResourceQuota) => held(() => server.create(quota)),
      update: (_: unknown, quota: ResourceQuota) => held(() => server.update(quota)),
      delete: (_: unknown, { name }: { name: string }, as: { uid: string; resourceVersion: string }) =>
        held(() => server.delete({ name, ...as })),
      patch: (_: unknown, __: unknown, patch: Parameters<Server['patch']>[0]) => held(() => server.patch(patch)),
    }
  }

  #caches(): IncreaseCaches {
    const view = { onChange: () => () => undefined, observed: () => undefined }
    const quotas = (): readonly ResourceQuota[] => [...this.#quotas.values()]
    const keep = (name: string, quota: ResourceQuota): void => {
      this.#quotas = new Map([...this.#quotas, [name, quota]])
    }
    return {
      namespaces: {
        ...view,
        get: () => keepState(this.#namespace, (text) => text, undefined),
        observeWrite: async (_: unknown, __: unknown, write: () => Promise<KubeObject>) =>
          (this.#namespace = await write()),
      },
      increases: { ...view, list: () => [] },
      quotas: {
        ...view,
        list: quotas,
        observeWrite: async ({ name }: { name: string }, _: unknown, write: () => Promise<ResourceQuota>) =>
          keep(name, await write()),
      },
      quotasIn: quotas,
    } as unknown as IncreaseCaches
  }
}

test('however replicas stand still between their requests, a namespace that moves is never without a base quota in force', async () => {
  const replica = fc.nat({ max: 1 })
  const event = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ what: fc.constant('step' as const), at: replica, times: fc.nat({ max: 8 }) }),
    },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('see' as const), at: replica }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('move' as const), at: replica }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('enforce' as const) }) },
  )
  let moved = 0
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 15, maxLength: 60 }), async (events) => {
      const server = new Server()
      const followed = new FollowedDefinitions()
      const read = readDefinitionsFile({
        quotas: [0, 1].map((at) => ({
          name: `d${at}`,
          mode: 'maximum',
          selector: { matchLabels: { at: String(at) } },
          template: { spec: { hard: { pods: String(at + 1) } } },
        })),
      })
      if (read.errors === undefined) followed.current = read.definitions
      const replicas = [new Replica(server, followed), new Replica(server, followed)] as const
      const inForce = (): readonly string[] =>
        [...server.quotas.values()].flatMap(({ metadata, status }) =>
          status === undefined ? [] : [metadata.name ?? ''],
        )
      const settle = async (to: number): Promise<void> => {
        server.move(to)
        for (let turn = 0; turn < 200 && (turn < 40 || replicas.some(({ isIdle }) => !isIdle)); turn++)
          for (const one of replicas) {
            server.enforce()
            if (one.isIdle) one.see()
            await one.step()
            if (turn > 4 || inForce().length > 0) expect(inForce()).not.toEqual([])
          }
        expect([...server.quotas.keys()]).toEqual([`d${to}`])
      }
      await settle(0)
      for (const one of events) {
        if (one.what === 'enforce') server.enforce()
        else if (one.what === 'move') server.move(one.at)
        else if (one.what === 'see') replicas[one.at]?.see()
        else
          for (let times = 0; times <= one.times; times++) {
            await replicas[one.at]?.step()
            expect(inForce()).not.toEqual([])
          }
        moved += inForce().includes('d1') ? 1 : 0
      }
      await settle(1)
    }),
  )
  expect(moved).toBeGreaterThan(0)
})
