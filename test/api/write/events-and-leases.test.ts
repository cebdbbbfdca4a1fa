import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer } from '../api-server.ts'

const api = apiServer({ eventLifeSeconds: 2 })
const CORE = '/api/v1/namespaces/default/events'
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

const codesOf = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

const about = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' }

describe('an event', () => {
  test('of either group is the same object', async () => {
    await api.create(CORE, {
      metadata: { name: 'core' },
      involvedObject: about,
      reason: 'Started',
      message: 'it runs',
      type: 'Normal',
      source: { component: 'kubelet' },
      count: 3,
    })
    expect(await api.get(`${EVENTS}/core`)).toMatchObject({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      regarding: about,
      note: 'it runs',
      deprecatedSource: { component: 'kubelet' },
      deprecatedCount: 3,
    })
    await api.create(EVENTS, {
      metadata: { name: 'new' },
      regarding: about,
      reason: 'Started',
      note: 'it runs',
      action: 'Run',
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a.test/controller',
      reportingInstance: 'one',
    })
    expect(await api.get(`${CORE}/new`)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: about,
      message: 'it runs',
      reportingComponent: 'a.test/controller',
    })
    expect((await api.send('DELETE', `${CORE}/new`)).status).toBe(200)
    expect((await api.send('GET', `${EVENTS}/new`)).status).toBe(404)
  })

  test('goes by itself, later when it is written again, and watchers get the deletion', async () => {
    for (const name of ['again', 'once'])
      await api.create(CORE, {
        metadata: { name, labels: { life: 'short' } },
        involvedObject: about,
        reason: 'Slow',
        message: 'm',
        type: 'Normal',
      })
    await using watch = await api.watch(`${EVENTS}?watch=1&labelSelector=life%3Dshort`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await api.patch(`${CORE}/again`, { count: 2 })
    expect(await watch.lines(5)).toEqual([
      'ADDED again',
      'ADDED once',
      'MODIFIED again',
      'DELETED once',
      'DELETED again',
    ])
    await api.until(`${CORE}/again`, ({ code }) => code === 404)
  })
})

test('a lease elects one leader at a time, as client-go asks for it', async () => {
  const spec = (holderIdentity: string, renewTime: string, leaseTransitions: number): unknown => ({
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime,
    leaseTransitions,
  })
  const first = '2026-01-01T00:00:00.000000Z'
  const later = '2026-01-01T00:00:02.123456Z'
  expect((await api.send('GET', `${LEASES}/leader`)).status).toBe(404)
  const created = await Promise.all(
    ['a', 'b', 'c'].map((who) => api.send('POST', LEASES, { metadata: { name: 'leader' }, spec: spec(who, first, 0) })),
  )
  expect(codesOf(created)).toEqual([201, 409, 409])
  const won = created.find(({ status }) => status === 201)?.body
  expect(created.find(({ status }) => status === 409)?.body.reason).toBe('AlreadyExists')

  const leader = won.spec.holderIdentity
  const renewed = await api.send('PUT', `${LEASES}/leader`, { ...won, spec: spec(leader, later, 0) })
  expect([renewed.status, renewed.body.spec]).toEqual([200, spec(leader, later, 0)])
  const stale = await api.send('PUT', `${LEASES}/leader`, { ...won, spec: spec('late', later, 1) })
  expect([stale.status, stale.body.reason]).toEqual([409, 'Conflict'])

  // When the holder is silent all others try at once, each from what it has read.
  const tries = await Promise.all(
    ['x', 'y', 'z'].map((who) => api.send('PUT', `${LEASES}/leader`, { ...renewed.body, spec: spec(who, later, 1) })),
  )
  expect(codesOf(tries)).toEqual([200, 409, 409])
  const held = await api.get(`${LEASES}/leader`)
  expect(held).toEqual(tries.find(({ status }) => status === 200)?.body)
  const released = await api.send('PUT', `${LEASES}/leader`, { ...held, spec: spec('', later, 1) })
  expect([released.status, released.body.spec.holderIdentity]).toEqual([200, ''])
})
