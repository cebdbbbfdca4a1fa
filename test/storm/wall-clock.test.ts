import { afterEach, beforeEach, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../in-process.ts'
import { SeededRandom, seed, soak, tellingSeed } from '../seeded-random.ts'

/**
 * Usage under a wall clock that jumps. A pod past its deletion grace costs nothing, so what is used hangs on the time; what
 * was charged must be given back whatever the clock did in between.
 */
const OPERATIONS = soak ? 20_000 : 120
const START = Date.UTC(2026, 0, 1)
const QUOTA = '/api/v1/namespaces/default/resourcequotas/clocked'
const PODS = '/api/v1/namespaces/default/pods'

let now = START
let server: InProcess

beforeEach(async () => {
  now = START
  server = await startInProcess({ now: () => now })
})

afterEach(async () => {
  await server.stop()
})

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly deletionTimestamp?: string
    readonly deletionGracePeriodSeconds?: number
    readonly finalizers?: readonly string[]
  }
  readonly status?: { readonly phase?: string }
}

const quota = (pods: number): unknown => ({
  metadata: { name: 'clocked' },
  spec: { hard: { pods: String(pods), 'requests.cpu': '1000', 'count/pods': '1000' } },
})

const pod = (name: string, fields: object = {}, spec: object = {}): unknown => ({
  metadata: { name, ...fields },
  spec: {
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
    nodeName: 'somewhere',
    ...spec,
  },
})

/** Decides without any of the product's code which pods count. */
function counted({ metadata, status }: Pod, at: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  return deletionTimestamp === undefined || at <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

function expected(): Record<string, string> {
  const pods = server.store.list('pods', { namespace: 'default' }).records.map(({ object }) => object as unknown as Pod)
  const number = pods.filter((one) => counted(one, now)).length
  return { pods: String(number), 'requests.cpu': String(number), 'count/pods': String(pods.length) }
}

function used(): unknown {
  const status = server.store.get('resourcequotas', 'default/clocked')?.object['status']
  return (status as { readonly used?: unknown } | undefined)?.used
}

async function made(name: string, fields: object = {}): Promise<void> {
  expect((await server.send('POST', PODS, pod(name, fields))).status).toBe(201)
}

const withdrawn = (name: string): Promise<unknown> =>
  server.send(
    'PATCH',
    `${PODS}/${name}`,
    { metadata: { finalizers: null } },
    { 'content-type': 'application/merge-patch+json' },
  )

test('amounts that overdue pods do not cost are not given back when they go after the clock went back', async () => {
  await server.send('POST', '/api/v1/namespaces/default/resourcequotas', quota(5))
  for (const name of ['a', 'b', 'c', 'd']) {
    await made(name, { finalizers: ['example.com/keep'] })
    await server.send('DELETE', `${PODS}/${name}`, { gracePeriodSeconds: 1 })
  }
  now += 3_600_000
  for (let n = 0; n < 5; n++) await made(`new-${n}`)
  now -= 3_600_000
  for (const name of ['a', 'b', 'c', 'd']) {
    await withdrawn(name)
    await server.send('DELETE', `${PODS}/${name}`, { gracePeriodSeconds: 0 })
  }
  expect(used()).toEqual(expected())
  expect((await server.send('POST', PODS, pod('one-too-many'))).status).toBe(403)
  expect(await server.drifts()).toBe(0)
})

test('a pod that is deleted in the millisecond of its deadline is given back in the next one', async () => {
  await server.send('POST', '/api/v1/namespaces/default/resourcequotas', quota(5))
  await made('punctual', { finalizers: ['example.com/keep'] })
  await server.send('DELETE', `${PODS}/punctual`, { gracePeriodSeconds: 0 })
  expect(used()).toMatchObject({ pods: '1' })
  now += 1
  await server.until(QUOTA, (body) => body.status.used.pods === '0')
})

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a clock that is set %s is noticed without any write', async (_, step) => {
  await server.send('POST', '/api/v1/namespaces/default/resourcequotas', quota(5))
  await made('overdue', { finalizers: ['example.com/keep'] })
  await server.send('DELETE', `${PODS}/overdue`, { gracePeriodSeconds: 10 })
  if (step < 0) now += 20_001
  await server.until(QUOTA, (body) => body.status.used.pods === (step < 0 ? '0' : '1'))
  now += step
  await server.until(QUOTA, (body) => body.status.used.pods === (step < 0 ? '1' : '0'))
  expect(await server.drifts()).toBe(0)
})

test('after any operations under any clock, what is used is what a count finds', async () => {
  await server.send('POST', '/api/v1/namespaces/default/resourcequotas', quota(12))
  const random = new SeededRandom(seed)
  const names = Array.from({ length: 16 }, (_, n) => `pod-${n}`)
  const steps = [0, 1, 1, 2, 500, 999, 1000, 1001, 2000, 10_000, 3_600_000]
  await tellingSeed('wall clock', async () => {
    for (let n = 0; n < OPERATIONS; n++) {
      const name = random.pick(names)
      const step = random.pick(steps) * random.pick([1, 1, -1])
      now += step
      // Also right at the end of some pod's grace, and beside it.
      if (random.chance(0.3)) now = edge(random) ?? now
      switch (random.weighted({ create: 5, delete: 4, release: 2, finish: 1 })) {
        case 'create': {
          const fields = random.chance(0.5) ? { finalizers: ['example.com/keep'] } : {}
          await server.send('POST', PODS, pod(name, fields))
          break
        }
        case 'delete':
          await server.send('DELETE', `${PODS}/${name}`, { gracePeriodSeconds: random.pick([0, 0, 1, 2, 30]) })
          break
        case 'release':
          await withdrawn(name)
          break
        case 'finish':
          await server.send(
            'PATCH',
            `${PODS}/${name}/status`,
            { status: { phase: 'Failed' } },
            {
              'content-type': 'application/merge-patch+json',
            },
          )
      }
      // A write that is charged settles what time has done; whether it is admitted does not matter.
      await server.send('POST', PODS, pod('probe', {}))
      await server.send('DELETE', `${PODS}/probe`, { gracePeriodSeconds: 0 })
      expect({ n, used: used() }).toEqual({ n, used: expected() })
    }
    expect(await server.drifts()).toBe(0)
    expect(server.complaints).toEqual([])
  })
})

/** A moment beside the end of the grace of a pod that is being deleted. */
function edge(random: SeededRandom): number | undefined {
  const ends = server.store.list('pods', { namespace: 'default' }).records.flatMap(({ object }) => {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = (object as unknown as Pod).metadata
    return deletionTimestamp === undefined ? [] : [Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000]
  })
  return ends.length === 0 ? undefined : random.pick(ends) + random.between(-1, 1)
}
