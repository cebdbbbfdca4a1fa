import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assets, borrowRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import { untilMetric } from './enforcement-metric.ts'
import { type BareServer, bareServers, type OperatorProcess, over, startOperator } from '../operated.ts'
import { PoolWorld, quotasIn } from '../pool-objects.ts'
import { DEFINITIONS, mapsIn, openDefinition, openVersions } from '../custom-quota/quota-world.ts'
import { StormWatch } from '../../storm/quota-storm/storm-watch.ts'

const START_MS = 90_000
const AUTO = ['--enforce-resourcequota=auto']

describe.skipIf(assets === undefined)('ResourceQuotas on a control plane without the controller for them', () => {
  let server: BareServer
  let world: PoolWorld
  let operator: OperatorProcess

  beforeAll(async () => {
    const real = await borrowRealServer()
    await real.runControllers('namespace,serviceaccount')
    server = over(real)
    world = new PoolWorld(server)
    operator = await startOperator(server.kubeconfig, [...AUTO, '--apiserver-request-timeout=2s'])
  })
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const quota = async (namespace: string, hard: Readonly<Record<string, string>>, more: object = {}): Promise<void> => {
    await world.create('/api/v1/namespaces', { metadata: { name: namespace } })
    await world.create(quotasIn(namespace), { metadata: { name: 'limit' }, spec: { hard, ...more } })
  }
  const usage = async (namespace: string): Promise<unknown> =>
    (await world.read(`${quotasIn(namespace)}/limit`)).status?.used
  const map = async (namespace: string, name: string): Promise<number> =>
    (await server.send('POST', mapsIn(namespace), { metadata: { name } })).status

  test('a probe finds that the admission plugin is there and the controller is not', async () => {
    await untilMetric(operator, 'allot_resourcequota_enforcement{part="controller",by="allot"} 1')
    await untilMetric(operator, 'allot_resourcequota_enforcement{part="admission",by="cluster"} 1')
    expect(operator.logs()).toContain('the cluster has no controller for ResourceQuotas; allot counts them')
    expect((await server.send('GET', `${quotasIn('allot-system')}/allot-resourcequota-probe`)).status).toBe(404)
  })

  test('limits come into force, and room of deleted objects comes back', async () => {
    await quota('rq-maps', { 'count/configmaps': '2' })
    await expect.poll(() => usage('rq-maps')).toEqual({ 'count/configmaps': '0' })
    expect([await map('rq-maps', 'a'), await map('rq-maps', 'b'), await map('rq-maps', 'c')]).toEqual([201, 201, 403])
    await world.delete(`${mapsIn('rq-maps')}/a`)
    await expect.poll(() => usage('rq-maps')).toEqual({ 'count/configmaps': '1' })
    expect(await map('rq-maps', 'c')).toBe(201)
    await world.patch(`${quotasIn('rq-maps')}/limit`, { spec: { hard: { 'count/configmaps': '3' } } })
    await world.until(`${quotasIn('rq-maps')}/limit`, ({ status }) => status.hard['count/configmaps'] === '3')
    expect([await map('rq-maps', 'd'), await map('rq-maps', 'e')]).toEqual([201, 403])
  })

  test('objects older than the quota are counted, by amounts and by scopes', async () => {
    await world.create('/api/v1/namespaces', { metadata: { name: 'rq-pods' } })
    await world.until('/api/v1/namespaces/rq-pods/serviceaccounts/default', () => true)
    const pods = '/api/v1/namespaces/rq-pods/pods'
    const pod = (name: string, resources: object) => ({
      metadata: { name },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'main', resources }] },
    })
    await world.create(pods, pod('heavy', { requests: { cpu: '1500m' } }))
    await world.create(pods, pod('light', {}))
    await world.create(quotasIn('rq-pods'), {
      metadata: { name: 'limit' },
      spec: { hard: { pods: '5', 'requests.cpu': '2' }, scopes: ['NotBestEffort'] },
    })
    await expect.poll(() => usage('rq-pods')).toEqual({ pods: '1', 'requests.cpu': '1500m' })
    await world.patch(`${pods}/heavy/status`, { status: { phase: 'Succeeded' } })
    await expect.poll(() => usage('rq-pods')).toEqual({ pods: '0', 'requests.cpu': '0' })
  })

  test('objects of a kind that is defined later are counted as soon as it is defined', async () => {
    await quota('rq-later', { 'count/gizmos.later.rq.test': '3' })
    await world.until(`${quotasIn('rq-later')}/limit`, ({ status }) => status?.hard !== undefined)
    await world.create(DEFINITIONS, openDefinition('later.rq.test', 'Gizmo', openVersions(['v1'])))
    const gizmos = '/apis/later.rq.test/v1/namespaces/rq-later/gizmos'
    await eventually(
      () => server.send('GET', gizmos),
      ({ status }) => status === 200,
    )
    // Until the operator has listed them nothing says what is used, and the plugin lets nothing through.
    await eventually(
      async () =>
        (
          await server.send('POST', gizmos, {
            apiVersion: 'later.rq.test/v1',
            kind: 'Gizmo',
            metadata: { name: 'one' },
          })
        ).status,
      (status) => status === 201,
      { what: 'the first object' },
    )
    await expect.poll(() => usage('rq-later')).toEqual({ 'count/gizmos.later.rq.test': '1' })
    await world.delete(`${gizmos}/one`)
    await expect.poll(() => usage('rq-later')).toEqual({ 'count/gizmos.later.rq.test': '0' })
  })

  test('creates and deletes at the same time never exceed a limit, and the usage is exact afterwards', async () => {
    const LIMIT = 4
    await quota('rq-storm', { 'count/configmaps': String(LIMIT) })
    await expect.poll(() => usage('rq-storm')).toEqual({ 'count/configmaps': '0' })
    await using watched = await StormWatch.start(server, mapsIn('rq-storm'))
    let created = 0
    const client = async (of: number): Promise<void> => {
      // Deleted objects make room only when they are counted, which takes a loaded machine a while.
      for (let at = 0; at < 25 || created <= LIMIT; at++) {
        if ((await map('rq-storm', `map-${of}-${at}`)) !== 201) continue
        created++
        await world.delete(`${mapsIn('rq-storm')}/map-${of}-${at}`)
      }
    }
    await Promise.all(Array.from({ length: 6 }, (_, of) => client(of)))
    expect(await map('rq-storm', 'last')).toBeOneOf([201, 403])
    const left = (await world.read(mapsIn('rq-storm'))).items.length
    await expect.poll(() => usage('rq-storm')).toEqual({ 'count/configmaps': String(left) })
    expect(await watched.mostAtOnce()).toBeLessThanOrEqual(LIMIT)
    expect(created).toBeGreaterThan(LIMIT)
  })

  test('with --enforce-resourcequota=controller quotas are counted without a look, and refusing is left to the API server', async () => {
    await operator[Symbol.asyncDispose]()
    operator = await startOperator(server.kubeconfig, ['--enforce-resourcequota=controller'])
    await untilMetric(operator, 'allot_resourcequota_enforcement{part="controller",by="allot"} 1')
    const metrics = await (await fetch(`http://127.0.0.1:${operator.metricsPort}/metrics`)).text()
    expect(metrics).not.toContain('part="admission"')
    await quota('rq-set', { 'count/configmaps': '1' })
    await expect.poll(() => usage('rq-set')).toEqual({ 'count/configmaps': '0' })
    expect(await map('rq-set', 'a')).toBe(201)
    const { status, json } = await server.send('POST', mapsIn('rq-set'), { metadata: { name: 'b' } })
    // These are the words of the API server itself, and not of a webhook.
    expect([status, json.message]).toEqual([
      403,
      'configmaps "b" is forbidden: exceeded quota: limit, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
    ])
    await world.delete(`${mapsIn('rq-set')}/a`)
    await expect.poll(() => usage('rq-set')).toEqual({ 'count/configmaps': '0' })
    expect(
      (await world.read('/apis/capsule.clastix.io/v1beta2/namespaces/allot-system/quantityledgers')).items,
    ).toEqual([])
  })
})

for (const { name, available, start } of bareServers)
  describe.skipIf(!available)(`ResourceQuotas on ${name}, which counts them itself`, () => {
    test('are left alone', { timeout: START_MS }, async () => {
      await using server = await start()
      await using operator = await startOperator(server.kubeconfig, AUTO)
      await untilMetric(operator, 'allot_resourcequota_enforcement{part="controller",by="cluster"} 1')
      await untilMetric(operator, 'allot_resourcequota_enforcement{part="admission",by="cluster"} 1')
      expect(operator.logs()).toContain('the cluster counts ResourceQuotas itself')
      expect((await server.send('GET', `${quotasIn('allot-system')}/allot-resourcequota-probe`)).status).toBe(404)
    })
  })
