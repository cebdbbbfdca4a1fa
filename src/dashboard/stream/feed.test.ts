import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import type { KubeClient, ResourceKind, WatchCallOptions } from '../../kube/client/kube-client.ts'
import { createLogger } from '../../runtime/process/logger.ts'
import type { Right, Viewer } from '../viewer/viewer.ts'
import { Feed } from './feed.ts'

const QUOTAS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}

const EVENTS: ResourceKind = { ...QUOTAS, resource: 'events', kind: 'Event' }

/**
 * A feed of quotas whose API server answers reviews, or does not, as the test says. Others of `kinds` are refused. `delayMs`: how long it takes
 * for the review of quotas.
 */
function fed(kinds: readonly ResourceKind[] = [QUOTAS], delayMs = 0) {
  const clock = new ManualClock()
  const state = { answers: true as boolean | 'nothing', watches: 0, opened: 0, pending: 0, isOver: false }
  const told: string[] = []
  let emit: (namespace: string) => void = () => undefined
  const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
  const client = {
    async *listPages() {
      yield { items: [], resourceVersion: '1' }
    },
    async *watch(_: ResourceKind, { signal, opened }: WatchCallOptions) {
      state.watches++
      state.opened++
      opened?.()
      try {
        for (;;) {
          const { promise, resolve } = Promise.withResolvers<string>()
          emit = resolve
          const namespace = await Promise.race([promise, untilAborted(signal)])
          yield { type: 'MODIFIED', object: { metadata: { namespace } } }
        }
      } finally {
        state.watches--
      }
    },
  }
  const mayNow = async ({ resource }: Right, signal: AbortSignal): Promise<boolean> => {
    if (resource !== QUOTAS.resource) return false
    if (delayMs > 0) await clock.sleep(delayMs, signal)
    state.pending++
    try {
      return state.answers === 'nothing' ? await untilAborted(signal) : state.answers
    } finally {
      state.pending--
    }
  }
  const feed = new Feed({
    viewer: { client: client as unknown as KubeClient, mayNow } as Pick<Viewer, 'client' | 'mayNow'> as Viewer,
    namespace: 'shop',
    kinds: { of: (group, resource) => kinds.find((kind) => kind.group === group && kind.resource === resource) },
    context: clock,
    logger: createLogger('error', { write: () => undefined }),
    onOver: () => void (state.isOver = true),
  })
  feed.start()
  const listen = (): (() => void) =>
    feed.listen({
      changed: (_, namespace) => void told.push(`changed ${namespace}`),
      stateOf: (resource, as) => void told.push(resource === QUOTAS.resource ? as : `${resource} ${as}`),
      ended: () => void told.push('ended'),
    })
  const leave = listen()
  const change = async (namespace: string): Promise<void> => {
    emit(namespace)
    await clock.advance(0)
  }
  return { clock, state, told, change, listen, leave }
}

test('a page is told nothing ten seconds after the API server last allowed it, and goes on when it answers again [security/dashboard]', async () => {
  const { clock, state, told, change } = fed()
  await clock.advance(0)
  await change('shop')
  expect(told.splice(0)).toEqual(['changed ', 'watched', 'changed shop'])
  state.answers = 'nothing'
  await clock.advance(9_999)
  await change('shop')
  expect(told.splice(0)).toEqual(['changed shop'])
  await clock.advance(1)
  expect([told.splice(0), state.watches]).toEqual([['unreachable'], 0])
  await clock.advance(60_000)
  await change('shop')
  expect(told).toEqual([])
  state.answers = true
  await clock.advance(15_000)
  expect([told.splice(0), state.watches]).toEqual([['changed ', 'watched'], 1])
  state.answers = false
  await clock.advance(5_000)
  expect([told.splice(0), state.watches]).toEqual([['refused'], 0])
})

test('a feed that nobody listens to asks nothing more, and nothing of it is left [security/dashboard]', async () => {
  const { clock, state, leave } = fed()
  await clock.advance(0)
  state.answers = 'nothing'
  await clock.advance(6_000)
  expect([state.pending, state.watches]).toEqual([1, 1])
  leave()
  await clock.advance(0)
  expect([state.pending, state.watches, state.isOver, clock.sleepers]).toEqual([0, 0, true, 0])
})

test('a kind that changes often is not heard change by change, and a page is told that there were some', async () => {
  const { clock, state, told, change } = fed()
  await clock.advance(0)
  told.splice(0)
  for (let second = 0; second < 10; second++) {
    for (let at = 0; at < 40; at++) await change('shop')
    await clock.advance(1_000)
  }
  expect([told.splice(0).length, state.watches, state.opened]).toEqual([400, 1, 1])
  for (let at = 0; at < 100; at++) await change('shop')
  expect([told.splice(0).length, state.watches]).toEqual([50, 0])
  await clock.advance(1_999)
  expect([told, state.watches]).toEqual([[], 0])
  await clock.advance(1)
  expect([told, state.watches, state.opened]).toEqual([['changed '], 1, 2])
})

test.each([
  { mayWatch: true, changes: ['changed ', 'changed '], states: ['events refused', 'watched'] },
  { mayWatch: false, changes: [], states: ['events refused', 'refused'] },
])(
  'pages are told of refused kinds only once it is known whether others are watched: $mayWatch',
  async ({ mayWatch, changes, states }) => {
    const { clock, state, told, listen } = fed([QUOTAS, EVENTS], 3_000)
    state.answers = mayWatch
    await clock.advance(2_999)
    listen()
    expect(told).toEqual([])
    await clock.advance(1)
    expect(told.splice(0)).toEqual([...changes, ...states, ...states])
    listen()
    expect(told).toEqual(states)
  },
)
