import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../../../test/kube/scripted-client.ts'
import type { ObjectName, ResourceKind } from '../../../kube/client/kube-client.ts'
import type { EventContent } from '../../../kube/events/event-object.ts'
import type { KubeObject, ObjectMeta } from '../../../machinery/object.ts'
import { badRequest, forbidden, internalError, notFound } from '../../../machinery/status.ts'
import { type Logger, silentLogger } from '../../../runtime/process/logger.ts'
import { RefusedWorkloadController } from './controller.ts'

const EVENTS: ResourceKind = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true }
const message = (quota = 'small'): string =>
  `Error creating: pods "w" is forbidden: exceeded quota: ${quota}, requested: pods=1, used: pods=2, limited: pods=2`
const ALL: ReadonlySet<string> = new Set()
const never = new AbortController().signal

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A replica set of three pods that has two. */
const replicaSet = (name: string, namespace = 'n', metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace, name, uid: `uid-of-${namespace}-${name}`, generation: 1, ...metadata },
  spec: { replicas: 3 },
  status: { replicas: 2, observedGeneration: 1 },
})

class World {
  readonly clock = new ManualClock()
  readonly events = new ScriptedClient(EVENTS)
  readonly objects = new Map<string, KubeObject>()
  readonly reads: string[] = []
  readonly told: EventContent[] = []
  readonly asked: string[] = []
  readonly warned: unknown[] = []
  failure: Error | undefined
  isAllowed = true
  #serial = 0
  readonly controller: RefusedWorkloadController

  constructor() {
    const client = Object.assign(this.events, {
      get: async (kind: ResourceKind, { namespace, name }: ObjectName) => {
        const key = `${kind.resource} ${namespace}/${name}`
        this.reads.push(key)
        await Promise.resolve()
        if (this.failure !== undefined) throw this.failure
        const object = this.objects.get(key)
        if (object === undefined) throw notFound(kind, name)
        return object as never
      },
      request: () => Promise.resolve({ status: { allowed: this.isAllowed } }),
    })
    const logger: Logger = { ...silentLogger, warn: (...of: unknown[]) => void this.warned.push(of) }
    const recorder = { record: (content: EventContent) => void this.told.push(content) }
    this.controller = new RefusedWorkloadController({ client, clock: this.clock, logger, recorder })
  }

  async begin(): Promise<this> {
    for (const source of this.controller.sources)
      ends.push(source.follow('refused-workloads', ({ key }) => this.asked.push(key)))
    for (let turn = 0; turn < 5; turn++) await settled()
    return this
  }

  has(object: KubeObject): KubeObject {
    const { namespace = '', name = '' } = object.metadata
    this.objects.set(`${object.kind.toLowerCase()}s ${namespace}/${name}`, object)
    return object
  }

  /** An Event as the controller of a workload writes it, or a tenant. */
  async refuse(object: KubeObject, text = message(), lastTimestamp = '2026-01-01T00:00:00Z'): Promise<void> {
    const { namespace = '', name = '', uid = '' } = object.metadata
    const { apiVersion, kind } = object
    this.events.put({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `e${this.#serial++}` },
      involvedObject: { apiVersion, kind, namespace, name, uid },
      message: text,
      lastTimestamp,
    })
    await settled()
  }

  /** Looks at what is asked for. */
  async work(): Promise<void> {
    for (const key of new Set(this.asked.splice(0))) await this.controller.reconcile(key, ALL, never)
  }

  get shown(): readonly string[] {
    return this.told.map(
      ({ reason, namespace, regarding: { kind, metadata }, note }) =>
        `${reason} ${namespace ?? ''} ${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}: ${note}`,
    )
  }
}

const NOTE = 'quota small: pods 2 of 2 used, 1 more requested'
const ownedBy = (apiVersion: string, kind: string, name: string, uid: string): Partial<ObjectMeta> => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
})

test('a refusal is told on the Deployment that made the workload', async () => {
  const world = await new World().begin()
  world.has({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'n', name: 'web', uid: 'w' } })
  await world.refuse(world.has(replicaSet('web-1', 'n', ownedBy('apps/v1', 'Deployment', 'web', 'w'))))
  await world.work()
  expect(world.shown).toEqual([`QuotaExceeded n Deployment n/web: ReplicaSet web-1: ${NOTE}`])
})

test.each([
  ['a namespace', ownedBy('v1', 'Namespace', 'kube-system', 'w')],
  ['a Deployment of another uid', ownedBy('apps/v1', 'Deployment', 'web', 'other')],
  ['a Deployment that is not there', ownedBy('apps/v1', 'Deployment', 'gone', 'w')],
  ['a kind that nobody knows', ownedBy('a.test/v1', 'Thing', 'web', 'w')],
])('a refusal of what says to belong to %s stays with the workload [security/refusal-events]', async (_, owner) => {
  const world = await new World().begin()
  world.has({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'n', name: 'web', uid: 'w' } })
  await world.refuse(world.has(replicaSet('web-1', 'n', owner)))
  await world.work()
  expect(world.shown).toEqual([`QuotaExceeded n ReplicaSet n/web-1: ${NOTE}`])
})

test('an Event about a workload of another uid, or none, is not told and not kept [security/refusal-events]', async () => {
  const world = await new World().begin()
  world.has(replicaSet('web'))
  await world.refuse(replicaSet('web', 'n', { uid: 'other' }))
  await world.refuse(replicaSet('none'))
  const keys = [...world.asked]
  expect(keys).toHaveLength(2)
  await world.work()
  expect(world.told).toEqual([])
  const reads = world.reads.length
  for (const key of keys) expect(await world.controller.reconcile(key, ALL, never)).toEqual({})
  expect(world.reads).toHaveLength(reads)
})

test('of a workload no more is told than once a minute, whatever the causes are [security/refusal-events]', async () => {
  const world = await new World().begin()
  const web = world.has(replicaSet('web'))
  let looks = 0
  for (let at = 0; at < 60; at++) {
    await world.refuse(web, message(`quota-${at % 7}`))
    looks += world.asked.length
    await world.work()
    await world.clock.advance(1_000)
  }
  expect(world.told).toHaveLength(1)
  expect(looks).toBeLessThan(3)
  await world.refuse(web, message('another'))
  await world.work()
  expect(world.told.map(({ note }) => note)).toEqual([
    expect.stringContaining('quota-0'),
    expect.stringContaining('another'),
  ])
})

test('a namespace takes no place of another, and not more than its share [security/refusal-events]', async () => {
  const world = await new World().begin()
  for (let at = 0; at < 400; at++) await world.refuse(world.has(replicaSet(`web-${at}`, 'loud')))
  expect(world.asked.length).toBeLessThanOrEqual(100)
  await world.work()
  expect(world.told.length).toBeLessThanOrEqual(30)
  await world.refuse(world.has(replicaSet('web', 'quiet')))
  await world.work()
  expect(world.shown.at(-1)).toBe(`QuotaExceeded quiet ReplicaSet quiet/web: ${NOTE}`)
  // All that it may have read is read; after an hour what waits is forgotten.
  for (let minute = 0; minute < 10; minute++) {
    await world.clock.advance(60_000)
    for (let at = 0; at < 400; at++) await world.refuse(replicaSet(`none-${at}-${minute}`, 'loud'))
  }
  expect(world.asked.length).toBeLessThanOrEqual(100)
})

test('a namespace that begins is told of at once, however many are full of refusals [security/refusal-events]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 101, max: 140 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 20 }),
      async (loud, quiet) => {
        const world = await new World().begin()
        const sets = (namespace: string, count: number): readonly KubeObject[] =>
          Array.from({ length: count }, (_, at) => world.has(replicaSet(`web-${at}`, namespace)))
        const full = Array.from({ length: loud }, (_, at) => sets(`loud-${at}`, 50)).flat()
        for (const set of full) await world.refuse(set)
        await world.work()
        const told = new Set(world.told.map(({ namespace }) => namespace))
        // Each of them had its turn before any had many.
        expect(told.size).toBeGreaterThan(loud / 2)
        await world.clock.advance(60_000)
        for (const [at, count] of quiet.entries()) for (const set of sets(`quiet-${at}`, count)) await world.refuse(set)
        await world.work()
        const after = new Set(world.told.map(({ namespace }) => namespace))
        expect(quiet.map((_, at) => `quiet-${at}`).filter((one) => !after.has(one))).toEqual([])
      },
    ),
    { numRuns: 3 },
  )
})

test.each([
  ['a bad request', badRequest('invalid name')],
  ['a refusal', forbidden(EVENTS, 'x', 'no')],
])('%s is not tried again [security/refusal-events]', async (_, failure) => {
  const world = await new World().begin()
  await world.refuse(world.has(replicaSet('web')))
  const [key = ''] = world.asked
  world.failure = failure
  expect(await world.controller.reconcile(key, ALL, never)).toEqual({})
  expect(await world.controller.reconcile(key, ALL, never)).toEqual({})
  expect(world.reads).toHaveLength(1)
})

test('a failure that passes is tried again, and for no longer than an hour', async () => {
  const world = await new World().begin()
  await world.refuse(world.has(replicaSet('web')))
  const [key = ''] = world.asked
  world.failure = internalError('away')
  await expect(world.controller.reconcile(key, ALL, never)).rejects.toThrow('away')
  await world.clock.advance(3_700_000)
  expect(await world.controller.reconcile(key, ALL, never)).toEqual({})
  expect(world.reads).toHaveLength(1)
})

test.each<[string, Partial<KubeObject>, readonly string[]]>([
  ['has all', { status: { replicas: 3, observedGeneration: 1 } }, ['QuotaRoom']],
  ['is scaled to 0', { spec: { replicas: 0 }, status: { replicas: 0, observedGeneration: 1 } }, []],
  ['is scaled down', { spec: { replicas: 2 } }, []],
  ['lacks a pod', {}, []],
])('room is told of a workload that %s as it is', async (_, change, expected) => {
  const world = await new World().begin()
  const web = world.has(replicaSet('web'))
  await world.refuse(web)
  const [key = ''] = world.asked
  await world.work()
  world.has({ ...web, ...change })
  await world.controller.reconcile(key, ALL, never)
  expect(world.told.map(({ reason }) => reason)).toEqual(['QuotaExceeded', ...expected])
})

test('a workload that is refused again is looked at soon', async () => {
  const world = await new World().begin()
  const web = world.has(replicaSet('web'))
  await world.refuse(web)
  const [key = ''] = world.asked
  await world.work()
  await world.refuse(web)
  const { requeueAfter = Infinity } = await world.controller.reconcile(key, ALL, never)
  expect(requeueAfter).toBeLessThan(10_000)
})

test('what was refused just before is known as told, and its room is told', async () => {
  const world = new World()
  const web = world.has(replicaSet('web'))
  const now = world.clock.now()
  await world.refuse(web, message(), new Date(now - 60_000).toISOString())
  await world.refuse(world.has(replicaSet('old')), message(), new Date(now - 3_600_000).toISOString())
  await world.begin()
  const [key = '', ...others] = world.asked
  expect(others).toEqual([])
  await world.work()
  expect(world.told).toEqual([])
  world.has({ ...web, status: { replicas: 3, observedGeneration: 1 } })
  await world.controller.reconcile(key, ALL, never)
  expect(world.shown).toEqual(['QuotaRoom n ReplicaSet n/web: the quotas have room again'])
})

test('without the right to read Events it says so once and does nothing [security/operator-roles]', async () => {
  const world = new World()
  world.isAllowed = false
  await world.begin()
  await world.refuse(world.has(replicaSet('web')))
  await world.clock.advance(600_000)
  expect(world.events.calls).toEqual([])
  expect(world.warned).toEqual([
    [{ missing: expect.stringContaining('list/watch events') }, expect.stringContaining('--no-refusal-events')],
  ])
  // Somebody grants it while this replica leads.
  world.isAllowed = true
  await world.clock.advance(600_000)
  for (let turn = 0; turn < 5; turn++) await settled()
  await world.refuse(world.has(replicaSet('later')))
  expect(world.asked).toEqual([expect.stringContaining('later')])
})
