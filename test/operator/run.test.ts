import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BareServer, bareServers, type OperatorProcess, SHORT_LEASE, startOperator } from './operated.ts'
import { claimsIn, isTrue, PoolWorld, quotasIn } from './pool-objects.ts'
import { freePort } from '../free-ports.ts'
import { makeService, TcpBalancer } from './tcp-balancer.ts'

const HOOKS = '/apis/admissionregistration.k8s.io/v1'
const CONFIGURATIONS = ['mutating', 'validating'].map((phase) => `${HOOKS}/${phase}webhookconfigurations/allot`)
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const SERVICE = { namespace: 'front', name: 'balanced' }
const CPU = 'requests.cpu'
/** The tests of one server run in order; those of several servers run at the same time. */
const IN_ORDER = { concurrent: false } as const

for (const { name, available, start } of bareServers)
  describe(`${name}: replicas`, { concurrent: true, skip: !available }, () => {
    let server: BareServer
    let world: PoolWorld
    let balancer: TcpBalancer
    const running: OperatorProcess[] = []
    /** Replicas behind a Service, as in a cluster. */
    const replica = async (...args: readonly string[]): Promise<OperatorProcess> => {
      const service = `${SERVICE.namespace}/${SERVICE.name}:${balancer.port}`
      const flags = ['--webhook-service', service, '--shutdown-delay-duration=3s', ...SHORT_LEASE]
      const starting = startOperator(server.kubeconfig, [...flags, ...args])
      const operator = await starting
      running.push(operator)
      return operator
    }
    let first: OperatorProcess
    let second: OperatorProcess
    let third: OperatorProcess

    beforeAll(async () => {
      balancer = await TcpBalancer.start()
      server = await start({ isBare: true })
      world = new PoolWorld(server)
      await makeService(world, SERVICE, balancer)
      await world.namespace('team')
    })
    afterAll(async () => {
      await Promise.all(running.map((operator) => operator.kill9()))
      await balancer[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    test('the first installs its kinds and is reached through the Service', IN_ORDER, async () => {
      const port = await freePort()
      balancer.ports = [port]
      first = await replica('--webhook-port', String(port))
      for (const path of CONFIGURATIONS) {
        // Behind a Service a replica is ready before it leads.
        const { webhooks } = await world.until(path, () => true)
        for (const { clientConfig } of webhooks) {
          expect(clientConfig.service).toMatchObject({ ...SERVICE, port: balancer.port })
          expect(clientConfig.service.path).toMatch(
            /^\/(resourcepools|custom-quotas|quantityledgers|quotaincreases|resourcequotas|karmadaquotas|exempt-namespaces|probe)\//,
          )
        }
      }
      await world.pool('team', { [CPU]: '4' })
      await world.claim('team', 'one', { [CPU]: '1' })
      const isWritten = (claim: { readonly metadata: { readonly ownerReferences?: unknown } }): boolean =>
        claim.metadata.ownerReferences !== undefined
      await world.until(`${claimsIn('team')}/one`, (claim) => isTrue(claim, 'Bound') === false && isWritten(claim))
    })

    test('the second finds everything in place, and writes nothing', IN_ORDER, async () => {
      const before = await versions(world)
      second = await replica()
      expect(await versions(world)).toEqual(before)
      balancer.ports = [first.webhookPort, second.webhookPort]
    })

    test('health and metrics are served', IN_ORDER, async () => {
      for (const { healthPort, metricsPort } of [first, second]) {
        for (const page of ['livez', 'readyz', 'readyz/resource-pools'])
          expect(await text(`http://127.0.0.1:${healthPort}/${page}`)).toBe('ok')
        expect(await text(`http://127.0.0.1:${healthPort}/readyz?verbose`)).toContain('[+]startup ok')
        expect(await text(`http://127.0.0.1:${metricsPort}/metrics`)).toMatch(
          /^capsule_pool_limit\{.*pool="team".*\} 4$/m,
        )
      }
    })

    test('both answer reviews, as the Service', IN_ORDER, async () => {
      const { webhooks } = await world.read(CONFIGURATIONS[0] ?? '')
      const { clientConfig } = webhooks.find((hook: { readonly name: string }) =>
        hook.name.startsWith('resourcepoolclaims'),
      )
      const ca = Buffer.from(clientConfig.caBundle, 'base64').toString()
      for (const { webhookPort } of [first, second]) {
        const answer = await review(webhookPort, clientConfig.service.path, ca)
        expect(answer.response).toMatchObject({ uid: 'u1', allowed: true, patchType: 'JSONPatch' })
        const patch = JSON.parse(Buffer.from(answer.response.patch, 'base64').toString())
        expect(patch).toEqual([{ op: 'add', path: '/spec/pool', value: 'team' }])
      }
    })

    test('a webhook configuration that is edited or deleted by hand comes back', IN_ORDER, async () => {
      for (const path of CONFIGURATIONS) {
        const { webhooks } = await world.read(path)
        const edited = webhooks.slice(1).map((hook: object) => ({ ...hook, failurePolicy: 'Ignore' }))
        await world.patch(path, { webhooks: edited })
        const back = await world.until(path, (object) => object.webhooks.length === webhooks.length)
        expect(back.webhooks).toEqual(webhooks)
        await world.delete(path)
        expect((await world.until(path, () => true)).webhooks).toEqual(webhooks)
      }
    })

    test('when the leader is killed another takes over', IN_ORDER, async ({ expect }) => {
      expect(await holder(world)).not.toBe('')
      await first.kill9()
      const leader = await holder(world)
      // API servers learn of it when a review fails.
      await expect.poll(() => world.claim('team', 'two', { [CPU]: '2' })).toBeDefined()
      await server.until(LEASE, ({ json }) => json.spec.holderIdentity !== leader)
      await world.allocated('team', 'two')
      await world.until(`${quotasIn('team')}/capsule-pool-team`, (quota) => quota.status?.hard?.[CPU] === '3')
    })

    test('one that stops hands its lease over at once', IN_ORDER, async () => {
      const leader = await holder(world)
      // With definitions that are there already nothing is to be done about them.
      third = await replica('--crds=skip')
      balancer.ports = [second.webhookPort, third.webhookPort]
      const stopped = second[Symbol.asyncDispose]()
      await server.until(LEASE, ({ json }) => !['', leader].includes(json.spec.holderIdentity ?? ''))
      await stopped
      expect(await second.exited).toBe(0)
      balancer.ports = [third.webhookPort]
      await world.delete(`${claimsIn('team')}/two`)
      await world.until(`${quotasIn('team')}/capsule-pool-team`, (quota) => quota.status?.hard?.[CPU] === '1')
    })
  })

const holder = async (world: PoolWorld): Promise<string> => (await world.read(LEASE)).spec.holderIdentity

/** The versions of all that the operator sets up. */
async function versions(world: PoolWorld): Promise<readonly string[]> {
  const definitions = ['resourcepools', 'resourcepoolclaims'].map(
    (name) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}.capsule.clastix.io`,
  )
  const paths = [
    ...CONFIGURATIONS,
    ...definitions,
    '/api/v1/namespaces/allot-system',
    '/api/v1/namespaces/allot-system/secrets/allot-webhook-certificate',
    '/apis/capsule.clastix.io/v1beta2/resourcepools/team',
    `${claimsIn('team')}/one`,
    `${quotasIn('team')}/capsule-pool-team`,
  ]
  return await Promise.all(paths.map(async (path) => `${path} ${(await world.read(path)).metadata.resourceVersion}`))
}

async function text(url: string): Promise<string> {
  return await (await request(url)).body.text()
}

/** Asks one replica about a claim that names no pool, trusting and naming it as an API server does. */
async function review(port: number, path: string, ca: string) {
  const agent = new Agent({ connect: { ca, servername: `${SERVICE.name}.${SERVICE.namespace}.svc` } })
  const [group, version] = ['capsule.clastix.io', 'v1beta2']
  const object = {
    apiVersion: `${group}/${version}`,
    kind: 'ResourcePoolClaim',
    metadata: { name: 'asked', namespace: 'team' },
    spec: { pool: '', claim: { [CPU]: '1' } },
  }
  const { body } = await agent.request({
    origin: `https://127.0.0.1:${port}`,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u1',
        kind: { group, version, kind: 'ResourcePoolClaim' },
        resource: { group, version, resource: 'resourcepoolclaims' },
        name: 'asked',
        namespace: 'team',
        operation: 'CREATE',
        userInfo: { username: 'tenant' },
        object,
        oldObject: null,
        dryRun: false,
      },
    }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  const answer = (await body.json()) as any
  await agent.close()
  return answer
}
