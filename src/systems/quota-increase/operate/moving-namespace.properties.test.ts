// Covers namespace-quota-controller.ts: a namespace that moves to another definition.
import { Registry } from '@prometheus-io/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BASE_LABEL, PROBLEM_ANNOTATION } from '../api/increase-names.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { readDefinitionsFile } from '../decide/read-definitions.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { alreadyExists, forbidden, isForbidden } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { FollowedDefinitions } from './definitions-controller.ts'
import { type IncreaseCaches, keepState } from './increase-caches.ts'
import { NamespaceQuotaController } from './namespace-quota-controller.ts'
import { deletedIncreases, NamespaceWriter } from './namespace-quota-writer.ts'

const PROVIDER = 'quota-controller'
const QUOTAS = { group: '', resource: 'resourcequotas' }
const LIMITS = ['resourcequotas', 'count/resourcequotas'] as const

/** One namespace of an API server that admits ResourceQuotas by the limits in force, and brings limits into force when a test asks for it. */
class Server {
  namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', uid: 'n', labels: {} } }
  readonly quotas = new Map<string, ResourceQuota>()
  refusals = 0

  /** Brings all limits into force and counts. */
  sync(): void {
    for (const [name, quota] of this.quotas) {
      const hard = quota.spec?.hard ?? {}
      const used = Object.fromEntries(
        Object.keys(hard).map((limit) => [limit, limit.endsWith('resourcequotas') ? String(this.quotas.size) : '0']),
      )
      this.quotas.set(name, { ...quota, status: { hard, used } })
    }
  }

  readonly client = {
    get: async () => this.namespace,
    list: async (kind: { resource: string }) => ({
      items: kind.resource === QUOTAS.resource ? [...this.quotas.values()] : [],
    }),
    create: async (_: unknown, quota: ResourceQuota, { dryRun = false }: { dryRun?: boolean } = {}) => {
      const { name = '' } = quota.metadata
      for (const { metadata, status } of this.quotas.values())
        for (const limit of LIMITS)
          if (Number(status?.hard?.[limit] ?? Infinity) <= this.quotas.size) {
            this.refusals++
            throw forbidden(QUOTAS, name, `exceeded quota: ${metadata.name ?? ''}`)
          }
      if (this.quotas.has(name)) throw alreadyExists(QUOTAS, name)
      if (!dryRun) this.quotas.set(name, { ...quota, metadata: { ...quota.metadata, uid: name, resourceVersion: '1' } })
      return quota
    },
    update: async (_: unknown, quota: ResourceQuota) => {
      const before = this.quotas.get(quota.metadata.name ?? '')
      const written = before?.status === undefined ? quota : { ...quota, status: before.status }
      this.quotas.set(quota.metadata.name ?? '', written)
      return written
    },
    delete: async (_: unknown, { name }: { name: string }) => void this.quotas.delete(name),
    patch: async (_: unknown, __: unknown, { body }: { body: { metadata: JsonObject } }) => {
      const { metadata } = this.namespace
      const merged = (old: object = {}, change: unknown): Record<string, string> =>
        Object.fromEntries(
          Object.entries({ ...old, ...(change as object) }).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        )
      const labels = merged(metadata.labels, body.metadata['labels'])
      const annotations = merged(metadata.annotations, body.metadata['annotations'])
      this.namespace = { ...this.namespace, metadata: { ...metadata, labels, annotations } }
      return this.namespace
    },
  }
}

/** The controller of base quotas over such a server, with caches that are up to date. */
function controlling(server: Server, hards: readonly Record<string, string>[]) {
  const view = {
    onChange: () => () => undefined,
    observed: () => undefined,
    observeWrite: (_: unknown, __: unknown, write: () => Promise<unknown>) => write(),
  }
  const kept = (): readonly ResourceQuota[] =>
    [...server.quotas.values()].filter(({ metadata }) => metadata.labels !== undefined)
  const caches = {
    namespaces: { ...view, get: () => keepState(server.namespace, (text) => text, undefined) },
    increases: { ...view, list: () => [] },
    quotas: { ...view, list: kept },
    quotasIn: kept,
  } as unknown as IncreaseCaches
  const clock = { now: () => Date.now(), monotonic: () => 0 }
  const recorder = { record: () => undefined }
  const context = { client: server.client, clock, logger: silentLogger, recorder } as unknown as OperatorContext
  const followed = new FollowedDefinitions()
  const read = readDefinitionsFile({
    quotas: hards.map((hard, at) => ({
      name: `d${at}`,
      mode: 'maximum',
      selector: { matchLabels: { at: String(at) } },
      template: { spec: { hard } },
    })),
  })
  if (read.errors === undefined) followed.current = read.definitions
  const deleted = deletedIncreases(new Registry())
  const writer = new NamespaceWriter({ context, caches, followed, provider: PROVIDER, deleted })
  const controller = new NamespaceQuotaController({ context, caches, followed, writer, provider: PROVIDER, workers: 1 })
  return async (): Promise<void> => {
    try {
      await controller.reconcile('n', undefined, new AbortController().signal)
    } catch (error) {
      if (!isForbidden(error)) throw error
    }
  }
}

test('whatever quotas limit the number of quotas, a namespace comes to the base quota that it is to follow, and is never without one', async () => {
  const few = fc.constantFrom('0', '1', '2')
  const hard = fc.record(
    { pods: fc.constantFrom('3', '4'), resourcequotas: few, 'count/resourcequotas': few },
    { requiredKeys: ['pods'] },
  )
  const input = fc.record({
    hards: fc.tuple(hard, hard, hard),
    own: fc.array(fc.record({ resourcequotas: few, 'count/resourcequotas': few }, { requiredKeys: [] }), {
      maxLength: 2,
    }),
    moves: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 4 }),
    late: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  })
  let refusals = 0
  await fc.assert(
    fc.asyncProperty(input, async ({ hards, own, moves, late }) => {
      const server = new Server()
      for (const [at, limits] of own.entries())
        server.quotas.set(`own-${at}`, {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: `own-${at}`, namespace: 'n' },
          spec: { hard: { ...limits, services: '7' } },
        })
      server.sync()
      const reconcile = controlling(server, hards)
      let isHeld = false
      for (const to of moves) {
        await server.client.patch(undefined, undefined, { body: { metadata: { labels: { at: String(to) } } } })
        for (const isLate of [...late, ...late.map(() => false)]) {
          await reconcile()
          const bases = [...server.quotas.keys()].filter((name) => name.startsWith('d'))
          if (isHeld) expect(bases).not.toEqual([])
          // The label names a quota that is there; of two, one that is in force.
          const label = server.namespace.metadata.labels?.[BASE_LABEL]
          if (label !== undefined) expect(bases).toContain(label)
          if (label !== undefined && bases.length > 1) expect(server.quotas.get(label)?.status).toBeDefined()
          if (!isLate) server.sync()
        }
        isHeld = true
        expect([...server.quotas.keys()].filter((name) => name.startsWith('d'))).toEqual([`d${to}`])
        expect(server.quotas.get(`d${to}`)?.spec?.hard).toEqual(hards[to])
        const { labels, annotations } = server.namespace.metadata
        expect([labels?.[BASE_LABEL], annotations?.[PROBLEM_ANNOTATION]]).toEqual([`d${to}`, undefined])
      }
      refusals += server.refusals
    }),
  )
  expect(refusals).toBeGreaterThan(0)
})
