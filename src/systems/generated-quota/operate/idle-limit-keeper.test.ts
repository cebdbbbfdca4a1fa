import { describe, expect, test } from 'vitest'
import type { Condition } from '../../../api/condition.ts'
import { conflict } from '../../../machinery/status.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import { IdleLimitKeeper } from './idle-limit-keeper.ts'

const KIND: ResourceKind = {
  group: 'g',
  version: 'v1',
  kind: 'Limit',
  resource: 'limits',
  namespaced: false,
}
const NAME = 'count/widgets.example.org'
const IDLE = { name: NAME, text: 'limits nothing now: no widgets', isOutOfScope: false, outlook: 'notYet' } as const
const signal = new AbortController().signal

interface Limit extends KubeObject {
  readonly status?: { readonly conditions: readonly Condition[] }
}

/** An object with one limit, which is idle until the CRD comes. */
class World {
  isServed = false
  isBehind = false
  isLater = false
  events: string[] = []
  object: Limit = {
    apiVersion: 'g/v1',
    kind: 'Limit',
    metadata: { name: 'one', uid: '1', resourceVersion: '7' },
    spec: {},
    status: { conditions: [] },
  }

  keeper(hasConditions: boolean): IdleLimitKeeper<Limit> {
    return new IdleLimitKeeper<Limit>({
      name: 'idle',
      kind: KIND,
      context: {
        clock: { now: () => 0 } as never,
        recorder: { record: ({ note }: { readonly note: string }) => void this.events.push(note) } as never,
        client: {
          patch: async (_: unknown, __: unknown, { body }: { readonly body: Limit }) => {
            const isOld = body.metadata.resourceVersion !== this.object.metadata.resourceVersion
            if (this.isBehind || isOld) throw conflict({ group: 'g', resource: 'limits' }, 'one', 'changed')
            this.object = { ...this.object, status: body.status ?? { conditions: [] } }
            return this.object
          },
        } as never,
      },
      objects: { get: () => this.object, onChange: () => () => undefined, observeWrite: (_, __, write) => write() },
      limits: { idle: async () => (this.isServed ? [] : [IDLE]) },
      limitsOf: () => [{ path: 'spec.hard', names: [NAME] }],
      leaves: () => this.isLater,
      ...(hasConditions ? { conditionsOf: ({ status }: Limit) => status?.conditions } : {}),
    })
  }
}

describe('limits that limit nothing', () => {
  test('are in a condition until the resource is served, which is looked for again', async () => {
    const world = new World()
    const keeper = world.keeper(true)
    const { requeueAfter } = await keeper.reconcile('one', undefined, signal)
    expect(requeueAfter).toBeGreaterThan(0)
    expect(world.object.status?.conditions).toEqual([
      expect.objectContaining({ type: 'Effective', status: 'False', message: `spec.hard[${NAME}]: ${IDLE.text}` }),
    ])
    world.isServed = true
    expect(await keeper.reconcile('one', undefined, signal)).toEqual({})
    expect(world.object.status?.conditions).toEqual([])
    expect(world.events).toEqual([])
  })

  test('are written again when another writer was first, or none has written a status yet', async () => {
    const world = new World()
    world.isBehind = true
    const keeper = world.keeper(true)
    const behind = await keeper.reconcile('one', undefined, signal)
    world.isBehind = false
    const { status: _, ...bare } = world.object
    world.object = bare
    const early = await keeper.reconcile('one', undefined, signal)
    world.object = { ...bare, status: { conditions: [] } }
    const idle = await keeper.reconcile('one', undefined, signal)
    expect(behind.requeueAfter).toBeLessThan(idle.requeueAfter ?? 0)
    expect(early).toEqual(behind)
    expect(world.object.status?.conditions).toHaveLength(1)
  })

  test('are not written to an object that a later version of allot keeps, until this version may keep it again', async () => {
    const world = new World()
    world.isLater = true
    const keeper = world.keeper(true)
    expect(await keeper.reconcile('one', undefined, signal)).toEqual({})
    expect(world.object.status?.conditions).toEqual([])
    world.isLater = false
    await keeper.reconcile('one', undefined, signal)
    expect(world.object.status?.conditions).toHaveLength(1)
  })

  test('are in one Event where the kind has no conditions, and in another when they come again', async () => {
    const world = new World()
    const keeper = world.keeper(false)
    await keeper.reconcile('one', undefined, signal)
    await keeper.reconcile('one', undefined, signal)
    expect(world.events).toHaveLength(1)
    world.isServed = true
    await keeper.reconcile('one', undefined, signal)
    world.isServed = false
    await keeper.reconcile('one', undefined, signal)
    expect(world.events).toEqual([`spec.hard[${NAME}]: ${IDLE.text}`, `spec.hard[${NAME}]: ${IDLE.text}`])
  })
})
