import { describe, expect, test } from 'vitest'
import { assets, borrowRealServer, startRealServer } from '../differential/real-server.ts'
import { eventually } from '../eventually.ts'
import { ledgersIn, map, mapsIn, GLOBAL_QUOTAS, quotasIn, QuotaWorld } from '../operator/custom-quota/quota-world.ts'
import { Faults } from '../operator/faulty-proxy.ts'
import { over, startOperator } from '../operator/operated.ts'
import { freePort } from '../free-ports.ts'
import { TcpBalancer } from '../operator/tcp-balancer.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { REFUSER, refuseAtRandom } from './quota-storm/refusing-webhook.ts'
import { StormClients, type StormAnswer } from './quota-storm/storm-clients.ts'
import { StormReplicas } from './quota-storm/storm-replicas.ts'
import { StormWatch } from './quota-storm/storm-watch.ts'
import { overLimits, specOf, STORM_LABEL, type StormedQuota, usedOf } from './quota-storm/stormed-quota.ts'
import { UnsteadyBalancer } from './quota-storm/unsteady-balancer.ts'

const operations = Number(process.env['ALLOT_STORM_OPERATIONS'] ?? (soak ? '100000' : '5000'))
/** How often a replica is killed. */
const KILLS = soak ? 40 : 3
const CLIENTS = 64
const REPLICAS = 3
/** The API server's, short enough for reservations to lapse within the test. */
const REQUEST_TIMEOUT_MS = 8_000
const HELD_MS = REQUEST_TIMEOUT_MS + 1_000
/** So many requests of a namespace are sent away at most for each that ends behind allot. */
const MOST_SENT_AWAY = 4
const LEDGERS = '/apis/capsule.clastix.io/v1beta2/quantityledgers'

const NAMESPACES = ['storm-a', 'storm-b', 'storm-busy']
const [OWN, OTHER, BUSY] = NAMESPACES as [string, string, string]
const QUOTAS: readonly StormedQuota[] = [
  { name: 'own', namespace: OWN, limit: 40, measures: 'size' },
  { name: 'wide', limit: 90, measures: 'size' },
  { name: 'many', limit: 28, measures: 'count' },
]
const pathOf = ({ namespace, name }: StormedQuota): string =>
  `${namespace === undefined ? GLOBAL_QUOTAS : quotasIn(namespace)}/${name}`
const ledgerOf = ({ namespace, name }: StormedQuota): string => `${ledgersIn(namespace ?? 'allot-system')}/${name}`

/** Every create there passes allot's webhook and is refused behind it. */
async function makeBusy(world: QuotaWorld): Promise<void> {
  const path = `/api/v1/namespaces/${BUSY}/resourcequotas`
  await world.create(path, { metadata: { name: 'full' }, spec: { hard: { 'count/configmaps': '0' } } })
  await world.until(`${path}/full`, ({ status }) => status?.used?.['count/configmaps'] !== undefined)
}

/** The results of the operations: which part refused, by the words of the refusal. */
function kindOf({ status, text }: StormAnswer): string {
  if (text.includes(`\\"${REFUSER}\\" denied the request`)) return '403 of the refuser'
  if (status !== 403) return `${status}${text.includes('are not stored yet') ? ' of its share' : ''}`
  if (text.includes('exceeds limit for')) return '403 of a custom quota'
  return text.includes('exceeded quota') ? '403 of the native quota' : `403 ${text}`
}

const PROPER = /^(?:200|201|404|409|429|429 of its share|500|504|0|403 of .* quota|403 of the refuser)$/

describe('a real API server: three replicas in a storm', { skip: assets === undefined }, () => {
  test(
    `${operations} operations of ${CLIENTS} clients never bring a custom quota over its limit, and cost no room`,
    () =>
      tellingSeed('storm of custom quotas', async () => {
        const random = new SeededRandom(seed)
        await using server = over(await startRealServer({ flags: `--request-timeout=${REQUEST_TIMEOUT_MS}ms` }))
        const world = new QuotaWorld(server)
        const faults = new Faults(random, { oneIn: 100, watchMs: 5_000 })
        faults.active = false
        await using balancer = await UnsteadyBalancer.start(random, { cut: 0.002, held: 0.004, heldMs: HELD_MS })
        await using replicas = await StormReplicas.start(server, REPLICAS, {
          random,
          faults,
          balancer,
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
        })
        for (const name of NAMESPACES)
          await world.create('/api/v1/namespaces', { metadata: { name, labels: { [STORM_LABEL]: 'yes' } } })
        await makeBusy(world)
        for (const quota of QUOTAS) await world.quota(quota.namespace, quota.name, specOf(quota, 'yes'))
        await using maps = await StormWatch.start(server, '/api/v1/configmaps')
        await using ledgers = await StormWatch.start(server, LEDGERS)
        await using refuser = await refuseAtRandom(server, random, 0.05)

        const answers = new Map<string, number>()
        const stored: { readonly operation: number; readonly namespace: string }[] = []
        let operation = 0
        const everyKill = Math.floor(operations / (KILLS + 1))
        let killing: Promise<void> = Promise.resolve()
        const answered = (answer: StormAnswer): void => {
          const { action, namespace, status } = answer
          const key = `${namespace} ${action} ${kindOf(answer)}`
          answers.set(key, (answers.get(key) ?? 0) + 1)
          if (status === 201) stored.push({ operation, namespace })
          if (++operation % everyKill === 0 && operation < operations)
            killing = killing.then(() => replicas.replaceOne())
        }
        await using clients = new StormClients(server, {
          random,
          clients: CLIENTS,
          namespaces: NAMESPACES,
          names: 60,
          largest: 6,
          answered,
        })
        faults.active = balancer.active = true
        await clients.run(operations)
        await killing
        faults.active = balancer.active = refuser.active = false

        if (process.env['ALLOT_VERBOSE'] !== undefined)
          console.log(
            JSON.stringify({ kills: replicas.kills, ...counts(faults, balancer), ...Object.fromEntries(answers) }),
          )
        expect(replicas.ended).toEqual([])
        expect([...answers.keys()].filter((key) => !PROPER.test(key.split(' ').slice(2).join(' ')))).toEqual([])

        // Quiet: all is counted, and nothing is reserved any more.
        for (const quota of QUOTAS)
          await eventually(
            async () => outstandingIn((await world.read(ledgerOf(quota))).status),
            (left) => left.length === 0,
            { patienceMs: 60_000, what: `what is outstanding of ${quota.name}` },
          )
        const { wrong, left } = overLimits(QUOTAS, NAMESPACES, await maps.caughtUp())
        expect(wrong).toEqual([])
        for (const quota of QUOTAS) {
          const used = String(usedOf(quota, NAMESPACES, left))
          await world.used(pathOf(quota), used)
          await world.until(ledgerOf(quota), ({ status }) => status.allocated === used && status.reserved === '0')
        }
        const most = mostAllocated(await ledgers.caughtUp())
        for (const { name, limit } of QUOTAS) {
          expect([name, most.get(name)]).toEqual([name, expect.toSatisfy((allocated: number) => allocated <= limit)])
          // It was a storm indeed.
          expect([name, most.get(name)]).toEqual([
            name,
            expect.toSatisfy((allocated: number) => allocated > limit * 0.9),
          ])
        }
        expect(replicas.kills).toBeGreaterThanOrEqual(KILLS)
        for (const count of Object.values(counts(faults, balancer))) expect(count).toBeGreaterThan(0)
        for (const what of ['403 of a custom quota', '403 of the native quota', '403 of the refuser'])
          expect([what, [...answers.keys()].some((key) => key.endsWith(what))]).toEqual([what, true])

        // A namespace that is refused by somebody else all the time starves nobody but itself: others are stored, and sent away at most for
        // requests of their own that ended behind allot.
        const last = stored.filter(({ operation: at }) => at > operations / 2)
        expect(last.filter(({ namespace }) => namespace !== BUSY).length).toBeGreaterThan(0)
        for (const namespace of [OWN, OTHER]) {
          const of = (ends: RegExp): number =>
            [...answers].reduce(
              (sum, [key, times]) => sum + (key.startsWith(`${namespace} `) && ends.test(key) ? times : 0),
              0,
            )
          // A request that ends behind allot sends away those of the namespace that come until it has lapsed: more of them on a faster machine.
          const ended = of(/ (?:0|500|504|403 of the refuser)$/)
          expect(of(/429 of its share$/)).toBeLessThanOrEqual(MOST_SENT_AWAY * ended)
        }

        // No room is lost: what fits still fits, to the last unit.
        const filled = await fill(world, left)
        expect(QUOTAS.slice(1).filter((quota) => usedOf(quota, NAMESPACES, filled) === quota.limit)).toHaveLength(1)
        expect(overLimits(QUOTAS, NAMESPACES, await maps.caughtUp()).wrong).toEqual([])
      }),
    soak ? 4 * 3_600_000 : 900_000,
  )

  // Once in a row it is tried in test/operator/custom-quota/replicas.test.ts.
  if (soak)
    test(
      'of a hundred creates at once exactly ten succeed, a hundred times in a row',
      async () => {
        await using server = over(await borrowRealServer())
        await using balancer = await TcpBalancer.start()
        await using stack = new AsyncDisposableStack()
        for (let index = 0; index < REPLICAS; index++) {
          const port = await freePort()
          const flags = ['--webhook-url', `https://127.0.0.1:${balancer.port}`, '--webhook-port', String(port)]
          // One that starts is ready only when it is asked.
          balancer.ports = [...balancer.ports, port]
          const operator = await startOperator(server.kubeconfig, [...flags, '--log-level=error'])
          stack.defer(() => operator.kill9())
        }
        const world = new QuotaWorld(server)
        await world.namespace('hundred')
        await world.quota(
          'hundred',
          'ten',
          specOf({ name: 'ten', namespace: 'hundred', limit: 10, measures: 'count' }, ''),
        )
        for (let round = 0; round < 100; round++) {
          const names = Array.from({ length: 100 }, (_, index) => `round-${round}-${index}`)
          const created = await Promise.all(names.map((name) => world.send('POST', mapsIn('hundred'), map(name))))
          expect([round, count(created, 201), count(created, 403)]).toEqual([round, 10, 90])
          await world.used(`${quotasIn('hundred')}/ten`, '10')
          await world.until(`${ledgersIn('hundred')}/ten`, ({ status }) => status.reserved === '0')
          const { status } = await server.send('DELETE', `${mapsIn('hundred')}?labelSelector=counted%3Dyes`)
          expect(status).toBe(200)
          await world.used(`${quotasIn('hundred')}/ten`, '0')
        }
      },
      4 * 3_600_000,
    )
})

const count = (answers: readonly { readonly status: number }[], status: number): number =>
  answers.filter((one) => one.status === status).length

const counts = ({ failed, cut }: Faults, { cut: severed, held }: UnsteadyBalancer) => ({ failed, cut, severed, held })

/** The names that still have reservations. */
const outstandingIn = ({ outstanding = '' }: { readonly outstanding?: string }): readonly string[] =>
  outstanding.split('%').filter((record) => record.startsWith('o/'))

/** The most that any version of each ledger says is allocated, by the name of its quota. */
function mostAllocated(events: Awaited<ReturnType<StormWatch['caughtUp']>>): ReadonlyMap<string, number> {
  const most = new Map<string, number>()
  for (const { object } of events) {
    const { name = '' } = object.metadata
    const { allocated = '0' } = (object['status'] ?? {}) as { readonly allocated?: string }
    most.set(name, Math.max(most.get(name) ?? 0, Number(allocated)))
  }
  return most
}

/** Creates objects of size 1 until a quota refuses one. Gives all objects then. */
async function fill(world: QuotaWorld, left: Parameters<typeof usedOf>[2]) {
  const objects = [...left]
  for (let index = 0; ; index++) {
    const { status, text, json } = await eventually(
      () => world.send('POST', mapsIn(OTHER), map(`filler-${index}`)),
      (answer) => answer.status !== 429,
      { patienceMs: 60_000, what: 'room for one more' },
    )
    if (status === 403 && text.includes('exceeds limit for')) return objects
    if (status !== 201) throw new Error(`${status} ${text}`)
    objects.push(json)
  }
}
