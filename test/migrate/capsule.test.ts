import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { BareServer } from '../bare-server.ts'
import { eventually } from '../eventually.ts'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { DEFINITIONS, GLOBAL_QUOTAS, ledgersIn, map, mapsIn, quotasIn } from '../operator/custom-quota/quota-world.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { accountWith, created, makePrivileged } from '../operator/operator-account.ts'
import { claimsIn, GROUP, MERGE, POOLS, quotasIn as nativeQuotasIn } from '../operator/pool-objects.ts'
import { TcpBalancer } from '../operator/tcp-balancer.ts'
import { ROOT, shell } from '../readme/document-shell.ts'
import { shows, steps } from '../readme/transcript.ts'
import { runAllot, temporaryDirectory } from '../start-allot.ts'
import { CAPSULE, HOOKS, KEPT, makeCapsule, makeCapsuleKinds, makeCapsuleObjects } from './capsule-left.ts'
import { clusters } from './clusters.ts'
import { deploy, deploymentPath, peerWebhooks, StandInNodes } from './stand-in.ts'

/** Two programs start and end, one after the other. */
const PATIENCE_MS = 400_000
const PAGE = 'docs/tasks/move-from-capsule.md'
const DEFINITION = `${DEFINITIONS}/resourcepools.capsule.clastix.io`
const CONFIGURATIONS = ['mutating', 'validating'].map(
  (phase) => `${HOOKS}/${phase}webhookconfigurations/capsule-${phase}-webhook-configuration`,
)

/** The attempt in which a Lease does not run out, and the one in which nobody starts allot. */
const FAILED = ['the peer ends', 'the peer begins', 'the peer ends', 'the peer begins']

/** Some objects, without what the API server counts. */
async function seen(server: BareServer, paths: readonly string[]): Promise<readonly unknown[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const { metadata, status, ...object } = (await server.send('GET', path)).json
      const { name, uid, labels, annotations, ownerReferences, finalizers } = metadata
      // Conditions are allot's own words, and a ledger holds what is under way at the moment.
      const { conditions: _, waiting: _waiting, ...kept } = path.includes('/quantityledgers/') ? {} : (status ?? {})
      return { ...object, metadata: { name, uid, labels, annotations, ownerReferences, finalizers }, status: kept }
    }),
  )
}

for (const { name, start } of clusters)
  describe.skipIf(!hasKubectl)(`${name}: the move from Capsule`, () => {
    test(
      'keeps objects, statuses and limits without a gap, as the page shows it, and goes back as it came',
      { timeout: PATIENCE_MS },
      async () => {
        await using server = await start()
        await using balancer = await TcpBalancer.start()
        let nodes: StandInNodes | undefined
        await using answers = await peerWebhooks(() => nodes?.isPeerAlive !== false)
        await makeCapsuleKinds(server)
        await makeCapsuleObjects(server)
        await makeCapsule(server, answers)
        nodes = new StandInNodes(server, CAPSULE, balancer)
        await using _nodes = nodes
        const home = temporaryDirectory()
        const values = join(home, 'values.yaml')
        // A quota that takes over refuses all until what Capsule has allowed is stored.
        writeFileSync(
          values,
          `webhooks: {service: {port: ${balancer.port}}}\nextraArgs: [--apiserver-request-timeout=1s]\n`,
        )
        const before = await seen(server, [...KEPT, ...CONFIGURATIONS])
        const former = await specOf(server, DEFINITION)
        const migrate = (...flags: readonly string[]) =>
          runAllot('migrate', 'capsule', '--kubeconfig', server.kubeconfig, ...flags)

        await refusesToMove(server, migrate)
        // Somebody tries all the time to exceed a quota that is full.
        await using attempts = new Attempts(server)
        let taken: readonly string[] = []
        for (const { command, output, line } of steps(readFileSync(join(ROOT, PAGE), 'utf8'))) {
          if (command.endsWith('--back')) {
            taken = await afterTakeover(server)
            await server.send('PATCH', `${POOLS}/team`, { spec: { quota: { hard: { 'requests.cpu': '4' } } } }, MERGE)
          }
          const { text } = await shell(command.replace('allot.js install', `allot.js install --values ${values}`), {
            kubeconfig: server.kubeconfig,
            home,
          })
          // Helm leaves CRDs alone that are there.
          if (command.includes('allot.js install')) await putSpec(server, DEFINITION, former)
          expect(shows(output, text), `${PAGE}:${line}: ${command}\n${text}`).toBe(true)
        }
        expect(taken).toEqual(['403', '403', '3'])
        expect(attempts.statuses.length).toBeGreaterThan(100)
        expect(attempts.statuses.filter((status) => status < 400)).toEqual([])
        const { events } = nodes
        await expect
          .poll(() => events)
          .toEqual([...FAILED, 'the peer ends', 'allot begins', 'allot ends', 'the peer begins'])
        expect(withoutUids(await seen(server, CONFIGURATIONS))).toEqual(withoutUids(before.slice(KEPT.length)))
        expect(await specOf(server, DEFINITION)).toEqual(former)
        const { spec, status } = (await server.send('GET', deploymentPath(CAPSULE.namespace, CAPSULE.name))).json
        expect([spec.replicas, status.availableReplicas]).toEqual([2, 2])
        expect(await seen(server, KEPT)).toEqual(before.slice(0, KEPT.length))

        const uninstall = (...flags: readonly string[]) =>
          runAllot('uninstall', '--kubeconfig', server.kubeconfig, ...flags)
        const refused = await uninstall('--crds')
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^Capsule runs \(.*\) and needs /)])
        const left = await uninstall()
        expect([left.code, left.stderr]).toEqual([0, ''])
        expect(await seen(server, KEPT)).toEqual(before.slice(0, KEPT.length))
        await leavesNothingToADecoy(server, uninstall)
      },
    )
  })

/** Configurations are made anew. */
const withoutUids = (objects: readonly unknown[]): readonly unknown[] =>
  objects.map((one) => JSON.parse(JSON.stringify(one, (key, value) => (key === 'uid' ? undefined : value))))

/** Creates what a full quota counts, all the time. */
class Attempts implements AsyncDisposable {
  readonly statuses: number[] = []
  readonly #abort = new AbortController()
  readonly #over: Promise<void>

  constructor(server: BareServer) {
    this.#over = this.#run(server)
  }

  async #run(server: BareServer): Promise<void> {
    while (!this.#abort.signal.aborted) {
      const { status } = await server.send('POST', mapsIn('team'), map(`late-${this.statuses.length}`))
      this.statuses.push(status)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await this.#over
  }
}

type Migrate = (...flags: readonly string[]) => ReturnType<typeof runAllot>

/** Without installation, permissions, a version that fits or somebody who looks after Tenants nothing is changed. */
async function refusesToMove(server: BareServer, migrate: Migrate): Promise<void> {
  const refused = async (text: RegExp, ...flags: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await migrate(...flags)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(text)])
  }
  await refused(/^allot is not installed in the cluster; install it first /)
  const { user } = await accountWith(server, [{ apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }])
  const poor = await kubeconfigOf(server, 'default', user.split(':').at(-1) ?? '')
  await refused(
    /^the API server does not allow to list pods, .*; grant it to the account .*; nothing was changed\n$/,
    '--kubeconfig',
    poor,
  )
  const deployment = deploymentPath(CAPSULE.namespace, CAPSULE.name)
  const runs = (version: string) => {
    const containers = [{ name: 'manager', image: `ghcr.io/projectcapsule/capsule:${version}` }]
    const body = { spec: { template: { spec: { containers } } } }
    return server.send('PATCH', deployment, body, { 'content-type': 'application/strategic-merge-patch+json' })
  }
  await runs('v0.12.4')
  await refused(
    /^the Deployment capsule-system\/capsule-controller-manager runs Capsule v0\.12\.4, and allot takes the place of 0\.14; /,
  )
  await runs('v0.14.0')
  const tenants = `${GROUP}/tenants`
  await created(server, tenants, {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'Tenant',
    metadata: { name: 'gas' },
  })
  await refused(/^Capsule also looks after 1 of the kind Tenant \(gas\), which allot does not; .* --leave-unserved\n$/)
  await server.send('DELETE', `${tenants}/gas`)
  await refusesAmongSeveral(server, migrate, refused)
  // Nobody starts allot: Capsule comes back by itself.
  const { code, stdout, stderr } = await migrate('--outside', '--timeout=2s')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^no allot leads in the namespace allot; look at the log /)])
  expect(stdout).toMatch(
    /^the Lease mallory\/\S+ does not count: no account of its namespace may do what Capsule does$/m,
  )
  expect(stdout).toContain(
    'Capsule has ended: start allot now\nno allot leads in the namespace allot: Capsule is put back\n',
  )
  expect((await server.send('GET', deployment)).json.status.availableReplicas).toBe(2)
}

/** A tenant runs an image of the same name, and leaves a record that nobody may follow; it stays there without replicas. */
async function refusesAmongSeveral(
  server: BareServer,
  migrate: Migrate,
  refused: (text: RegExp, ...flags: readonly string[]) => Promise<void>,
): Promise<void> {
  const decoy = { namespace: 'mallory', name: 'decoy' }
  await created(server, '/api/v1/namespaces', { metadata: { name: decoy.namespace } })
  await deploy(server, { ...decoy, image: 'registry.example/capsule:v0.14.0', replicas: 1 })
  const metadata = { name: 'allot-migrate-capsule' }
  await created(server, mapsIn(decoy.namespace), { metadata, binaryData: { 'record.json.gz': '' } })
  const place = `${CAPSULE.namespace}/${CAPSULE.name}`
  await refused(
    new RegExp(
      `^Deployments in several namespaces run an image of Capsule: ${place}, mallory/decoy; say with --peer-namespace `,
    ),
  )
  await refused(/^allot is not installed in the cluster; /, '--peer-namespace', CAPSULE.namespace)
  await refused(/^no allot has taken the place of Capsule in this cluster; /, '--back', '--peer-namespace=mallory')
  const { status } = await server.send(
    'PATCH',
    deploymentPath(decoy.namespace, decoy.name),
    { spec: { replicas: 0 } },
    MERGE,
  )
  expect(status).toBe(200)
  const lease = CAPSULE.lease.replace(`/${CAPSULE.namespace}/`, `/${decoy.namespace}/`)
  const [, leases = '', name = ''] = /^(.*)\/([^/]+)$/.exec(lease) ?? []
  await created(server, leases, { metadata: { name }, spec: { holderIdentity: 'x', leaseDurationSeconds: 86_400 } })
  const binding = await makePrivileged(server, decoy.namespace)
  const { code, stderr } = await migrate('--outside', '--timeout=5s')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^the Lease mallory\/\S+ has not run out in time; /)])
  // From now on it is the Lease of a namespace that may do nothing, and stays to the end.
  expect((await server.send('DELETE', binding)).status).toBe(200)
}

/** A tenant renews a Lease of Capsule's name where Capsule is no more. */
async function leavesNothingToADecoy(server: BareServer, uninstall: () => ReturnType<typeof runAllot>): Promise<void> {
  const stopped = { spec: { replicas: 0 } }
  await server.send('PATCH', deploymentPath(CAPSULE.namespace, CAPSULE.name), stopped, MERGE)
  await eventually(
    () => server.send('GET', CAPSULE.lease),
    ({ json }) => json.spec.holderIdentity === '',
  )
  // They refuse everything now.
  for (const path of CONFIGURATIONS) expect((await server.send('DELETE', path)).status).toBe(200)
  const decoy = CAPSULE.lease.replace(`/${CAPSULE.namespace}/`, '/mallory/')
  let renewals = 0
  const renewing = setInterval(
    () => void server.send('PATCH', decoy, { spec: { leaseTransitions: ++renewals } }, MERGE),
    300,
  )
  const { code, stdout, stderr } = await uninstall()
  clearInterval(renewing)
  expect([code, stderr, stdout]).toEqual([0, '', expect.not.stringContaining('Capsule runs')])
  expect((await server.send('GET', `${ledgersIn('team')}/maps`)).status).toBe(404)
}

async function putSpec(server: BareServer, path: string, spec: unknown): Promise<void> {
  const { json } = await server.send('GET', path)
  expect((await server.send('PUT', path, { ...json, spec })).status).toBe(200)
}

const specOf = async (server: BareServer, path: string): Promise<unknown> => (await server.send('GET', path)).json.spec

/** Tries the limits that allot enforces once it has taken over, and looks for the statuses. */
async function afterTakeover(server: BareServer): Promise<readonly string[]> {
  for (const path of CONFIGURATIONS) expect((await server.send('GET', path)).status).toBe(404)
  const late = await eventually(
    () => server.send('POST', mapsIn('team'), map('later')),
    ({ status }) => status !== 429,
  )
  expect(late.json.message).toContain('resource exceeds limit for')
  const shrunk = await server.send(
    'PATCH',
    `${POOLS}/team`,
    { spec: { quota: { hard: { 'requests.cpu': '2' } } } },
    MERGE,
  )
  const { json } = await server.send('GET', `${nativeQuotasIn('team')}/capsule-pool-team`)
  for (const path of [`${quotasIn('team')}/maps`, `${GLOBAL_QUOTAS}/all-maps`]) {
    const { status } = (
      await eventually(
        () => server.send('GET', path),
        (answer) => answer.json.status?.usage?.used === '1',
      )
    ).json
    expect(status.claims).toHaveLength(1)
  }
  expect((await server.send('GET', `${claimsIn('team')}/first`)).json.status.pool.name).toBe('team')
  return [String(late.status), String(shrunk.status), json.spec.hard['requests.cpu']]
}
