import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assets, startRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import type { Answer } from '../../start-allot.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'
import { DEFINITIONS, mapsIn, openDefinition, openVersions } from '../custom-quota/quota-world.ts'
import { type BareServer, type OperatorProcess, over, startOperator } from '../operated.ts'
import { MERGE, podsIn, PoolWorld, quotasIn } from '../pool-objects.ts'
import { untilMetric } from './enforcement-metric.ts'

const START_MS = 90_000
const PATIENCE = { timeout: 40_000 }
const WITHOUT_PLUGIN = '--disable-admission-plugins=ResourceQuota'
const AUTO = ['--enforce-resourcequota=auto', '--apiserver-request-timeout=2s']
/** What API servers put before the refusal of a webhook. */
const PREFIX = 'admission webhook "resourcequota.validating.allot.dev" denied the request: '

/** A control plane without some parts, with an operator that finds out which. */
class Lacking {
  readonly server: BareServer
  readonly operator: OperatorProcess
  readonly world: PoolWorld

  constructor(server: BareServer, operator: OperatorProcess) {
    this.server = server
    this.operator = operator
    this.world = new PoolWorld(server)
  }

  static async start(controllers: string): Promise<Lacking> {
    const server = over(await startRealServer({ flags: WITHOUT_PLUGIN, controllers }))
    return new Lacking(server, await startOperator(server.kubeconfig, AUTO))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]()
    await this.server[Symbol.asyncDispose]()
  }

  /** Makes a namespace with a quota, and resolves when the quota is enforced: its ledger is open. */
  async quota(namespace: string, hard: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
    await this.world.create('/api/v1/namespaces', { metadata: { name: namespace } })
    await this.world.until(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, () => true)
    await this.world.create(quotasIn(namespace), { metadata: { name: 'limit' }, spec: { hard, ...more } })
    await eventually(
      () => this.ledger(namespace),
      (ledger) => ledger?.status?.outstanding !== undefined,
      {
        patienceMs: 60_000,
        what: `the ledger of the quota in ${namespace}`,
      },
    )
  }

  async ledger(
    namespace: string,
  ): Promise<{ readonly status?: { readonly outstanding?: string; readonly reserved?: string } } | undefined> {
    const { items } = await this.world.read('/apis/capsule.clastix.io/v1beta2/namespaces/allot-system/quantityledgers')
    return items.find(
      ({ spec }: { spec: { targetRef: { namespace: string } } }) => spec.targetRef.namespace === namespace,
    )
  }

  /** Sends a request again as long as it cannot be decided. */
  async decided(send: () => Promise<Answer>): Promise<Answer> {
    return await eventually(send, ({ status }) => status !== 429, { what: 'a decision' })
  }

  map(namespace: string, name: string, query = ''): Promise<Answer> {
    return this.decided(() => this.server.send('POST', `${mapsIn(namespace)}${query}`, { metadata: { name } }))
  }

  pod(namespace: string, name: string, requests?: object, more: object = {}): Promise<Answer> {
    const container = { name: 'main', image: 'main', resources: requests === undefined ? {} : { requests } }
    const spec = { automountServiceAccountToken: false, containers: [container], ...more }
    return this.decided(() => this.server.send('POST', podsIn(namespace), { metadata: { name }, spec }))
  }

  async usage(namespace: string): Promise<unknown> {
    return (await this.world.read(`${quotasIn(namespace)}/limit`)).status?.used
  }
}

describe.skipIf(assets === undefined)('ResourceQuotas on a control plane without the plugin and the controller', () => {
  let place: Lacking

  beforeAll(async () => {
    place = await Lacking.start('namespace,serviceaccount')
  }, START_MS)
  afterAll(() => place?.[Symbol.asyncDispose]())

  test('a probe finds that neither is there', async () => {
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="controller",by="allot"} 1')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
    expect(place.operator.logs()).toContain(
      'the API server lacks the admission plugin ResourceQuota; allot refuses what exceeds a quota',
    )
  })

  test('what exceeds a quota is refused in the words of the plugin, and deletes make room', async () => {
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
    await expect.poll(() => place.usage('rqa-maps'), PATIENCE).toEqual({ 'count/configmaps': '2' })
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
    await expect.poll(() => place.usage('rqa-pods'), PATIENCE).toEqual({ pods: '2', 'requests.cpu': '1' })
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
    await expect.poll(() => place.usage('rqa-services'), PATIENCE).toEqual({ services: '1', 'services.nodeports': '1' })
  })

  test('a request that two quotas count is charged to both or to none', async () => {
    const { world } = place
    await place.quota('rqa-both', { 'count/secrets': '5' })
    await world.create(quotasIn('rqa-both'), { metadata: { name: 'tight' }, spec: { hard: { secrets: '1' } } })
    const send = (name: string) => () =>
      place.server.send('POST', '/api/v1/namespaces/rqa-both/secrets', { metadata: { name } })
    expect((await place.decided(send('a'))).status).toBe(201)
    await eventually(
      async () => (await place.decided(send('b'))).json.message,
      (message) =>
        message ===
        `${PREFIX}secrets "b" is forbidden: exceeded quota: tight, requested: secrets=1, used: secrets=1, limited: secrets=1`,
    )
    await expect.poll(() => place.usage('rqa-both'), PATIENCE).toEqual({ 'count/secrets': '1' })
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

  test('of pods that are created and deleted at the same time there are never more than the quota allows', async () => {
    const LIMIT = 5
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
    await Promise.all([0, 1, 2, 3].map(client))
    const left = (await place.world.read(podsIn('rqa-storm'))).items.length
    await expect
      .poll(() => place.usage('rqa-storm'), PATIENCE)
      .toEqual({ pods: String(left), 'requests.cpu': String(left) })
    // What the ledger has reserved beside what it has counted is over, so both say the same.
    await expect.poll(async () => (await place.ledger('rqa-storm'))?.status?.reserved, PATIENCE).toBe('0')
    let stored = 0
    let most = 0
    for (const { type } of await watched.caughtUp()) {
      stored += type === 'ADDED' ? 1 : type === 'DELETED' ? -1 : 0
      most = Math.max(most, stored)
    }
    expect(most).toBeLessThanOrEqual(LIMIT)
  })

  test('the ledger of a quota goes with the quota', async () => {
    await place.quota('rqa-gone', { 'count/configmaps': '0' })
    await place.world.delete(`${quotasIn('rqa-gone')}/limit`)
    await expect.poll(() => place.ledger('rqa-gone'), PATIENCE).toBeUndefined()
    await expect.poll(async () => (await place.map('rqa-gone', 'a')).status, PATIENCE).toBe(201)
  })
})

describe.skipIf(assets === undefined)('ResourceQuotas on a control plane without the plugin', () => {
  test('are enforced, and the usage shows at once what was admitted', { timeout: 2 * START_MS }, async () => {
    await using place = await Lacking.start('namespace,serviceaccount,resourcequota')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="controller",by="cluster"} 1')
    await untilMetric(place.operator, 'allot_resourcequota_enforcement{part="admission",by="allot"} 1')
    expect(place.operator.logs()).toContain('the cluster counts ResourceQuotas itself')
    await place.quota('rqa-alone', { 'count/configmaps': '2' })
    expect([(await place.map('rqa-alone', 'a')).status, (await place.map('rqa-alone', 'b')).status]).toEqual([201, 201])
    expect((await place.map('rqa-alone', 'c')).status).toBe(403)
    await expect.poll(() => place.usage('rqa-alone'), PATIENCE).toEqual({ 'count/configmaps': '2' })
    await place.world.delete(`${mapsIn('rqa-alone')}/a`)
    await expect.poll(() => place.usage('rqa-alone'), PATIENCE).toEqual({ 'count/configmaps': '1' })
    expect((await place.map('rqa-alone', 'c')).status).toBe(201)
  })
})
