import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fill } from '../../bench/fill.ts'
import { podNamed } from '../../bench/load.ts'
import { watchCrowd } from '../../bench/watch-crowd.ts'
import { leastCpuTimeIn } from '../growth.ts'
import { type Allot, startAllot } from '../start-allot.ts'

/** The short form of `bench/scale.ts`: the same growth at a twentieth of the size. */
const NAMESPACES = 50
const FEW = { namespaces: NAMESPACES, podsEach: 10, prefix: 'few' }
const MANY = { namespaces: NAMESPACES, podsEach: 100, prefix: 'many' }
const PODS = NAMESPACES * (FEW.podsEach + MANY.podsEach)
const WATCHES = 200
const WRITES = 100

let allot: Allot

beforeAll(async () => {
  allot = await startAllot()
})
afterAll(async () => {
  await allot.stop()
})

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** The least CPU time that a first page takes the server. */
const firstPage = (): Promise<number> =>
  leastCpuTimeIn(
    allot.pid,
    async () => {
      const { json } = await allot.call('/api/v1/pods?limit=400')
      expect(json.items).toHaveLength(400)
    },
    15,
  )

async function names(server: Allot): Promise<readonly string[]> {
  const { items } = (await server.call('/api/v1/pods')).json
  return items.map(({ metadata }: { metadata: { namespace: string; name: string; resourceVersion: string } }) =>
    [metadata.namespace, metadata.name, metadata.resourceVersion].join('/'),
  )
}

test('a first page takes no longer where there are ten times as many pods, and they take memory in proportion', async () => {
  await fill(allot, FEW)
  const few = await firstPage()
  const before = residentMiB(allot.pid)
  await fill(allot, MANY)
  expect((await firstPage()) / few).toBeLessThan(3)
  // A pod is 2 kB of text; what its creation leaves behind may take several times that until it is collected.
  expect((residentMiB(allot.pid) - before) / MANY.namespaces / MANY.podsEach).toBeLessThan(0.06)
})

test('hundreds of watches get every write, in order', async () => {
  const { resourceVersion } = (await allot.call('/api/v1/pods?limit=1')).json.metadata
  const query = `watch=1&resourceVersion=${resourceVersion}`
  const crowd = await watchCrowd(
    allot,
    Array.from({ length: WATCHES }, (_, n) =>
      n % 2 === 0 ? `/api/v1/pods?${query}` : `/api/v1/namespaces/many-${n % NAMESPACES}/pods?${query}`,
    ),
  )
  const written = new Map<string, number[]>()
  await Promise.all(
    Array.from({ length: WRITES }, async (_, n) => {
      const namespace = `many-${n % NAMESPACES}`
      const { json } = await allot.call(`/api/v1/namespaces/${namespace}/pods`, {
        method: 'POST',
        body: podNamed(`watched-${n}`),
      })
      written.set(namespace, [...(written.get(namespace) ?? []), Number(json.metadata.resourceVersion)])
    }),
  )
  const inOrder = (revisions: readonly number[]): readonly number[] => revisions.toSorted((a, b) => a - b)
  const all = inOrder([...written.values()].flat())
  const expected = crowd.seen.map((_, n) => (n % 2 === 0 ? all : inOrder(written.get(`many-${n % NAMESPACES}`) ?? [])))
  await crowd.received(expected.map(({ length }) => length))
  expect(crowd.seen).toEqual(expected)
  crowd.close()
})

test('after a restart everything is there, in the same state', async () => {
  const before = await names(allot)
  expect(before).toHaveLength(PODS + WRITES)
  await allot.stop()
  allot = await startAllot({ dataDir: allot.dataDir })
  expect(await names(allot)).toEqual(before)
})
