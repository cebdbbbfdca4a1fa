import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { CALCULATIONS_PATH } from '../../../src/systems/custom-quota/operate/admission/calculation-rules.ts'
import { MAPS, ledgersIn, map, mapsIn, quotasIn, QuotaWorld } from '../custom-quota/quota-world.ts'
import { bareServers, startOperator, representative } from '../operated.ts'
import { freePort } from '../../free-ports.ts'
import { TcpBalancer } from '../tcp-balancer.ts'
import { Anybody, reviewOf, storedHooks } from './webhook-caller.ts'

const NAMESPACE = 'leaked'
const LIMIT = '73519'
const QUOTA = `${quotasIn(NAMESPACE)}/all`
const LEDGER = `${ledgersIn(NAMESPACE)}/all`
/** On loopback: the API servers, and a pod of a tenant. */
const [FIRST, SECOND, TENANT] = ['127.0.0.1', '127.0.0.3', '127.0.0.2']

const reference = { group: '', version: 'v1' }
const quotaWith = (limit: string) => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'CustomQuota',
  metadata: { name: 'all', namespace: NAMESPACE, uid: 'u', generation: 1 },
  spec: { limit, sources: [MAPS] },
})
/** Reviews that are charged, and that close the quota. */
const CHARGED = reviewOf({
  kind: { ...reference, kind: 'ConfigMap' },
  resource: { ...reference, resource: 'configmaps' },
  operation: 'CREATE',
  namespace: NAMESPACE,
  name: 'forged',
  object: { ...map('forged'), metadata: { ...map('forged').metadata, namespace: NAMESPACE } },
  dryRun: false,
})
const CLOSING = reviewOf({
  kind: { group: 'capsule.clastix.io', version: 'v1beta2', kind: 'CustomQuota' },
  resource: { group: 'capsule.clastix.io', version: 'v1beta2', resource: 'customquotas' },
  operation: 'UPDATE',
  namespace: NAMESPACE,
  name: 'all',
  object: quotaWith('1'),
  oldObject: quotaWith(LIMIT),
  dryRun: false,
})
const PROVEN = ['--webhook-callers=proven']

for (const { name, start } of representative(bareServers))
  describe(`${name}: with --webhook-callers=proven`, () => {
    test('a tenant with the URL of a webhook charges, closes and learns nothing, and API servers are answered wherever they are [security/leaked-url]', async () => {
      await using server = await start()
      await using balancer = await TcpBalancer.start()
      await using tenant = new Anybody(undefined, TENANT)
      const world = new QuotaWorld(server)
      const [port, next, metrics] = [await freePort(), await freePort(), await freePort()]
      const flags = ['--webhook-url', `https://127.0.0.1:${balancer.port}`, ...PROVEN]
      balancer.ports = [port]
      const at = (webhooks: number, ...more: string[]) =>
        startOperator(server.kubeconfig, [...flags, '--webhook-port', String(webhooks), ...more])
      const metric = async (line: string, at = metrics): Promise<number> => {
        const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text()
        return Number(
          text
            .split('\n')
            .find((one) => one.startsWith(`${line} `))
            ?.split(' ')
            .at(-1),
        )
      }
      /** A replica learns the addresses of API servers in its first seconds. */
      const knowsAddresses = (at: number): Promise<unknown> =>
        eventually(
          () => metric('allot_admission_strangers_refused', at),
          (is) => is === 1,
        )
      let made = 0
      /** Writes of everybody, many at a time, over new connections; each is to be answered as if nothing were wrong. */
      const writes = async (): Promise<void> => {
        await balancer.end()
        const answers = await Promise.all(
          Array.from({ length: 24 }, () => world.send('POST', mapsIn(NAMESPACE), map(`m${made++}`))),
        )
        expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([])
      }
      /** Every webhook is asked, or only that which charges. */
      const attack = async (webhooks: number, all = false, code = 404): Promise<void> => {
        await world.until(LEDGER, ({ status }) => status.reserved === '0' && status.allocated === String(made))
        for (const { path, bare } of (await storedHooks(world)).filter(
          (one) => all || one.bare.startsWith(CALCULATIONS_PATH),
        )) {
          const review = bare.startsWith(CALCULATIONS_PATH) ? CHARGED : CLOSING
          const { status, text } = await tenant.post(`https://127.0.0.1:${webhooks}`, path, review)
          if (bare.startsWith('/probe')) continue
          expect([bare, status]).toEqual([bare, code])
          expect(text).toContain(code === 404 ? 'there is no webhook at this path' : 'this address may not ask')
        }
        const { status } = await world.read(LEDGER)
        expect([status.reserved, status.allocated]).toEqual(['0', String(made)])
        expect((await world.send('POST', `${mapsIn(NAMESPACE)}?dryRun=All`, map('open'))).status).toBe(201)
      }

      {
        await using first = await at(port, '--metrics-port', String(metrics))
        await world.namespace(NAMESPACE)
        await world.quota(NAMESPACE, 'all', { limit: LIMIT, sources: [MAPS] })
        await writes()
        await knowsAddresses(metrics)
        await attack(port, true)
        expect(await metric('allot_admission_refused_calls_total{reason="caller"}')).toBeGreaterThan(0)
        expect(await metric('allot_admission_proven_addresses')).toBe(1)
        expect(first.logs()).toMatch(/"address":"127\.0\.0\.2","advice":"[^"]+","msg":"a review was turned away/)

        // Another API server, which no probe has come from yet, is asked for writes at once.
        balancer.sources = [SECOND]
        await writes()
        balancer.sources = [FIRST, SECOND]
        await writes()
        expect(await metric('allot_admission_proven_addresses')).toBe(2)
        expect(await metric('allot_admission_unprovable_calls_total')).toBe(0)

        // A replica is asked as soon as the Service leads to it.
        await using second = await at(next)
        balancer.ports = [port, next]
        await writes()
        await knowsAddresses(second.metricsPort)
        await attack(next)
        for (const { logs } of [first, second]) expect(logs()).not.toContain('wherever they come from')
      }
      // After a restart of all nothing is proven, and everything is answered.
      balancer.ports = [port]
      await using again = await at(port, '--webhook-peers', `${FIRST}/32,${SECOND}/32`)
      await writes()
      await attack(port, false, 403)
      await eventually(
        () => world.read(QUOTA),
        ({ status }) => status.usage.used === String(made),
      )
      expect(again.logs()).not.toContain('wherever they come from')
    })
  })
