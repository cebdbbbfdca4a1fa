import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assets, type RealServer, startRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'
import {
  COUNTED_MAPS,
  DEFINITIONS,
  GLOBAL_QUOTAS,
  ledgersIn,
  map,
  mapsIn,
  openDefinition,
  openVersions,
  QuotaWorld,
} from '../custom-quota/quota-world.ts'
import { golden } from '../golden-replay.ts'
import { allowToRead, installAccount } from '../access/installed-account.ts'
import { Holder, HOOKS, RefusingWebhook } from '../holding-webhook.ts'
import { type BareServer, bareServers, over } from '../operated.ts'
import type { Answer } from '../../start-allot.ts'
import { claimsIn, MERGE, podsIn, PoolWorld, quotasIn } from '../pool-objects.ts'
import { kubeconfigFor } from '../replicas.ts'
import { untilMetric } from './enforcement-metric.ts'
import { Lacking, type Ledger, LEDGERS } from './lacking.ts'

const HOLDER = 'rqa-remade.allot.test'
const START_MS = 90_000
/** So long, and a little more, a request of these operators has its room: `--apiserver-request-timeout` and five seconds. */
const STORED_WITHIN_MS = 6_500
const PATIENCE = { timeout: 40_000 }
/** The text that API servers put before the refusal of a webhook. */
const PREFIX = 'admission webhook "resourcequota.validating.allot.dev" denied the request: '

interface Recorded {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly body?: Named
    readonly headers?: Readonly<Record<string, string>>
  }
  readonly expect: { readonly status: number; readonly statusObject?: { readonly message?: string } }
}

interface Limited {
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>
    readonly used?: Readonly<Record<string, string>>
  }
}

interface Named {
  readonly metadata?: { readonly name?: string }
}

/** The roles of the operator are those of an installation, which are aggregated. */
const CONTROLLERS = 'namespace,serviceaccount,clusterrole-aggregation'
const EVERY_KIND = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }

let withoutPlugin: RealServer & BareServer
beforeAll(async () => {
  const flags = '--disable-admission-plugins=ResourceQuota'
  if (assets !== undefined) withoutPlugin = over(await startRealServer({ flags, controllers: CONTROLLERS }))
}, START_MS)
afterAll(() => withoutPlugin?.[Symbol.asyncDispose]())

describe.skipIf(assets === undefined)('ResourceQuotas on a control plane without the plugin and the controller', () => {
  let place: Lacking

  beforeAll(async () => {
    const account = await installAccount(withoutPlugin, 'allot-system', ['enforce-resourcequota', 'exempt-labels'])
    await allowToRead(withoutPlugin, account.user, [EVERY_KIND])
    place = await Lacking.on(withoutPlugin, 'auto', kubeconfigFor(withoutPlugin.url, account.token))
  }, START_MS)
  afterAll(() => place?.[Symbol.asyncDispose]())

  test('a probe finds that neither is there', async () => {
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="controller",by="allot"} 1')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
    expect(place.operator.logs()).toContain(
      'the API server lacks the admission plugin ResourceQuota; allot refuses what exceeds a quota',
    )
  })

  test('a request that exceeds a quota is refused in the words of the plugin, and deletes make room', async () => {
    const { world } = place
    await place.quota('rqa-maps', { 'count/configmaps': '2' })
    expect([(await place.map('rqa-maps', 'a')).status, (await place.map('rqa-maps', 'b')).status]).toEqual([201, 201])
    const { status, json } = await place.map('rqa-maps', 'c')
    expect([status, json.reason, json.message]).toEqual([
      403,
      'Forbidden',
      `${PREFIX}configmaps "c" is forbidden: exceeded quota: limit, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2`,
    ])
    await world.delete(`${mapsIn('rqa-maps')}/a`)
    expect((await place.map('rqa-maps', 'c', '?dryRun=All')).status).toBe(201)
    expect((await place.map('rqa-maps', 'd')).status).toBe(201)
    expect((await place.map('rqa-maps', 'e')).status).toBe(403)
    await place.shows('rqa-maps', { 'count/configmaps': '2' })
    await world.patch(`${quotasIn('rqa-maps')}/limit`, { spec: { hard: { 'count/configmaps': '3' } } })
    expect((await place.map('rqa-maps', 'e')).status).toBe(201)
  })

  test('pods are measured as the plugin measures them: values that a quota demands, several limits, several quotas', async () => {
    const { world } = place
    await place.quota('rqa-pods', { pods: '3', 'requests.cpu': '1' })
    const missing = await place.pod('rqa-pods', 'bare')
    expect([missing.status, missing.json.message]).toEqual([
      403,
      `${PREFIX}pods "bare" is forbidden: failed quota: limit: must specify requests.cpu for: main`,
    ])
    expect((await place.pod('rqa-pods', 'one', { cpu: '600m' })).status).toBe(201)
    const more = await place.pod('rqa-pods', 'two', { cpu: '500m' })
    expect([more.status, more.json.message]).toEqual([
      403,
      `${PREFIX}pods "two" is forbidden: exceeded quota: limit, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1`,
    ])
    expect((await place.pod('rqa-pods', 'two', { cpu: '400m' })).status).toBe(201)
    await place.shows('rqa-pods', { pods: '2', 'requests.cpu': '1' })
    // A pod that has ended uses nothing, though it is still there.
    await world.patch(`${podsIn('rqa-pods')}/one/status`, { status: { phase: 'Succeeded' } })
    await eventually(
      async () => (await place.pod('rqa-pods', 'three', { cpu: '600m' })).status,
      (status) => status === 201,
    )
    // An update that leaves the cost is allowed, whatever is used.
    const { status } = await place.server.send(
      'PATCH',
      `${podsIn('rqa-pods')}/two`,
      { metadata: { labels: { a: 'b' } } },
      MERGE,
    )
    expect(status).toBe(200)
  })

  test('quotas with scopes count the pods of these scopes alone', async () => {
    await place.quota('rqa-scopes', { pods: '1' }, { scopes: ['BestEffort'] })
    expect((await place.pod('rqa-scopes', 'light')).status).toBe(201)
    expect((await place.pod('rqa-scopes', 'heavy', { cpu: '1' })).status).toBe(201)
    const { status, json } = await place.pod('rqa-scopes', 'light-too')
    expect([status, json.message]).toEqual([
      403,
      `${PREFIX}pods "light-too" is forbidden: exceeded quota: limit, requested: pods=1, used: pods=1, limited: pods=1`,
    ])
  })

  test('an update that raises what an object costs is charged with the difference, and one that lowers it is free', async () => {
    const { world, server } = place
    await place.quota('rqa-services', { services: '3', 'services.nodeports': '2' })
    const services = '/api/v1/namespaces/rqa-services/services'
    const service = (ports: number, type: string) => ({
      spec: { type, ports: Array.from({ length: ports }, (_, at) => ({ name: `p${at}`, port: 80 + at })) },
    })
    await place.decided(() => server.send('POST', services, { metadata: { name: 'web' }, ...service(2, 'NodePort') }))
    const ports = [80, 81, 82].map((port, at) => ({ name: `p${at}`, port }))
    const raise = () => server.send('PATCH', `${services}/web`, { spec: { ports } }, MERGE)
    const { status, json } = await place.decided(raise)
    expect([status, json.message]).toEqual([
      403,
      `${PREFIX}services "web" is forbidden: exceeded quota: limit, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2`,
    ])
    await world.patch(`${quotasIn('rqa-services')}/limit`, { spec: { hard: { 'services.nodeports': '0' } } })
    await world.patch(`${services}/web`, { spec: { ports: ports.slice(0, 1) } })
    await place.shows('rqa-services', { services: '1', 'services.nodeports': '1' })
  })

  test('a request that two quotas count is charged to both or to none', async () => {
    const { world } = place
    await place.quota('rqa-both', { 'count/secrets': '5' })
    await world.create(quotasIn('rqa-both'), { metadata: { name: 'tight' }, spec: { hard: { secrets: '1' } } })
    await place.enforced('rqa-both', 'tight')
    const send = (name: string) => () =>
      place.server.send('POST', '/api/v1/namespaces/rqa-both/secrets', { metadata: { name } })
    expect((await place.decided(send('a'))).status).toBe(201)
    expect((await place.decided(send('b'))).json.message).toBe(
      `${PREFIX}secrets "b" is forbidden: exceeded quota: tight, requested: secrets=1, used: secrets=1, limited: secrets=1`,
    )
    await place.shows('rqa-both', { 'count/secrets': '1' })
  })

  test('objects of a kind that is defined later are refused as soon as it is defined', async () => {
    await place.quota('rqa-later', { 'count/widgets.later.rqa.test': '1' })
    await place.world.create(DEFINITIONS, openDefinition('later.rqa.test', 'Widget', openVersions(['v1'])))
    const widgets = '/apis/later.rqa.test/v1/namespaces/rqa-later/widgets'
    await eventually(
      () => place.server.send('GET', widgets),
      ({ status }) => status === 200,
    )
    const widget = (name: string) => () =>
      place.server.send('POST', widgets, { apiVersion: 'later.rqa.test/v1', kind: 'Widget', metadata: { name } })
    expect((await place.decided(widget('one'))).status).toBe(201)
    const { status, json } = await place.decided(widget('two'))
    expect([status, json.message]).toEqual([
      403,
      `${PREFIX}widgets.later.rqa.test "two" is forbidden: exceeded quota: limit, requested: count/widgets.later.rqa.test=1, used: count/widgets.later.rqa.test=1, limited: count/widgets.later.rqa.test=1`,
    ])
  })

  test('the recorded refusals of Kubernetes are repeated in the same words', async () => {
    const { server, world } = place
    const all = golden<readonly Recorded[]>('exchanges.json')
    const last = all.findIndex(({ name }) => name === 'service change type over quota')
    const writes = all.slice(0, last + 1).filter(({ request: { method, path }, expect: { status } }) => {
      const isPlain = /^(POST|PATCH|DELETE)$/.test(method) && [200, 201, 403].includes(status)
      return isPlain && (path === '/api/v1/namespaces' || path.includes('/golden/'))
    })
    const [found, recorded]: [string[], string[]] = [[], []]
    for (const { name, request, expect: wanted } of writes) {
      const { method, path, body, headers } = request
      const answer = await place.decided(() => server.send(method, path, body, headers))
      const message = wanted.statusObject?.message ?? '*'
      const said = String(answer.json?.message ?? '').replace(PREFIX, '')
      found.push(`${name}: ${answer.status} ${message === '*' ? '' : said}`)
      recorded.push(`${name}: ${wanted.status} ${message === '*' ? '' : message}`)
      if (path === '/api/v1/namespaces') {
        await world.until('/api/v1/namespaces/golden/serviceaccounts/default', () => true)
        // Where it was recorded a controller made one.
        await world.create(mapsIn('golden'), { metadata: { name: 'kube-root-ca.crt' } })
      }
      if (path.endsWith('/resourcequotas')) await place.enforced('golden', body?.metadata?.name ?? '')
    }
    expect(found).toEqual(recorded)
    expect(recorded.filter((line) => line.includes('exceeded quota'))).not.toHaveLength(0)
  })

  test('a kind is watched once, although a CustomQuota and both parts of a ResourceQuota count its objects', async () => {
    const { world, server } = place
    // Nobody else watches this kind here.
    const revisions = '/apis/apps/v1/namespaces/rqa-watched/controllerrevisions'
    const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision' }
    const create = (name: string) => () =>
      server.send('POST', revisions, { ...revision, metadata: { name }, revision: 1, data: { a: 'b' } })
    const watches = async (): Promise<readonly string[]> => {
      const { text } = await server.send('GET', '/metrics')
      // Older servers call it so.
      const line =
        /^apiserver_longrunning_(?:requests|gauge)\{.*resource="controllerrevisions".*verb="WATCH".*\} (.*)$/gm
      return [...text.matchAll(line)].map(([, open = '']) => open)
    }
    await place.quota('rqa-watched', { 'count/controllerrevisions.apps': '2' })
    const quotas = new QuotaWorld(server)
    await quotas.quota('rqa-watched', 'few', { limit: '3', sources: [{ ...revision, op: 'count' }] })
    expect((await place.decided(create('a'))).status).toBe(201)
    // All of them have counted it: what shows the usage, the custom quota, and what admits.
    await place.shows('rqa-watched', { 'count/controllerrevisions.apps': '1' })
    await quotas.used('/apis/capsule.clastix.io/v1beta2/namespaces/rqa-watched/customquotas/few', '1')
    expect((await place.decided(create('b'))).status).toBe(201)
    const { status, json } = await place.decided(create('c'))
    expect([status, json.message]).toEqual([403, expect.stringContaining('exceeded quota: limit')])
    await expect.poll(watches, PATIENCE).toEqual(['1'])
    await world.delete(`${quotasIn('rqa-watched')}/limit`)
    await expect.poll(async () => (await place.decided(create('c'))).status, PATIENCE).toBe(201)
    expect(await watches()).toEqual(['1'])
  })

  test('a pod that is deleted and stays after its time gives its room back', async () => {
    const { world } = place
    await place.quota('rqa-stays', { pods: '1' })
    expect((await place.pod('rqa-stays', 'stays', undefined, { nodeName: 'fake-0' })).status).toBe(201)
    // Nobody runs there who would end it, so nothing is written when its time is over.
    await place.server.send('DELETE', `${podsIn('rqa-stays')}/stays`, { gracePeriodSeconds: 2 })
    expect((await world.read(`${podsIn('rqa-stays')}/stays`)).metadata.deletionGracePeriodSeconds).toBe(2)
    await eventually(
      async () => (await place.pod('rqa-stays', 'next')).status,
      (status) => status === 201,
      { patienceMs: 60_000, what: 'the next pod' },
    )
    expect((await world.read(podsIn('rqa-stays'))).items).toHaveLength(2)
  })

  test('of pods that are created and deleted at the same time, with two replicas, there are never more than the quota allows', async () => {
    const LIMIT = 5
    // One that does not lead learns from the ledgers that it has to answer.
    await place.replica()
    await place.quota('rqa-storm', { pods: String(LIMIT), 'requests.cpu': String(LIMIT) })
    await using watched = await StormWatch.start(place.server, podsIn('rqa-storm'))
    const burst = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => (await place.pod('rqa-storm', `burst-${at}`, { cpu: '1' })).status),
    )
    expect(burst.filter((status) => status === 201)).toHaveLength(LIMIT)
    expect(burst.filter((status) => status === 403)).toHaveLength(20 - LIMIT)
    const client = async (of: number): Promise<void> => {
      for (let at = 0; at < 6; at++) {
        const first = (await place.world.read(podsIn('rqa-storm'))).items[of]?.metadata.name
        if (first !== undefined)
          await place.server.send('DELETE', `${podsIn('rqa-storm')}/${first}`, { gracePeriodSeconds: 0 })
        expect((await place.pod('rqa-storm', `later-${of}-${at}`, { cpu: '1' })).status).toBeOneOf([201, 403])
      }
    }
    // Meanwhile the quota comes to limit something else too, and not any more.
    const limit = async (services: string | null): Promise<unknown> =>
      await place.world.patch(`${quotasIn('rqa-storm')}/limit`, { spec: { hard: { services } } })
    await Promise.all([...[0, 1, 2, 3].map(client), limit('3').then(() => limit(null))])
    const left = (await place.world.read(podsIn('rqa-storm'))).items.length
    await expect
      .poll(() => place.usage('rqa-storm'), PATIENCE)
      .toEqual({ pods: String(left), 'requests.cpu': String(left) })
    // When what was reserved is over, the ledger says the same.
    await expect
      .poll(async () => (await place.ledger('rqa-storm'))?.status?.resourceQuota, PATIENCE)
      .toMatchObject({ allocated: { pods: String(left), 'requests.cpu': String(left) }, reserved: {} })
    expect(await watched.mostAtOnce()).toBeLessThanOrEqual(LIMIT)
  })

  test('a quota that is deleted and made anew gives no room away that requests in flight were allowed on the former one', async () => {
    const { server, world } = place
    await using holder = await Holder.start(world, HOLDER)
    await place.quota('rqa-remade', { 'count/configmaps': '2' })
    await using watch = await StormWatch.start(server, LEDGERS)
    const held = ['a', 'b'].map((name) =>
      server.send('POST', mapsIn('rqa-remade'), { metadata: { name, labels: { held: HOLDER } } }),
    )
    await place.reserved('rqa-remade', { 'count/configmaps': '2' })
    const { metadata: former } = await world.read(`${quotasIn('rqa-remade')}/limit`)
    await world.delete(`${quotasIn('rqa-remade')}/limit`)
    await world.create(quotasIn('rqa-remade'), {
      metadata: { name: 'limit' },
      spec: { hard: { 'count/configmaps': '2' } },
    })
    const isNew = ({ spec: { targetRef }, status }: Ledger): boolean =>
      targetRef.namespace === 'rqa-remade' && targetRef.uid !== former.uid && (status?.outstanding ?? '') !== ''
    await world.until(LEDGERS, ({ items }) => items.some(isNew))
    const versions = (await watch.caughtUp()).map(({ object }) => object as unknown as Ledger)
    // The record of a ledger that is closed until requests of before are over.
    expect(versions.find(isNew)?.status?.outstanding).toContain('%s/')
    holder.letGo()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
    expect((await place.map('rqa-remade', 'c')).status).toBe(403)
  })

  test('a limit that is added gives no room away that requests in flight need, and is enforced when they are over', async () => {
    const { server, world } = place
    await using holder = await Holder.start(world, HOLDER)
    await place.quota('rqa-added', { 'count/secrets': '9' })
    const held = ['a', 'b'].map((one) =>
      server.send('POST', mapsIn('rqa-added'), { metadata: { name: one, labels: { held: HOLDER } } }),
    )
    // The API server has chosen whom it asks about them by then, and allot was not among them.
    await holder.holds('rqa-added', 2)
    await world.patch(`${quotasIn('rqa-added')}/limit`, { spec: { hard: { 'count/configmaps': '2' } } })
    await eventually(
      () => place.ledger('rqa-added'),
      (ledger) => ledger?.status?.outstanding?.includes('%s/widened-') === true,
      { what: 'the ledger to be closed' },
    )
    holder.letGo()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
    expect((await place.map('rqa-added', 'c')).status).toBe(403)
    await expect.poll(() => place.usage('rqa-added'), PATIENCE).toMatchObject({ 'count/configmaps': '2' })
  })

  test('limits that all go and come back give no room away that requests in flight have', async () => {
    const { server, world } = place
    await using holder = await Holder.start(world, HOLDER)
    const limit = async (hard: object | null): Promise<unknown> =>
      await world.patch(`${quotasIn('rqa-emptied')}/limit`, { spec: { hard } })
    await place.quota('rqa-emptied', { 'count/configmaps': '2' })
    // The API server goes on to ask about configmaps for this one.
    const asked = { metadata: { name: 'asked' }, spec: { hard: { 'count/configmaps': '9' } } }
    await world.create(quotasIn('rqa-emptied'), asked)
    await place.enforced('rqa-emptied', 'asked')
    const held = ['a', 'b'].map((name) =>
      server.send('POST', mapsIn('rqa-emptied'), { metadata: { name, labels: { held: HOLDER } } }),
    )
    await Promise.all([holder.holds('rqa-emptied', 2), place.reserved('rqa-emptied', { 'count/configmaps': '2' })])
    const outstanding = (what: string, test: (text: string) => boolean): Promise<unknown> =>
      eventually(
        () => place.ledger('rqa-emptied'),
        (ledger) => test(ledger?.status?.outstanding ?? ''),
        { what },
      )
    await limit(null)
    await outstanding('the ledger without the limit', (text) => !text.includes('configmaps'))
    await limit({ 'count/configmaps': '2' })
    await outstanding('the ledger with the limit', (text) => text.includes('configmaps'))
    expect((await server.send('POST', mapsIn('rqa-emptied'), { metadata: { name: 'c' } })).status).not.toBe(201)
    holder.letGo()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
  })

  test('a limit that is lowered is enforced with a usage that contains requests in flight, and never without them', async () => {
    const { server, world } = place
    await using holder = await Holder.start(world, HOLDER)
    /** Gives what did not hold; undefined where the requests were held for so long that their room was given back. */
    const tried = async (namespace: string): Promise<readonly string[] | undefined> => {
      await place.quota(namespace, { 'count/configmaps': '4' })
      await using watch = await StormWatch.start(server, quotasIn(namespace))
      const began = performance.now()
      const held = ['a', 'b', 'c', 'd'].map((name) =>
        server.send('POST', mapsIn(namespace), { metadata: { name, labels: { held: HOLDER } } }),
      )
      await Promise.all([holder.holds(namespace, 4), place.reserved(namespace, { 'count/configmaps': '4' })])
      const limit = async (amount: string): Promise<unknown> =>
        await world.patch(`${quotasIn(namespace)}/limit`, { spec: { hard: { 'count/configmaps': amount } } })
      const another = async (): Promise<number> => (await place.map(namespace, 'e')).status
      await limit('1')
      const isLowered = ({ status }: Limited): boolean => status?.hard?.['count/configmaps'] === '1'
      await world.until(`${quotasIn(namespace)}/limit`, isLowered)
      const beside = await another()
      // Nobody waits for the time of the lower limit where it is raised again.
      await limit('5')
      await eventually(another, (status) => status === 201 || status === 409)
      const isInTime = performance.now() - began < STORED_WITHIN_MS
      holder.letGo(namespace)
      const stored = (await Promise.all(held)).map(({ status }) => status)
      const lowered = (await watch.caughtUp()).map(({ object }) => object as unknown as Limited).filter(isLowered)
      if (!isInTime) return undefined
      const used = lowered.map(({ status }) => status?.used?.['count/configmaps'])
      return [
        ...(beside === 403 ? [] : [`another request beside the lower limit: ${beside}`]),
        ...stored.filter((status) => status !== 201).map((status) => `a request that was allowed: ${status}`),
        ...used.filter((amount) => amount !== '4').map((amount) => `used ${amount} beside the lower limit`),
        ...(used.length === 0 ? ['no status had the lower limit'] : []),
      ]
    }
    let tries = 0
    const problems = await eventually(
      () => tried(`rqa-lowered-${tries++}`),
      (found) => found !== undefined,
      { what: 'a try that ends before the time of its requests' },
    )
    expect(problems).toEqual([])
  })

  test('the room of objects that go soon comes back with them, and not with the time of a request', async () => {
    const LESS_THAN_A_REQUEST = { timeout: 30_000 }
    await place.quota('rqa-soon', { 'count/configmaps': '8' })
    const names = ['a', 'b', 'c', 'd']
    for (let round = 0; round < 4; round++) {
      const made = await Promise.all(names.map((name) => place.map('rqa-soon', name)))
      expect(made.map(({ status }) => status)).toEqual(names.map(() => 201))
      await place.shows('rqa-soon', { 'count/configmaps': '4' })
      await Promise.all(names.map((name) => place.world.delete(`${mapsIn('rqa-soon')}/${name}`)))
      await expect.poll(() => place.usage('rqa-soon'), LESS_THAN_A_REQUEST).toEqual({ 'count/configmaps': '0' })
    }
  })

  test('a claim whose room requests in flight use is not given up', async () => {
    const { server, world } = place
    await using holder = await Holder.start(world, HOLDER)
    await world.namespace('rqa-claims')
    const [quota, hard] = ['capsule-pool-rqa-claims', { 'count/configmaps': '2' }]
    await world.pool('rqa-claims', hard)
    await world.claim('rqa-claims', 'all', hard, 'rqa-claims')
    await world.allocated('rqa-claims', 'all')
    await place.enforced('rqa-claims', quota)
    const held = ['a', 'b'].map((name) =>
      server.send('POST', mapsIn('rqa-claims'), { metadata: { name, labels: { held: HOLDER } } }),
    )
    await world.until(`${quotasIn('rqa-claims')}/${quota}`, ({ status }) => status?.used?.['count/configmaps'] === '2')
    await holder.holds('rqa-claims', 2)
    expect(await world.refused('DELETE', `${claimsIn('rqa-claims')}/all`)).toContain('while claim is used')
    holder.letGo()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([201, 201])
  })

  test('requests that a ResourceQuota refuses hold no room of a global quota, also where allot enforces both', async () => {
    const world = new QuotaWorld(place.server)
    await place.quota('rqa-blocked', { 'count/configmaps': '6' })
    await world.namespace('rqa-free', 'rqa-shared')
    await world.patch('/api/v1/namespaces/rqa-blocked', { metadata: { labels: { pool: 'rqa-shared' } } })
    const namespaceSelectors = [{ matchLabels: { pool: 'rqa-shared' } }]
    await world.quota(undefined, 'rqa-shared', {
      limit: '20',
      sources: [COUNTED_MAPS],
      scopeSelectors: [{ matchLabels: { counted: 'yes' } }],
      namespaceSelectors,
    })
    const burst = (namespace: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          place.decided(() => world.send('POST', mapsIn(namespace), map(`m${index}`))),
        ),
      )
    const blocked = await burst('rqa-blocked', 40)
    const others = blocked.filter(({ status }) => status !== 201)
    const isExpected = ({ status, text }: Answer): boolean =>
      status === 403 && text.includes('exceeded quota: limit, requested: count/configmaps=1')
    expect(others.filter((answer) => !isExpected(answer)).map(({ status, text }) => [status, text])).toEqual([])
    expect(others).toHaveLength(34)
    const free = await Promise.all(
      Array.from({ length: 14 }, (_, index) => world.send('POST', mapsIn('rqa-free'), map(`m${index}`))),
    )
    expect(free.map(({ status }) => status)).toEqual(free.map(() => 201))
    await world.used(`${GLOBAL_QUOTAS}/rqa-shared`, '20')
    await world.until(`${ledgersIn('allot-system')}/rqa-shared`, ({ status }) => status.reserved === '0')
  })

  test('the ledger of a quota goes with the quota', async () => {
    await place.quota('rqa-gone', { 'count/configmaps': '0' })
    await place.world.delete(`${quotasIn('rqa-gone')}/limit`)
    await expect.poll(() => place.ledger('rqa-gone'), PATIENCE).toBeUndefined()
    await expect.poll(async () => (await place.map('rqa-gone', 'a')).status, PATIENCE).toBe(201)
  })

  test('an operator with the roles of an installation may do all of this', () => {
    expect(place.operator.logs()).not.toContain('\\" cannot ')
  })

  test('both parts are taken over without a look where that is set', async () => {
    await place.quota('rqa-set', { 'count/configmaps': '1' })
    await place.restart('both')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="controller",by="allot"} 1')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
    expect([(await place.map('rqa-set', 'a')).status, (await place.map('rqa-set', 'b')).status]).toEqual([201, 403])
    await place.shows('rqa-set', { 'count/configmaps': '1' })
    await place.world.delete(`${mapsIn('rqa-set')}/a`)
    await place.shows('rqa-set', { 'count/configmaps': '0' })
  })
})

describe.skipIf(assets === undefined)('ResourceQuotas on a control plane without the plugin', () => {
  test(
    'are enforced, also after a restart without a look, and the usage shows at once what was admitted',
    { timeout: 2 * START_MS },
    async () => {
      await withoutPlugin.runControllers('namespace,serviceaccount,resourcequota')
      const cluster = new PoolWorld(withoutPlugin)
      // Nobody answers them any more.
      await withoutPlugin.send('DELETE', `${HOOKS}/allot`)
      await cluster.create('/api/v1/namespaces', { metadata: { name: 'rqa-counted' } })
      await cluster.create(quotasIn('rqa-counted'), { metadata: { name: 'limit' }, spec: { hard: { pods: '1' } } })
      await cluster.until(`${quotasIn('rqa-counted')}/limit`, ({ status }) => status?.hard?.pods === '1')
      await using place = await Lacking.on(withoutPlugin)
      await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="controller",by="cluster"} 1')
      await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
      expect(place.operator.logs()).toContain('the cluster counts ResourceQuotas itself')
      await place.quota('rqa-alone', { 'count/configmaps': '2' })
      expect([(await place.map('rqa-alone', 'a')).status, (await place.map('rqa-alone', 'b')).status]).toEqual([
        201, 201,
      ])
      expect((await place.map('rqa-alone', 'c')).status).toBe(403)
      await place.shows('rqa-alone', { 'count/configmaps': '2' })
      await place.world.delete(`${mapsIn('rqa-alone')}/a`)
      await place.shows('rqa-alone', { 'count/configmaps': '1' })
      expect((await place.map('rqa-alone', 'c')).status).toBe(201)
      await place.quota('rqa-refused', { 'count/configmaps': '8' })
      await using refusing = await RefusingWebhook.start(place.world)
      const body = { metadata: { name: 'a', labels: { held: refusing.name } } }
      expect((await place.server.send('POST', mapsIn('rqa-refused'), body)).status).toBe(400)
      // It was admitted before another webhook refused it, and is taken off when it cannot be stored any more.
      await place.shows('rqa-refused', { 'count/configmaps': '1' })
      await place.shows('rqa-refused', { 'count/configmaps': '0' })
      await place.restart('admission')
      await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
      expect((await place.map('rqa-alone', 'd')).status).toBe(403)
      await place.world.delete(`${mapsIn('rqa-alone')}/b`)
      expect((await place.map('rqa-alone', 'd')).status).toBe(201)
      await place.shows('rqa-alone', { 'count/configmaps': '2' })
      // An earlier leader raised it when the controller had already taken something off, and knew it: the next one cannot.
      const raised = { status: { used: { 'count/configmaps': '9' } } }
      const path = `${quotasIn('rqa-alone')}/limit/status?fieldManager=allot`
      expect((await place.server.send('PATCH', path, raised, MERGE)).status).toBe(200)
      await place.shows('rqa-alone', { 'count/configmaps': '2' })
    },
  )
})

describe('ResourceQuotas that allot run enforces beside allot up', () => {
  const [bare] = bareServers
  const V1 = '/apis/resource.k8s.io/v1'
  const [EXPLICIT, IMPLICIT] = ['requests.example.com/gpu', 'requests.deviceclass.resource.kubernetes.io/gpu']

  test(
    'claims of devices share the limit of the extended resource with pods, without counting twice',
    async () => {
      if (bare === undefined) throw new Error('there is no server')
      await using beside = await bare.start()
      await using place = await Lacking.on(beside, 'both')
      const { world, server } = place
      await world.create(`${V1}/deviceclasses`, {
        metadata: { name: 'gpu' },
        spec: { extendedResourceName: 'example.com/gpu' },
      })
      await place.quota('rqa-devices', { [EXPLICIT]: '3', [IMPLICIT]: '5' })
      const claim =
        (name: string, count: number, metadata: object = {}) =>
        () =>
          server.send('POST', `${V1}/namespaces/rqa-devices/resourceclaims`, {
            metadata: { name, ...metadata },
            spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count } }] } },
          })
      const resources = { 'example.com/gpu': '1' }
      const { json: pod } = await place.decided(() =>
        server.send('POST', podsIn('rqa-devices'), {
          metadata: { name: 'asks' },
          spec: {
            containers: [{ name: 'main', image: 'main', resources: { requests: resources, limits: resources } }],
          },
        }),
      )
      // `allot up` charges requests too, so that for a moment the usage contains what is in flight twice.
      await eventually(claim('two', 2), ({ status }) => status === 201)
      const { status, json } = await place.decided(claim('one', 1))
      expect([status, json.message]).toEqual([
        403,
        `${PREFIX}resourceclaims.resource.k8s.io "one" is forbidden: exceeded quota: limit, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=3, limited: requests.example.com/gpu=3`,
      ])
      // The scheduler makes such a claim for the devices that the pod has been charged for.
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'asks', uid: pod.metadata.uid, controller: true }
      const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' }
      const made = await eventually(
        claim('made', 1, { annotations, ownerReferences: [owner] }),
        (answer) => answer.status === 201,
        { patienceMs: 60_000, what: 'the claim of the pod' },
      )
      expect(made.json.metadata.name).toBe('made')
    },
    START_MS,
  )
})
