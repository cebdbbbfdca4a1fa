import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'
import { allObjects } from '../all-objects.ts'
import { KarmadaWorld } from '../operator/karmada-quota/karmada-world.ts'
import { assets, startRealServer } from '../differential/real-server.ts'
import { type BareServer, bareServers, type OperatorProcess, over, startOperator } from '../operator/operated.ts'
import { freePort } from '../free-ports.ts'
import { TcpBalancer } from '../operator/tcp-balancer.ts'
import { soak } from '../seeded-random.ts'
import { runAllot, temporaryDirectory } from '../start-allot.ts'
import { UpgradeJudge } from './judge.ts'
import { AT_MOST, DEFINITION, NAMESPACES, UpgradeLoad } from './load.ts'
import { type PreviousVersion, previousVersion } from './previous-version.ts'

type Version = 'previous' | 'current'

/** The version of both replicas after each step: up, back, and up again. */
const STEPS: readonly (readonly [Version, Version])[] = [
  ['current', 'previous'],
  ['current', 'current'],
  ['previous', 'current'],
  ['previous', 'previous'],
  ['previous', 'current'],
  ['current', 'current'],
]
/** Back to one replica of the previous version only. */
const FEW_STEPS = [...STEPS.slice(0, 3), ...STEPS.slice(5)]
const ROUNDS = soak ? 10 : 1
const PATIENCE_MS = soak ? 4 * 3_600_000 : 600_000
/** A line of a log that comes back more often is a loop. */
const MOST_REPEATED = 5
const LAST_LINES = 2_000

const SYSTEM = 'allot-system'

let previous: PreviousVersion
const definitions = join(temporaryDirectory(), 'definitions.yaml')
beforeAll(() => {
  previous = previousVersion()
  writeFileSync(definitions, JSON.stringify(DEFINITION))
})

/** Two replicas behind a balancer, as a Service leads to them: to those that are not about to end. */
class TwoReplicas implements AsyncDisposable {
  readonly #server: BareServer
  readonly #balancer: TcpBalancer
  readonly #enforce: string
  readonly #places: (
    | { readonly version: Version; readonly port: number; readonly operator: OperatorProcess }
    | undefined
  )[] = [undefined, undefined]
  readonly #logs: { readonly version: Version; readonly logs: () => string }[] = []

  private constructor(server: BareServer, balancer: TcpBalancer, enforce: string) {
    this.#server = server
    this.#balancer = balancer
    this.#enforce = enforce
  }

  /** `enforces`: do they enforce ResourceQuotas in place of the API server? */
  static async start(server: BareServer, enforces: boolean): Promise<TwoReplicas> {
    const replicas = new TwoReplicas(server, await TcpBalancer.start(), enforces ? 'both' : 'auto')
    await replicas.become(['previous', 'previous'])
    return replicas
  }

  /** Replaces one replica after the other by one of the version that it is to have, which is ready before the former ends. */
  async become(versions: readonly [Version, Version]): Promise<void> {
    for (const [at, version] of versions.entries()) {
      const former = this.#places[at]
      if (former?.version === version) continue
      const port = await freePort()
      const flags = [
        `--webhook-url=https://127.0.0.1:${this.#balancer.port}`,
        `--webhook-port=${port}`,
        `--quota-definitions=${definitions}`,
        `--enforce-resourcequota=${this.#enforce}`,
        '--apiserver-request-timeout=1s',
        // A busy machine is no failure.
        '--webhook-timeout=30',
        // The default: an API server that gets no CPU time meanwhile does not hear that its idle connections are about to close.
        '--shutdown-delay-duration=3s',
      ]
      if (this.#balancer.ports.length === 0) this.#balancer.ports = [port]
      const program = version === 'previous' ? previous.program : undefined
      const operator = await startOperator(this.#server.kubeconfig, flags, program)
      this.#places[at] = { version, port, operator }
      this.#logs.push({ version, logs: operator.logs })
      this.#balancer.ports = this.#places.flatMap((place) => (place === undefined ? [] : [place.port]))
      await former?.operator[Symbol.asyncDispose]()
    }
  }

  /** The lines of all logs that say that something went wrong, or that one thing went on and on. */
  get complaints(): readonly string[] {
    return this.#logs.flatMap(({ version, logs }) => {
      const lines = logs()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { readonly level: string; readonly msg: string })
      const warned = Map.groupBy(
        lines.filter(({ level }) => level !== 'info'),
        ({ msg }) => msg,
      )
      return [...warned]
        .filter(([msg, all]) => all.length > MOST_REPEATED || /ledger/.test(msg) || all[0]?.level === 'error')
        .map(([, all]) => `${version}: ${all.length} times ${JSON.stringify(all[0])}`)
    })
  }

  /** The ends of all logs, which say why where something was wrong. */
  get lastLines(): string {
    return this.#logs.map(({ version, logs }) => `${version}:\n${logs().slice(-LAST_LINES)}`).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#places.map(async (place) => place?.operator[Symbol.asyncDispose]()))
    await this.#balancer[Symbol.asyncDispose]()
  }
}

/** Each object that came or went, but those that control planes make in each namespace, some of them late. */
const differences = (before: readonly string[], after: readonly string[]): readonly string[] =>
  [
    ...after.filter((one) => !before.includes(one)).map((one) => `+ ${one}`),
    ...before.filter((one) => !after.includes(one)).map((one) => `- ${one}`),
  ].filter((line) => !/ (?:kube-root-ca\.crt|default|default-token-\S+) $/.test(line))

/** Neither the plugin nor the controller of ResourceQuotas. */
const LACKING = {
  flags: '--disable-admission-plugins=ResourceQuota',
  controllers: 'namespace,serviceaccount,garbagecollector,clusterrole-aggregation',
}

/** The real one leaves it to allot to enforce ResourceQuotas. Beside it, `allot up` is only tried in the long form. */
const servers = [
  {
    name: 'allot up',
    available: soak || assets === undefined,
    enforces: false,
    steps: STEPS,
    start: () => bareServers[0]!.start(),
  },
  {
    name: 'a real API server',
    available: assets !== undefined,
    enforces: true,
    steps: soak ? STEPS : FEW_STEPS,
    start: async () => over(await startRealServer(LACKING)),
  },
]

for (const { name, enforces, steps, start } of servers.filter(({ available }) => available))
  describe(`${name}: an upgrade`, { concurrent: true }, () => {
    test(
      'and its rollback, replica by replica under load, let nothing exceed a limit and refuse nothing for another reason, and nothing is left after allot is uninstalled',
      async ({ expect }) => {
        await using server = await start()
        const world = new KarmadaWorld(server)
        await world.define()
        await world.create('/api/v1/namespaces', { metadata: { name: SYSTEM } })
        const objects = (): Promise<readonly string[]> => allObjects((path) => server.send('GET', path))
        const before = await objects()
        {
          await using replicas = await TwoReplicas.start(server, enforces)
          await using load = await UpgradeLoad.start(server, enforces)
          await using judge = await UpgradeJudge.start(server, AT_MOST)
          for (let round = 0; round < ROUNDS; round++)
            for (const versions of steps) {
              await replicas.become(versions)
              await load.goesOn()
              expect([load.wrong, judge.wrong, replicas.complaints], replicas.lastLines).toEqual([[], [], []])
            }
          expect(judge.seen).toBeGreaterThan(steps.length)
        }
        for (const path of NAMESPACES) expect((await server.send('DELETE', path)).status).toBe(200)
        const flags = [
          '--kubeconfig',
          server.kubeconfig,
          '--system-namespace',
          SYSTEM,
          '--generated-quotas',
          'remove',
          '--crds',
        ]
        const { code, stderr } = await runAllot('uninstall', ...flags)
        expect([code, stderr]).toEqual([0, ''])
        await expect.poll(async () => differences(before, await objects()), { interval: 250 }).toEqual([])
      },
      PATIENCE_MS,
    )
  })
