import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { badRequest, forbidden, internalError, invalid, notFound } from '../../machinery/status.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import type { Clock } from '../time/clock.ts'
import { EVENTS, type EventContent } from './event-object.ts'
import { EventRecorder } from './event-recorder.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => 0.5,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, ms)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    }),
}

const claim = (name: string): KubeObject => ({
  apiVersion: 'a.test/v1',
  kind: 'Claim',
  metadata: { namespace: 'n', name, uid: `uid-${name}`, resourceVersion: '7' },
})

const bound = (name = 'c', note = 'it fits'): EventContent => ({
  type: 'Normal',
  reason: 'Bound',
  action: 'Reconciled',
  note,
  regarding: claim(name),
})

function setUp(limit?: number) {
  const server = new ScriptedClient(EVENTS)
  const options = { client: server, clock, logger: silentLogger, component: 'allot', instance: 'host_1' }
  const recorder = new EventRecorder({ ...options, ...(limit === undefined ? {} : { limit }) })
  const events = (): readonly KubeObject[] => [...server.state.values()]
  return { server, recorder, events }
}

const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(100)

describe('an event', () => {
  test('has the fields of events.k8s.io/v1', async () => {
    const { recorder, events } = setUp()
    const pool = { apiVersion: 'a.test/v1', kind: 'Pool', metadata: { name: 'p', uid: 'uid-p' } }
    recorder.record({ ...bound(), related: pool })
    await soon()
    expect(events()).toMatchObject([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'n', name: expect.stringMatching(/^c\.[0-9a-f]{16}$/) },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'allot',
        reportingInstance: 'host_1',
        action: 'Reconciled',
        reason: 'Bound',
        note: 'it fits',
        type: 'Normal',
        regarding: { apiVersion: 'a.test/v1', kind: 'Claim', namespace: 'n', name: 'c', uid: 'uid-c' },
        related: { apiVersion: 'a.test/v1', kind: 'Pool', name: 'p', uid: 'uid-p' },
      },
    ])
    expect(events()[0]).not.toHaveProperty('series')
  })

  test('about something that is in no namespace is in the default one', async () => {
    const { recorder, events } = setUp()
    recorder.record({ ...bound(), regarding: { apiVersion: 'v1', kind: 'Pool', metadata: { name: 'p' } } })
    await soon()
    expect(events()[0]?.metadata.namespace).toBe('default')
  })

  test('about a namespace is in itself, where those look who use it', async () => {
    const { recorder, events } = setUp()
    recorder.record({ ...bound(), regarding: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } } })
    await soon()
    expect(events()[0]?.metadata.namespace).toBe('n')
    expect(events()[0]?.['regarding']).toEqual({ apiVersion: 'v1', kind: 'Namespace', namespace: 'n', name: 'n' })
  })

  test('is in the namespace that its recorder gives, whatever it is about [security/refusal-events]', async () => {
    const { recorder, events } = setUp()
    const regarding = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }
    recorder.record({ ...bound(), regarding, namespace: 'n' })
    await soon()
    expect(events().map(({ metadata }) => metadata.namespace)).toEqual(['n'])
  })

  test('about something that is in no namespace goes to kube-system on old servers, which want it there', async () => {
    const { server, recorder, events } = setUp()
    const misplaced = invalid({ group: '', kind: 'Event' }, 'x', [
      {
        code: 'FieldValueInvalid',
        path: 'involvedObject.namespace',
        value: '',
        detail: 'does not match event.namespace',
      },
    ])
    server.failNext('create', misplaced)
    const pool = { apiVersion: 'v1', kind: 'Pool', metadata: { name: 'p' } }
    recorder.record({ ...bound(), regarding: pool })
    await soon()
    recorder.record({ ...bound('c', 'other'), regarding: pool })
    recorder.record(bound('c'))
    await soon()
    expect(events().map(({ metadata }) => metadata.namespace)).toEqual(['kube-system', 'kube-system', 'n'])
    expect(server.calls).toHaveLength(4)
  })

  test.each(['x'.repeat(253), 'system:a:b', 'Upper_Case', ':::', 'a.b-c'])(
    'about %s has a name that is valid',
    async (name) => {
      const { recorder, events } = setUp()
      recorder.record(bound(name))
      await soon()
      const given = events()[0]?.metadata.name ?? ''
      expect(given.length).toBeLessThanOrEqual(253)
      expect(given).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\.[0-9a-f]{16}$/)
    },
  )

  test('with a long note is cut at 1,024 bytes, between characters', async () => {
    const { recorder, events } = setUp()
    recorder.record(bound('c', `x${'ä'.repeat(2000)}`))
    await soon()
    expect(events()[0]?.['note']).toBe(`x${'ä'.repeat(511)}`)
  })
})

describe('the same thing again', () => {
  const series = (events: readonly KubeObject[]): unknown => events.map((event) => event['series'])

  test('becomes a series at its second occurrence', async () => {
    const { recorder, events } = setUp()
    recorder.record(bound())
    await soon()
    recorder.record(bound())
    await soon()
    expect(series(events())).toEqual([{ count: 2, lastObservedTime: '2026-01-01T00:00:00.100000Z' }])
  })

  test('is counted in between and sent together', async () => {
    const { server, recorder, events } = setUp()
    for (let i = 0; i < 50; i++) {
      recorder.record(bound())
      await vi.advanceTimersByTimeAsync(1000)
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(series(events())).toEqual([{ count: 50, lastObservedTime: '2026-01-01T00:00:49.000000Z' }])
    expect(server.calls.length).toBeLessThan(6)
  })

  test('is a new event after some minutes', async () => {
    const { recorder, events } = setUp()
    recorder.record(bound())
    await vi.advanceTimersByTimeAsync(361_000)
    recorder.record(bound())
    await soon()
    expect(series(events())).toEqual([undefined, undefined])
  })

  test('with other words or about another object is something else', async () => {
    const { recorder, events } = setUp()
    for (const content of [bound(), bound('d'), bound('c', 'it fits now'), { ...bound(), type: 'Warning' as const }])
      recorder.record(content)
    await soon()
    expect(events()).toHaveLength(4)
  })

  test('is sent as a new event when the server has forgotten the first', async () => {
    const { server, recorder, events } = setUp()
    recorder.record(bound())
    await soon()
    const { namespace = '', name = '' } = events()[0]?.metadata ?? {}
    server.remove({ namespace, name })
    recorder.record(bound())
    await soon()
    expect(series(events())).toEqual([{ count: 2, lastObservedTime: '2026-01-01T00:00:00.100000Z' }])
  })
})

describe('an event that cannot be sent', () => {
  test('is tried again while the server is away', async () => {
    const { server, recorder, events } = setUp()
    server.outage = UNREACHABLE
    recorder.record(bound())
    await vi.advanceTimersByTimeAsync(60_000)
    server.outage = undefined
    await vi.advanceTimersByTimeAsync(60_000)
    expect(events()).toHaveLength(1)
    expect(recorder.dropped).toBe(0)
  })

  test('is dropped when the server stays away', async () => {
    const { server, recorder } = setUp()
    server.outage = internalError('no')
    recorder.record(bound())
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(server.calls).toHaveLength(20)
    expect(recorder.dropped).toBe(1)
  })

  test('is sent once although the answer to the first try was lost', async () => {
    const { server, recorder, events } = setUp()
    server.failNext('create', UNREACHABLE, true)
    recorder.record(bound())
    await soon()
    expect(server.calls).toEqual(['create', 'create'])
    expect(events()).toHaveLength(1)
    expect(recorder.dropped).toBe(0)
  })

  test('because its namespace is gone or ends is not counted as dropped', async () => {
    const { server, recorder } = setUp()
    server.failNext('create', notFound({ group: '', resource: 'namespaces' }, 'n'))
    server.failNext('create', forbidden(EVENTS, 'c', 'because it ends', [{ reason: 'NamespaceTerminating' }]))
    recorder.record(bound('c'))
    recorder.record(bound('d'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.calls).toHaveLength(2)
    expect(recorder.dropped).toBe(0)
  })

  test.each([badRequest('no'), forbidden(EVENTS, 'c', 'no')])(
    'because the server refuses it is dropped at once',
    async (refusal) => {
      const { server, recorder } = setUp()
      server.failNext('create', refusal)
      recorder.record(bound())
      await vi.advanceTimersByTimeAsync(60_000)
      expect(server.calls).toHaveLength(1)
      expect(recorder.dropped).toBe(1)
    },
  )

  test('because too many wait is dropped, and later ones are sent again', async () => {
    const { server, recorder, events } = setUp(3)
    server.outage = UNREACHABLE
    for (const name of ['a', 'b', 'c', 'd', 'e']) recorder.record(bound(name))
    expect(recorder.dropped).toBe(2)
    server.outage = undefined
    await vi.advanceTimersByTimeAsync(60_000)
    recorder.record(bound('f'))
    await soon()
    expect(events().map(({ regarding }) => (regarding as { name: string }).name)).toEqual(['a', 'b', 'c', 'f'])
  })
})

describe('a recorder that is stopped', () => {
  test('sends the waiting events first', async () => {
    const { recorder, events } = setUp()
    for (let i = 0; i < 3; i++) {
      recorder.record(bound())
      await soon()
    }
    expect(events()[0]?.['series']).toMatchObject({ count: 2 })
    const stopped = recorder.stop()
    recorder.record(bound('late'))
    await soon()
    await stopped
    expect(events().map((event) => event['series'])).toMatchObject([{ count: 3 }])
  })

  test('does not wait long for a server that is away', async () => {
    const { server, recorder } = setUp()
    server.create = (_, __, options?: { signal?: AbortSignal }) =>
      new Promise((_, reject) => {
        options?.signal?.addEventListener('abort', () => reject(UNREACHABLE), { once: true })
      })
    recorder.record(bound())
    const stopped = recorder.stop()
    let done = false
    void stopped.then(() => (done = true))
    await vi.advanceTimersByTimeAsync(1900)
    expect(done).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(done).toBe(true)
  })
})
