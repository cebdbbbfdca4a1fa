import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { soak } from '../../seeded-random.ts'
import { MERGE } from '../pool-objects.ts'
import { ledgersIn, quotasIn } from '../custom-quota/quota-world.ts'
import { bareServers, type RestartableServer } from '../operated.ts'
import { linesWithStacks } from './logged-lines.ts'
import { FailingReplicas } from './failing-replicas.ts'
import { definitionsFile, QuotaLoad } from './quota-load.ts'

/** The table of failures in the documents. */
const PAGE = readFileSync(new URL('../../../docs/tasks/when-something-fails.md', import.meta.url), 'utf8')
const REPLICAS = 2
const ROLLS = soak ? 20 : 1
const HOUR = 3_600_000
const SECRETS = '/api/v1/namespaces/allot-system/secrets'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const LEDGER_CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/quantityledgers.capsule.clastix.io'
const COLLECTOR = { 'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector' }
/** A step of the clock has replicas look at their certificates at once. */
const HURRY_MS = 5_000
/** Longer than a review may take for one write there and back. */
const SLOW_MS = 5_000
const PATIENCE_MS = 120_000
/** Of what replicas have logged, where something failed. */
const SHOWN_LOGS = 20_000
const NO_ANSWERS = 'the API server gives no answers'

interface Scene {
  readonly server: RestartableServer
  readonly replicas: FailingReplicas
}

interface Failure {
  /** As in the table of the documents. */
  readonly name: string
  /** `answered`: every request is. `tried again`: requests may fail for the moment. `open`: webhooks are not asked for the moment. */
  readonly meanwhile: 'answered' | 'tried again' | 'open'
  /** Watches of the test miss events of an API server that is started anew. What fits afterwards is looked at all the same. */
  readonly isUnseen?: boolean
  readonly play: (scene: Scene) => Promise<void>
}

const removed =
  (path: string, headers: Readonly<Record<string, string>> = {}) =>
  async ({ server }: Scene): Promise<void> => {
    expect((await server.send('DELETE', path, undefined, headers)).status).toBe(200)
  }

const FAILURES: readonly Failure[] = [
  {
    name: 'a replica ends, as in an update',
    meanwhile: 'answered',
    play: async ({ replicas }) => {
      for (let roll = 0; roll < ROLLS; roll++) await replicas.roll()
    },
  },
  { name: 'a replica is killed', meanwhile: 'tried again', play: ({ replicas }) => replicas.killLeader() },
  {
    name: 'the certificate of the webhooks is renewed',
    meanwhile: 'answered',
    play: async ({ server, replicas }) => {
      const patch = { data: { 'tls.key': '' } }
      expect((await server.send('PATCH', `${SECRETS}/allot-webhook-certificate`, patch, MERGE)).status).toBe(200)
      replicas.setClock(HURRY_MS)
    },
  },
  {
    name: 'the Secret of the certificate is deleted',
    meanwhile: 'answered',
    play: async (scene) => {
      await removed(`${SECRETS}/allot-webhook-certificate`)(scene)
      scene.replicas.setClock(HURRY_MS)
    },
  },
  { name: 'the Secret of the keys is deleted', meanwhile: 'answered', play: removed(`${SECRETS}/allot-webhook-key`) },
  { name: 'the Secret of the ledgers is deleted', meanwhile: 'answered', play: removed(`${SECRETS}/allot-ledger-key`) },
  { name: 'the Lease is deleted', meanwhile: 'answered', play: removed(LEASE) },
  {
    name: 'the clock jumps',
    meanwhile: 'answered',
    play: async ({ replicas }) => {
      for (const hours of [5, -9, 4]) {
        const before = countOf('the clock of this machine was set', replicas.logs())
        replicas.setClock(hours * HOUR)
        await eventually(
          () => countOf('the clock of this machine was set', replicas.logs()),
          (count) => count >= before + REPLICAS,
          { what: 'the replicas to see their clock' },
        )
      }
    },
  },
  { name: 'a ledger is deleted', meanwhile: 'answered', play: removed(`${ledgersIn('f-custom')}/tight`, COLLECTOR) },
  { name: 'a CRD is deleted', meanwhile: 'tried again', play: removed(LEDGER_CRD) },
  {
    name: 'the API server is slow',
    meanwhile: 'tried again',
    play: async ({ replicas }) => {
      replicas.proxy.delayMs = SLOW_MS
      await eventually(
        () => replicas.logs(),
        (logs) => logs.includes('a review was not decided in time'),
        { what: 'a review that takes too long', patienceMs: PATIENCE_MS },
      )
      replicas.proxy.delayMs = 0
    },
  },
  {
    name: 'the connections to the API server are cut',
    meanwhile: 'tried again',
    play: async ({ replicas }) => {
      const before = countOf(NO_ANSWERS, replicas.logs())
      await eventually(
        () => {
          replicas.proxy.cut()
          return countOf(NO_ANSWERS, replicas.logs())
        },
        (count) => count > before,
        { what: 'a request without an answer', everyMs: 5, patienceMs: PATIENCE_MS },
      )
    },
  },
  {
    name: 'the API server is away',
    isUnseen: true,
    meanwhile: 'tried again',
    play: async ({ server, replicas }) => {
      const before = countOf(NO_ANSWERS, replicas.logs())
      await server.restart('SIGKILL', async () => {
        await eventually(
          () => countOf(NO_ANSWERS, replicas.logs()),
          (count) => count > before,
          { what: 'the outage in the log', patienceMs: PATIENCE_MS },
        )
      })
    },
  },
  {
    name: 'a webhook configuration is deleted',
    meanwhile: 'open',
    play: removed(`${ADMISSION}/validatingwebhookconfigurations/allot`),
  },
]

const countOf = (part: string, text: string): number => text.split(part).length - 1

/** Of each failure the sentences of the log, all of which are to be found. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const rows = PAGE.split('\n').filter((line) => /^\| .*`/.test(line))
  return new Map(
    rows.map((row) => {
      const [name = '', said = ''] = row.slice('| '.length).split(' | ')
      return [name, [...said.matchAll(/`([^`]+)`/g)].map(([, sentence = '']) => sentence)]
    }),
  )
}

/** The short form plays each failure on one of the servers that there are, in turn, and an update on each. */
const servers = bareServers.filter(({ available }) => available)
const isPlayed = (failure: number, server: number): boolean =>
  soak || failure === 0 || failure % servers.length === server

for (const [at, { name: title, start }] of servers.entries())
  describe(`${title}: failures under load`, { concurrent: true, timeout: soak ? HOUR : 3 * PATIENCE_MS }, () => {
    let server: RestartableServer
    let replicas: FailingReplicas
    let load: QuotaLoad
    const scene = (): Scene => ({ server, replicas })
    const isReal = !title.startsWith('allot up')

    beforeAll(async () => {
      server = await start()
      const flags = ['--quota-definitions', definitionsFile(), '--apiserver-request-timeout=2s']
      replicas = await FailingReplicas.start(server, REPLICAS, flags)
      load = await QuotaLoad.open(server)
    })
    afterAll(async () => {
      await load?.[Symbol.asyncDispose]()
      await replicas?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    for (const { name, meanwhile, isUnseen = false, play } of FAILURES.filter((_, failure) => isPlayed(failure, at)))
      test(
        `${name}: no request is refused or allowed wrongly, the log says it, and all heals`,
        { concurrent: false },
        async ({ onTestFailed }) => {
          onTestFailed(async () => {
            const objects = await Promise.all(
              [`${ledgersIn('f-custom')}/tight`, `${quotasIn('f-custom')}/tight`, LEASE].map((path) =>
                server.send('GET', path),
              ),
            )
            const shown = [...objects.map(({ text }) => text), replicas.logs().slice(-SHOWN_LOGS)]
            console.log(`${title}, ${name}: the objects, and the end of the logs\n${shown.join('\n')}`)
          })
          const sentences = documented().get(name) ?? []
          expect(sentences, 'the sentences in the documents').not.toEqual([])
          const before = replicas.logs()
          const { wrong, failed } = await load.during(async () => {
            await play(scene())
            for (const sentence of sentences)
              await eventually(
                () => countOf(sentence, replicas.logs()),
                (count) => count > countOf(sentence, before),
                { what: `"${sentence}" in the log`, patienceMs: PATIENCE_MS },
              )
          })
          if (process.env['ALLOT_VERBOSE'] !== undefined)
            console.log(title, name, JSON.stringify({ ...load.counts, failed: failed.length, wrong: wrong.length }))
          const unhealed = await load.healed(isReal)
          expect(wrong).toEqual([])
          if (meanwhile !== 'tried again') expect(failed).toEqual([])
          expect(unhealed).toEqual([])
          if (meanwhile !== 'open' && !isUnseen) expect(await load.exceeded(isReal)).toEqual([])
          expect(linesWithStacks(replicas.logs())).toEqual([])
          expect(replicas.logs()).not.toMatch(/TypeError|ReferenceError|[Uu]ncaught|unhandled/)
        },
      )
  })

test('the documents name each failure that is tried, and no other', () => {
  expect([...documented().keys()].toSorted()).toEqual(
    [...FAILURES.map(({ name }) => name), 'the disk of `allot up` is full'].toSorted(),
  )
})
