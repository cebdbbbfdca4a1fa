import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject } from '../../src/machinery/object.ts'
import { revisionOf, type RunningWatch, type WatchEvent } from '../api-client.ts'
import { Arena, defineKind, mustCreate, untilSettled } from '../arena.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { miscounted } from '../storm/observer.ts'
import { collectionOf, CUSTOM, KINDS } from './chaos-object.ts'
import { Writer } from './acknowledged-writes.ts'

const KILLS = soak ? 50 : 3
const WRITERS = 16
const NAMESPACES = ['chaos-a', 'chaos-b'] as const
const WATCHED = collectionOf(KINDS[0]!, NAMESPACES[0])
/** Writes that are acknowledged before each kill, so that there is something to lose. */
const LEAST_ACKNOWLEDGED = 20

let arena: Arena

beforeAll(async () => {
  arena = await Arena.open()
  await defineKind(arena.client, CUSTOM.group, CUSTOM.plural, CUSTOM.kind)
  for (const name of NAMESPACES) {
    await mustCreate(arena.client, '/api/v1/namespaces', { metadata: { name } })
    const quota = (of: string, hard: object): Promise<void> =>
      mustCreate(arena.client, `/api/v1/namespaces/${name}/resourcequotas`, { metadata: { name: of }, spec: { hard } })
    await quota('counts', {
      pods: '20',
      configmaps: '25',
      secrets: '20',
      'count/deployments.apps': '20',
      'count/gadgets.chaos.allot.test': '22',
      'count/cronjobs.batch': '30',
    })
    await quota('sums', {
      'requests.cpu': '190m',
      'requests.memory': '1Gi',
      services: '20',
      'services.nodeports': '18',
      'count/roles.rbac.authorization.k8s.io': '100',
    })
  }
})

afterAll(() => arena.close())

type Lists = ReadonlyMap<string, ReadonlyMap<string, KubeObject>>

async function listAll(): Promise<{ readonly lists: Lists; readonly revisions: readonly number[] }> {
  const lists = new Map<string, ReadonlyMap<string, KubeObject>>()
  const revisions: number[] = []
  for (const namespace of NAMESPACES) {
    for (const kind of KINDS) {
      const { items, revision } = await arena.client.list(collectionOf(kind, namespace))
      // Items of a list come without the kind and version that the list has.
      lists.set(
        collectionOf(kind, namespace),
        new Map(
          items.map((item) => [item.metadata.name ?? '', { ...item, kind: kind.kind, apiVersion: kind.apiVersion }]),
        ),
      )
      revisions.push(revision, ...items.map(revisionOf))
    }
  }
  return { lists, revisions }
}

/** Follows a watch, and continues where one has ended. */
class Follower {
  readonly seen = new Map<string, KubeObject>()
  readonly wrong: string[] = []
  last = 0
  expired = false
  #watch: RunningWatch | undefined

  async start(): Promise<void> {
    const { items, revision } = await arena.client.list(WATCHED)
    this.seen.clear()
    for (const item of items) this.seen.set(item.metadata.name ?? '', item)
    this.last = revision
    await this.resume()
  }

  async resume(): Promise<void> {
    await this.#watch?.stop()
    this.expired = false
    this.#watch = await arena.client.watch(WATCHED, this.last, (event) => this.#take(event))
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'BOOKMARK') return
    if (type === 'ERROR') {
      if (object['code'] !== 410) this.wrong.push(`a watch from ${this.last} ended with ${JSON.stringify(object)}`)
      this.expired = true
      return
    }
    if (revisionOf(object) <= this.last) this.wrong.push(`a watch from ${this.last} sent ${revisionOf(object)}`)
    this.last = revisionOf(object)
    if (type === 'DELETED') this.seen.delete(object.metadata.name ?? '')
    else this.seen.set(object.metadata.name ?? '', object)
  }

  /** Has it sent everything that a list shows? */
  async caughtUp(): Promise<string | undefined> {
    if (this.expired) return undefined
    const { items } = await arena.client.list(WATCHED)
    const sketch = (objects: Iterable<KubeObject>): string =>
      [...objects]
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
        .toSorted()
        .join(' ')
    const [sent, listed] = [sketch(this.seen.values()), sketch(items)]
    return sent === listed ? undefined : `the watch sent ${sent}, the list shows ${listed}`
  }

  stop(): Promise<void> {
    return this.#watch?.stop() ?? Promise.resolve()
  }
}

test(
  `nothing acknowledged is lost, half there or counted wrong after kill -9 under load, ${KILLS} times`,
  { timeout: 60_000 + KILLS * 30_000 },
  async () => {
    await tellingSeed('chaos', async () => {
      const random = new SeededRandom(seed)
      const revisions = new Map<number, string>()
      const places = NAMESPACES.flatMap((namespace) => KINDS.map((kind) => ({ kind, namespace })))
      const writers = Array.from(
        { length: WRITERS },
        (_, id) => new Writer(id, arena.client, new SeededRandom(random.between(0, 1e9)), places, revisions),
      )
      const acknowledged = (): number => writers.reduce((sum, { acknowledgements }) => sum + acknowledgements, 0)
      const follower = new Follower()
      await follower.start()
      for (let kill = 0; kill < KILLS; kill++) {
        const stop = new AbortController()
        const running = writers.map((writer) => writer.run(stop.signal))
        await new Promise((resolve) => {
          setTimeout(resolve, random.between(50, 1200))
        })
        // On a busy machine there would be little to lose yet.
        await expect.poll(acknowledged).toBeGreaterThan((kill + 1) * LEAST_ACKNOWLEDGED)
        await arena.killAndRestart(() => stop.abort())
        await Promise.all(running)
        const newest = Math.max(0, follower.last, ...revisions.keys())
        const { lists, revisions: listed } = await listAll()
        expect(listed[0]).toBeGreaterThanOrEqual(newest)
        for (const writer of writers) writer.verify(lists)
        expect(writers.flatMap(({ wrong }) => wrong).slice(0, 3)).toEqual([])
        await follower.resume()
        await untilSettled(() => follower.caughtUp())
        if (follower.expired) await follower.start()
        expect(follower.wrong).toEqual([])
        await checkQuotas()
        expect(allocated(lists)).toEqual([])
        const { code, object } = await arena.client.send('POST', WATCHED, { metadata: { name: `after-${kill}` } })
        if (code === 201) expect(revisionOf(object)).toBeGreaterThan(Math.max(newest, ...listed))
        await arena.client.send('DELETE', `${WATCHED}/after-${kill}`)
      }
      await follower.stop()
      if (process.env['ALLOT_VERBOSE'] !== undefined)
        console.log('acknowledged', writers.map(({ acknowledgements }) => acknowledgements).join(' '))
    })
  },
)

/** Used equals a recount, in every namespace. */
async function checkQuotas(): Promise<void> {
  for (const namespace of NAMESPACES) {
    await untilSettled(async () => {
      const lists = new Map<string, readonly KubeObject[]>()
      for (const kind of KINDS) lists.set(kind.resource, (await arena.client.list(collectionOf(kind, namespace))).items)
      lists.set('resourcequotas', (await arena.client.list(`/api/v1/namespaces/${namespace}/resourcequotas`)).items)
      return miscounted(lists)
    })
  }
}

/** Node ports and cluster addresses that two services have. */
function allocated(lists: Lists): readonly string[] {
  const services = NAMESPACES.flatMap((namespace) => [
    ...(lists.get(`/api/v1/namespaces/${namespace}/services`)?.values() ?? []),
  ])
  const held = services.flatMap((service) => {
    const spec = service['spec'] as {
      readonly clusterIP: string
      readonly ports: readonly { readonly nodePort: number }[]
    }
    return [spec.clusterIP, ...spec.ports.map(({ nodePort }) => String(nodePort))]
  })
  return held.filter((one, index) => held.indexOf(one) !== index)
}
