// Covers src/dashboard/answer/history.ts, src/dashboard/answer/recorded-usage.ts and what src/dashboard/answer/quotas.ts says of them.
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { limitReadings } from '../../insight/history/limit-reading.ts'
import { OPERATOR_BOUNDS, UsageHistory } from '../../insight/history/usage-history.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import { history } from './history.ts'
import { pools } from './pools.ts'
import { Parameters, type Question, type Responder } from './question.ts'
import { quotas } from './quotas.ts'
import { RecordedUsage } from './recorded-usage.ts'

const MINUTE = 60_000

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
type Json = any

interface Listed {
  readonly [resource: string]: readonly KubeObject[] | undefined
}

const metadata = (name: string, uid: string, namespace = '') => ({
  name,
  uid,
  ...(namespace === '' ? {} : { namespace }),
})
const quota = (name: string, uid: string, namespace: string, hard = '100'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: metadata(name, uid, namespace),
  spec: { hard: { pods: hard } },
  status: { hard: { pods: hard }, used: { pods: '30' } },
})

/** A history of ten minutes in which all that is recorded grows by three a minute. */
async function recorded(): Promise<RecordedUsage> {
  const clock = new ManualClock()
  const kept = new UsageHistory(OPERATOR_BOUNDS)
  for (let minute = 0; minute <= 10; minute++) {
    const { see, end } = kept.look(clock.monotonic())
    const used = { pods: `${minute * 3}`, memory: `${minute}Gi` }
    for (const [kind, name, uid, namespace] of [
      ['ResourceQuota', 'own', 'uid-own', 'blue'],
      ['ResourceQuota', 'other', 'uid-other', 'red'],
      ['ResourcePool', 'lake', 'uid-lake', ''],
    ] as const)
      for (const one of limitReadings(kind, metadata(name, uid, namespace), { pods: '100', memory: '64Gi' }, used))
        see(one)
    end()
    if (minute < 10) await clock.advance(MINUTE)
  }
  return new RecordedUsage(kept, clock)
}

/** The answer to a viewer whom the API server gives these objects; of resources that are left out it gives none. */
async function answer(respond: Responder, listed: Listed, query: string, usage: RecordedUsage): Promise<Json> {
  const kinds = {
    of: (group: string, resource: string) => ({ group, version: 'v1', resource, kind: kindsOf[resource] }),
  }
  const client = {
    list: ({ resource, group }: { readonly resource: string; readonly group: string }) => {
      const items = listed[resource]
      if (items === undefined) return Promise.reject(forbidden({ group, resource }, '', 'not yours'))
      return Promise.resolve({ items })
    },
  }
  const question = {
    client,
    fairLists: client,
    viewer: { client, may: () => Promise.resolve(false), kinds: () => Promise.resolve(kinds) },
    parameters: new Parameters(new URLSearchParams(query), ['namespace']),
    usage,
    turn: () => Promise.resolve(),
    signal: new AbortController().signal,
  }
  const { value } = await respond(question as unknown as Question)
  return JSON.parse(JSON.stringify(value))
}
const kindsOf: Readonly<Record<string, string>> = {
  resourcequotas: 'ResourceQuota',
  customquotas: 'CustomQuota',
  globalcustomquotas: 'GlobalCustomQuota',
  karmadaquotas: 'KarmadaQuota',
  resourcepools: 'ResourcePool',
}
const NOTHING: Listed = { customquotas: [], karmadaquotas: [], globalcustomquotas: [], resourcepools: [] }

test('a viewer gets what was used of the quotas that the API server gives to it, in the units of the limit', async () => {
  const listed = { ...NOTHING, resourcequotas: [quota('own', 'uid-own', 'blue')] }
  const { format, since, rows, isWhole, notSeen } = await answer(history, listed, 'namespace=blue', await recorded())
  expect([format, since, isWhole, notSeen]).toEqual([1, '2026-01-01T00:00:00Z', true, []])
  expect(rows).toHaveLength(2)
  const [pods, memory] = rows
  expect(pods).toMatchObject({ kind: 'ResourceQuota', namespace: 'blue', name: 'own', resource: 'pods' })
  expect(pods.exhaustedInSeconds).toBe(Math.ceil((70 / 3) * 60))
  expect(pods.samples.at(0)).toEqual({ at: '2026-01-01T00:00:00Z', used: '0', hard: '100' })
  expect(pods.samples.at(-1)).toEqual({ at: '2026-01-01T00:10:00Z', used: '30', hard: '100' })
  expect(memory.samples.at(-1)).toEqual({ at: '2026-01-01T00:10:00Z', used: '10Gi', hard: '64Gi' })
})

test.each([
  ['it may not list', { ...NOTHING, resourcequotas: undefined, resourcepools: undefined }],
  ['the API server does not give to it', { ...NOTHING, resourcequotas: [] }],
  ['have given way to one of the same name', { ...NOTHING, resourcequotas: [quota('other', 'uid-new', 'red')] }],
  ['have the uid of one that it may read', { ...NOTHING, resourcequotas: [quota('mine', 'uid-other', 'blue')] }],
])('a viewer gets nothing of quotas that %s [33/viewers] [security/dashboard]', async (_, listed) => {
  expect((await answer(history, listed, '', await recorded())).rows).toEqual([])
})

test('pools are for those who may list them, and for no namespace', async () => {
  const pool = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePool',
    metadata: metadata('lake', 'uid-lake'),
  }
  const listed = { ...NOTHING, resourcequotas: [], resourcepools: [pool] }
  const usage = await recorded()
  const names = async (query: string) =>
    (await answer(history, listed, query, usage)).rows.map((row: { readonly name: string }) => row.name)
  expect(await names('')).toEqual(['lake', 'lake'])
  expect(await names('namespace=blue')).toEqual([])
  const refused = await answer(history, { ...listed, resourcepools: undefined }, '', usage)
  expect([refused.rows, refused.notSeen]).toEqual([
    [],
    [{ resource: 'resourcepools.capsule.clastix.io', reason: 'you may not list them' }],
  ])
})

test('the rows of quotas say when each will be used up, of the very object that the viewer may read', async () => {
  const usage = await recorded()
  const listed = { ...NOTHING, resourcequotas: [quota('own', 'uid-own', 'blue'), quota('other', 'uid-new', 'red')] }
  const { rows } = await answer(quotas, listed, '', usage)
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row.exhaustedInSeconds).toBe(row.name === 'own' ? Math.ceil((70 / 3) * 60) : undefined)
})

test('the limits of a pool say when they will be used up', async () => {
  const pool = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePool',
    metadata: metadata('lake', 'uid-lake'),
    spec: { quota: { hard: { pods: '100' } } },
    status: { allocation: { hard: { pods: '100' }, used: { pods: '30' } } },
  }
  const { rows } = await answer(pools, { ...NOTHING, resourcepools: [pool] }, '', await recorded())
  expect(rows[0].limits).toEqual([expect.objectContaining({ exhaustedInSeconds: Math.ceil((70 / 3) * 60) })])
})

test('where nothing is recorded there are no rows and no estimates', async () => {
  const listed = { ...NOTHING, resourcequotas: [quota('own', 'uid-own', 'blue')] }
  const usage = new RecordedUsage(undefined, new ManualClock())
  expect(await answer(history, listed, 'namespace=blue', usage)).toEqual({
    format: 1,
    rows: [],
    isWhole: true,
    notSeen: [],
  })
  expect((await answer(quotas, listed, 'namespace=blue', usage)).rows[0]).not.toHaveProperty('exhaustedInSeconds')
})

test('limits that no growth uses up come by the share that is used, and those of 0 come last [33/history]', async () => {
  const kept = new UsageHistory(OPERATOR_BOUNDS)
  const limits = { a: ['0', '0'], b: ['4', '3'], c: ['200', '184'], d: ['5', '5'], e: ['0', '1'] } as const
  for (let step = 0; step < 3; step++) {
    const { see, end } = kept.look(step * OPERATOR_BOUNDS.steps.stepMs)
    for (const [name, [hard, used]] of Object.entries(limits))
      for (const one of limitReadings('ResourceQuota', metadata(name, name, 'blue'), { pods: hard }, { pods: used }))
        see(one)
    end()
  }
  const listed = { ...NOTHING, resourcequotas: Object.keys(limits).map((name) => quota(name, name, 'blue')) }
  const { rows } = await answer(history, listed, '', new RecordedUsage(kept, new ManualClock()))
  expect(rows.map(({ name }: { readonly name: string }) => name)).toEqual(['e', 'd', 'c', 'b', 'a'])
})

test('an answer has a bounded number of samples of each namespace, those first that will be used up soonest [33/history]', async () => {
  const clock = new ManualClock()
  const kept = new UsageHistory(OPERATOR_BOUNDS)
  const names = Array.from({ length: 1200 }, (_, index) => `${index}`)
  // One namespace has most of them, and they will be used up first.
  const namespaceOf = (name: string): string => (Number(name) < 20 ? `quiet-${name}` : `loud-${Number(name) % 2}`)
  for (let step = 0; step < 60; step++) {
    const { see, end } = kept.look(step * OPERATOR_BOUNDS.steps.stepMs)
    for (const name of names)
      for (const one of limitReadings(
        'ResourceQuota',
        metadata(name, name, namespaceOf(name)),
        { pods: '100000' },
        { pods: String(step * (Number(name) + 1)) },
      ))
        see(one)
    end()
  }
  const listed = { ...NOTHING, resourcequotas: names.map((name) => quota(name, name, namespaceOf(name))) }
  const { rows, isWhole } = await answer(history, listed, '', new RecordedUsage(kept, clock))
  expect(isWhole).toBe(false)
  expect(rows.length).toBeGreaterThan(500)
  expect(rows.length).toBeLessThan(names.length)
  expect([rows[0].name, rows.at(-1).name]).toEqual(['1199', '0'])
  const counts = rows.map(({ samples }: { readonly samples: readonly unknown[] }) => samples.length)
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBeLessThanOrEqual(50_000)
})
