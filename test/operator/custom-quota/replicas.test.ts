import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { RefusingWebhook } from '../holding-webhook.ts'
import {
  bareServers,
  type BareServer,
  type OperatorProcess,
  SHORT_LEASE,
  startOperator,
  representative,
} from '../operated.ts'
import { freePort } from '../../free-ports.ts'
import { TcpBalancer } from '../tcp-balancer.ts'
import { askedPath } from '../webhook/webhook-caller.ts'
import { COUNTED_MAPS, ledgersIn, map, MAPS, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const REPLICAS = 3
const COLLECTOR = { 'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector' }
const FLAGS = [...SHORT_LEASE, '--apiserver-request-timeout=1s', '--log-level=error']
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]

for (const { name, start } of representative(bareServers))
  describe(`${name}: three replicas behind a balancer`, { concurrent: true }, () => {
    let server: BareServer
    let world: QuotaWorld
    let balancer: TcpBalancer
    const replicas: OperatorProcess[] = []
    const add = async (): Promise<void> => {
      const port = await freePort()
      balancer.ports = [...balancer.ports, port]
      const flags = ['--webhook-url', `https://127.0.0.1:${balancer.port}`, '--webhook-port', String(port), ...FLAGS]
      replicas.push(await startOperator(server.kubeconfig, flags))
    }

    beforeAll(async () => {
      server = await start()
      world = new QuotaWorld(server)
      balancer = await TcpBalancer.start()
      for (let count = 0; count < REPLICAS; count++) await add()
    })
    afterAll(async () => {
      await Promise.all(replicas.map((replica) => replica.kill9()))
      await balancer?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    const ask = async (port: number, path: string, review: object): Promise<object> =>
      answerTo(port, await askedPath(world, path), review)
    const names = async (namespace: string): Promise<readonly string[]> => {
      const { items } = await world.read(`${mapsIn(namespace)}?labelSelector=counted%3Dyes`)
      return items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name)
    }
    const stored = async (namespace: string): Promise<number> => (await names(namespace)).length

    test('of a hundred creates at once exactly as many succeed as fit', { concurrent: false }, async () => {
      await world.namespace('cq-three')
      await world.quota('cq-three', 'ten', { limit: '10', sources: [COUNTED_MAPS], scopeSelectors })
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => world.send('POST', mapsIn('cq-three'), map(`m${index}`))),
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]))
      expect(await stored('cq-three')).toBe(10)
      await world.used(`${quotasIn('cq-three')}/ten`, '10')
      await world.until(`${ledgersIn('cq-three')}/ten`, ({ status }) => status.reserved === '0')
    })

    test(
      'a limit that is lowered or raised holds for the very next request, whichever replica decides on it',
      { concurrent: false },
      async () => {
        await world.namespace('cq-limit')
        const quota = `${quotasIn('cq-limit')}/changing`
        await world.quota('cq-limit', 'changing', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
        await world.create(mapsIn('cq-limit'), map('m0'))
        for (let count = 1; count < 5; count++) {
          const create = () => world.send('POST', mapsIn('cq-limit'), map(`m${count}`))
          await world.patch(quota, { spec: { limit: String(count + 1) } })
          await world.patch(quota, { spec: { limit: String(count) } })
          expect([403, 429]).toContain((await create()).status)
          await world.patch(quota, { spec: { limit: String(count + 1) } })
          const { text } = await eventually(create, ({ status, text }) => status === 201 || text.includes('not ready'))
          expect(text).not.toContain('not ready')
        }
        await world.used(quota, '5')
      },
    )

    test(
      'a spec that begins to count closes the quota to every replica, and it opens with all that is stored',
      { concurrent: false },
      async () => {
        await world.namespace('cq-begins')
        const quota = `${quotasIn('cq-begins')}/begins`
        const create = (name: string) => world.send('POST', mapsIn('cq-begins'), map(name))
        const others = [{ matchLabels: { counted: 'no' } }]
        await world.quota('cq-begins', 'begins', { limit: '5', sources: [COUNTED_MAPS], scopeSelectors: others })
        const early = ['a', 'b', 'c', 'd'].map((name) => create(name))
        await world.patch(quota, { spec: { scopeSelectors } })
        const statuses = (await Promise.all(early)).map(({ status }) => status)
        for (const status of statuses) expect(status).toBeOneOf([201, 429])
        expect(await world.notReady(quota, 'the spec counts more than before')).toBe('SpecChanged')
        await world.ready(quota)
        const late = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`late${index}`)))
        for (const { status } of late) expect(status).toBeOneOf([201, 403])
        expect(await stored('cq-begins')).toBe(5)
        await world.used(quota, '5')
      },
    )

    test(
      'a namespace whose requests are refused behind allot leaves room for others, and has all of it again later',
      { concurrent: false },
      async () => {
        for (const namespace of ['cq-busy', 'cq-other']) await world.namespace(namespace, 'cq-shared')
        const namespaceSelectors = [{ matchLabels: { pool: 'cq-shared' } }]
        await world.quota(undefined, 'shared', { limit: '100', sources: [MAPS], scopeSelectors, namespaceSelectors })
        const refusing = await RefusingWebhook.start(world)
        const busy = (query = '') =>
          world.send('POST', `${mapsIn('cq-busy')}${query}`, map('all', 99, { held: refusing.name }))
        await eventually(
          () => busy('?dryRun=All'),
          ({ status }) => status === 400,
        )
        const other = () => world.send('POST', mapsIn('cq-other'), map('some', 2))
        // A replica that does not know the quota yet asks for another try, and reserves nothing.
        await eventually(
          () => busy(),
          ({ status }) => status === 400,
        )
        expect((await other()).text).toContain('inflightReserved=99')
        const beside = async () => {
          await busy()
          return other()
        }
        await eventually(beside, ({ status }) => status === 201)
        await refusing[Symbol.asyncDispose]()
        await world.delete(`${mapsIn('cq-other')}/some`)
        await eventually(
          () => busy(),
          ({ status }) => status === 201,
          { patienceMs: 120_000 },
        )
      },
    )

    test(
      'a tenant may not change a ledger, whichever replica is asked [security/ledgers-of-replicas]',
      { concurrent: false },
      async () => {
        for (const port of balancer.ports)
          for (const operation of ['CREATE', 'UPDATE', 'DELETE'])
            expect([port, await ask(port, '/quantityledgers/validating', ledgerReview(operation))]).toEqual([
              port,
              { allowed: false, code: 403 },
            ])
      },
    )

    test(
      'a path that no rule leads to any more is answered, whichever replica is asked',
      { concurrent: false },
      async () => {
        for (const port of balancer.ports)
          for (const path of ['/custom-quotas/calculations', '/custom-quotas/calculations/9', '/validate-karmadaquota'])
            expect([port, path, await ask(port, path, ledgerReview('CREATE'))]).toEqual([
              port,
              path,
              { allowed: true, code: undefined },
            ])
      },
    )

    test(
      'a ledger that somebody changes is closed to every replica, and opens again with all that is stored',
      { concurrent: false },
      async () => {
        await world.namespace('cq-changed')
        await world.quota('cq-changed', 'two', { limit: '2', sources: [COUNTED_MAPS], scopeSelectors })
        const ledger = `${ledgersIn('cq-changed')}/two`
        const create = (name: string) => world.send('POST', mapsIn('cq-changed'), map(name))
        expect((await create('m0')).status).toBe(201)
        await world.until(ledger, ({ status }) => status.reserved === '0' && status.allocated === '1')
        // The operator runs as the administrator, whom its webhook lets through.
        await world.patch(`${ledger}/status`, { status: { outstanding: '1%nonsense' } })
        const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => create(`closed${index}`)))
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 429))
        await eventually(
          () => create('m1'),
          ({ status }) => status === 201,
        )
        expect((await create('m2')).status).toBe(403)
        await world.used(`${quotasIn('cq-changed')}/two`, '2')
        expect(await stored('cq-changed')).toBe(2)
      },
    )

    test(
      'a replica that is killed while it holds room ahead lets nothing through, and the room comes back',
      { concurrent: false },
      async () => {
        await world.namespace('cq-ahead-killed')
        await world.quota('cq-ahead-killed', 'many', { limit: '4000', sources: [MAPS], scopeSelectors })
        const ledger = `${ledgersIn('cq-ahead-killed')}/many`
        let next = 0
        const create = (size: number) => world.send('POST', mapsIn('cq-ahead-killed'), map(`m${next++}`, size))
        await world.untilAhead(ledger, () => create(1))
        await replicas.shift()?.kill9()
        const stored = async (): Promise<number> => {
          const { items } = await world.read(mapsIn('cq-ahead-killed'))
          return items.reduce(
            (sum: number, { data }: { data: Record<string, string> }) => sum + Number(data['size'] ?? 0),
            0,
          )
        }
        const full = await eventually(
          async () => {
            for (const size of [1000, 100, 10, 1]) await create(size)
            return await stored()
          },
          (size) => size >= 4000,
          { patienceMs: 120_000 },
        )
        expect(full).toBe(4000)
        await world.until(ledger, ({ status }) => status.reserved === '0')
        await add()
      },
    )

    test(
      'a replica that is killed costs no room and lets nothing through, and a lost ledger is rebuilt closed [security/lost-ledger]',
      { concurrent: false },
      async () => {
        await world.namespace('cq-killed')
        await world.quota('cq-killed', 'twenty', { limit: '20', sources: [COUNTED_MAPS], scopeSelectors })
        const creates = Promise.all(
          Array.from({ length: 60 }, (_, index) => world.send('POST', mapsIn('cq-killed'), map(`m${index}`))),
        )
        // The first leads.
        await replicas.shift()?.kill9()
        await creates
        expect(await stored('cq-killed')).toBeLessThanOrEqual(20)
        // A request that was allowed and not stored holds its room until its time is over.
        let next = 60
        await eventually(
          async () => {
            await world.send('POST', mapsIn('cq-killed'), map(`m${next++}`))
            return await stored('cq-killed')
          },
          (count) => count === 20,
          { patienceMs: 60_000 },
        )
        const ledger = `${ledgersIn('cq-killed')}/twenty`
        const { metadata } = await world.until(ledger, ({ status }) => status.reserved === '0')
        await world.used(`${quotasIn('cq-killed')}/twenty`, '20')

        expect((await server.send('DELETE', ledger, undefined, COLLECTOR)).status).toBe(200)
        await world.delete(`${mapsIn('cq-killed')}/${(await names('cq-killed'))[0]}`)
        const closed = await world.send('POST', mapsIn('cq-killed'), map('closed'))
        expect(closed.status).toBe(429)
        await eventually(
          () => world.send('POST', mapsIn('cq-killed'), map('reopened')),
          ({ status }) => status === 201,
          { patienceMs: 60_000 },
        )
        expect((await world.read(ledger)).metadata.uid).not.toBe(metadata.uid)
        await world.used(`${quotasIn('cq-killed')}/twenty`, '20')
      },
    )
  })

/** A write of a ledger by somebody who may write all that is in the namespace. */
function ledgerReview(operation: string): object {
  const kind = { group: 'capsule.clastix.io', version: 'v1beta2', kind: 'QuantityLedger' }
  const resource = { group: kind.group, version: kind.version, resource: 'quantityledgers' }
  const ledger = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'ten', namespace: 'cq-three' },
    spec: { targetRef: { kind: 'CustomQuota', name: 'ten' } },
  }
  const metadata = { ...ledger.metadata, finalizers: ['example.test/mine'] }
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `tampering-${operation}`,
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: 'ten',
      namespace: 'cq-three',
      operation,
      userInfo: { username: 'mallory', groups: ['system:authenticated'] },
      object: operation === 'DELETE' ? null : { ...ledger, metadata },
      oldObject: operation === 'CREATE' ? null : ledger,
      dryRun: false,
    },
  }
}

/** The answer of one replica itself, beside the balancer. */
async function answerTo(port: number, path: string, review: object): Promise<object> {
  await using dispatcher = new TrustingAgent()
  const { body } = await request(`https://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(review),
    dispatcher,
  })
  const { response } = (await body.json()) as {
    readonly response: { readonly allowed: boolean; readonly status?: { readonly code: number } }
  }
  return { allowed: response.allowed, code: response.status?.code }
}

/** Replicas present certificates of an authority of their own. */
class TrustingAgent extends Agent implements AsyncDisposable {
  constructor() {
    super({ connect: { rejectUnauthorized: false } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy()
  }
}
