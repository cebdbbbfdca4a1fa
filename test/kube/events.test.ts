import { describe, expect, test, vi } from 'vitest'
import { EVENTS, type EventContent } from '../../src/kube/events/event-object.ts'
import { EventRecorder } from '../../src/kube/events/event-recorder.ts'
import { systemContext } from '../../src/kube/time/system-context.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { coreKind } from './core-kinds.ts'
import { forSuite, servers } from './servers.ts'

const CORE_EVENTS = coreKind('events', 'Event')

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: 'u' } })
const claim = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePoolClaim',
  metadata: { namespace, name, uid: 'u' },
})

describe.each(servers)('on %s', (_, start) => {
  const suite = forSuite(start)

  const open = (): EventRecorder =>
    new EventRecorder({
      client: suite.client,
      clock: systemContext,
      logger: silentLogger,
      component: 'allot',
      instance: 'host_1',
    })
  const recorded = async (...contents: readonly EventContent[]): Promise<EventRecorder> => {
    const recorder = open()
    for (const content of contents) recorder.record(content)
    await recorder.stop()
    return recorder
  }
  const eventsOf = async (reason: string): Promise<readonly KubeObject[]> =>
    (await suite.client.list(EVENTS)).items.filter((event) => event['reason'] === reason)

  test('an event is stored with all that it says, and clients of either group read it', async () => {
    const regarding = claim('default', 'c')
    const related = {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name: 'p', uid: 'v' },
    }
    await recorded({ type: 'Warning', reason: 'Fitted', action: 'Reconciled', note: 'it fits', regarding, related })
    const [event] = await eventsOf('Fitted')
    expect(event).toMatchObject({
      type: 'Warning',
      action: 'Reconciled',
      note: 'it fits',
      reportingController: 'allot',
      reportingInstance: 'host_1',
      regarding: { kind: 'ResourcePoolClaim', namespace: 'default', name: 'c', uid: 'u' },
      related: { kind: 'ResourcePool', name: 'p', uid: 'v' },
    })
    const core = await suite.client.list(CORE_EVENTS, { namespace: 'default', fieldSelector: 'involvedObject.name=c' })
    expect(core.items).toMatchObject([{ message: 'it fits', reason: 'Fitted' }])
  })

  test('the same again becomes a series, both when it is stored at once and later', async () => {
    const content: EventContent = {
      type: 'Normal',
      reason: 'Repeated',
      action: 'Reconciled',
      note: 'again',
      regarding: namespace('default'),
    }
    const recorder = open()
    recorder.record(content)
    await vi.waitFor(async () => expect(await eventsOf('Repeated')).toHaveLength(1), 60_000)
    recorder.record(content)
    await vi.waitFor(async () => expect(await eventsOf('Repeated')).toMatchObject([{ series: { count: 2 } }]), 60_000)
    recorder.record(content)
    await recorder.stop()
    expect(await eventsOf('Repeated')).toMatchObject([{ series: { count: 3 } }])
    await recorded({ ...content, reason: 'Stored' }, { ...content, reason: 'Stored' })
    expect(await eventsOf('Stored')).toMatchObject([{ series: { count: 2 } }])
    expect(recorder.dropped).toBe(0)
  })

  test('names and notes of any length are recorded, and a namespace that is gone is not an error', async () => {
    const regarding = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pool', metadata: { name, uid: 'u' } })
    const content = { type: 'Normal', reason: 'Long', action: 'Reconciled', note: 'ä'.repeat(1000) } as const
    const recorder = await recorded(
      { ...content, regarding: regarding('x'.repeat(253)) },
      { ...content, regarding: regarding('system:odd:name') },
      { ...content, regarding: claim('no-such-namespace', 'c') },
    )
    expect(await eventsOf('Long')).toHaveLength(2)
    expect(recorder.dropped).toBe(0)
  })
})
