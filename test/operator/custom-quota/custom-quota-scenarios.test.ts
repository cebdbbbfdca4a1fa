import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eachCase } from '../../load-vectors.ts'
import { type Operated, operatedServers } from '../operated.ts'
import { renamed, type Scenario, scenariosOf, type Step } from '../pool/pool-scenario.ts'
import { ScenarioPlayer } from '../pool/scenario-player.ts'
import { condition, podsIn, quotasIn } from '../pool-objects.ts'
import { ledgersIn, QuotaWorld } from './quota-world.ts'

const FILES = ['capsule/scenarios-customquota.json', 'capsule/scenarios-globalcustomquota.json'] as const
/** Ledgers of global quotas are expected in Capsule's own namespace. */
const FLAGS = ['--system-namespace=capsule-system']
const STRICT = '--strict-paths'

/** The cases that Capsule refuses, and allot with {@link STRICT}: a path that finds nothing, and a filter on a scalar. */
const NEEDS_STRICT_PATHS: ReadonlySet<string> = new Set([
  'marks the quota not ready when an existing matching object has no value at the configured quantity path',
  'denies creating a matching object when the configured quantity path resolves to no value',
  'treats missing quantity paths as error',
  'rejects admission when a field selector uses an invalid jsonpath filter on a scalar',
])

/** The suite creates the last pod of this one and then again, with the same name, until it is denied. */
const CREATES_TWICE = 'uses the smallest matching quota as authoritative even when both quotas use subtraction'
/** In this one it tries until a pod is denied, whatever happened before; here the quota has to be ready first. */
const TRIES_AGAIN = 'rejects admission when a field selector uses an invalid jsonpath filter on a scalar'

/** A scenario with names of its own, and without steps that do nothing. */
function prepared(scenario: Scenario, suffix: string): Scenario {
  const steps = scenario.steps.filter((step) => Object.keys(step).some((key) => key !== 'note'))
  const [before, last] = [steps.slice(0, -1), steps.slice(-1)]
  return renamed({ ...scenario, steps: [...before, ...whatIsTriedBefore(scenario.name, steps), ...last] }, suffix)
}

/** The steps that the suite's repeated attempts stand for. */
function whatIsTriedBefore(name: string, steps: readonly Step[]): readonly Step[] {
  const pod = steps.at(-1)?.apply
  const quota = steps.findLast(({ apply }) => apply?.kind === 'GlobalCustomQuota')?.apply
  if (name === CREATES_TWICE && pod !== undefined) return [{ apply: pod, outcome: 'created' }]
  if (name !== TRIES_AGAIN || quota === undefined) return []
  return [{ wait: { kind: quota.kind, name: quota.metadata.name, ready: true } }]
}

const scenarios = FILES.flatMap((file) =>
  scenariosOf(file).map((scenario, index) => ({
    file,
    name: scenario.name,
    scenario: prepared(scenario, `-${FILES.indexOf(file)}${index}`),
  })),
)

const isStrict = ({ name }: { readonly name: string }): boolean => NEEDS_STRICT_PATHS.has(name)

const servers = operatedServers.flatMap((server) => [
  { ...server, title: server.name, flags: FLAGS, played: scenarios.filter((one) => !isStrict(one)) },
  { ...server, title: `${server.name} ${STRICT}`, flags: [...FLAGS, STRICT], played: scenarios.filter(isStrict) },
])

for (const { title, available, start, flags, played } of servers)
  describe(
    `${title}: the scenarios of Capsule's own tests of custom quotas`,
    { concurrent: true, skip: !available },
    () => {
      let server: Operated
      const plays = new Map<Scenario, Promise<void>>()

      beforeAll(async () => {
        server = await start({ args: flags, workloads: true })
        for (const { scenario } of played) {
          const player = new ScenarioPlayer(server)
          const play = player.play(scenario)
          plays.set(scenario, play)
          // Its failure is that of a test; here it is only not to end the process.
          play.catch(() => undefined)
        }
      })
      afterAll(() => server?.[Symbol.asyncDispose]())

      // Behind the scenarios: their servers run controllers, and quotas of some scenarios count the pods of all namespaces.
      if (!flags.includes(STRICT))
        test(
          'a Deployment that its ResourceQuota blocks holds no room of a global quota, and its neighbour gets all of it at once',
          { timeout: 180_000 },
          async () => {
            await Promise.allSettled(plays.values())
            const world = new QuotaWorld(server)
            for (const namespace of ['dn-blocked', 'dn-free']) {
              await world.namespace(namespace, 'dn-shared')
              await world.until(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, () => true)
            }
            const few = `${quotasIn('dn-blocked')}/few`
            await world.create(quotasIn('dn-blocked'), { metadata: { name: 'few' }, spec: { hard: { pods: '6' } } })
            await world.until(few, ({ status }) => status?.hard?.pods === '6')
            await world.quota(undefined, 'dn-shared', {
              limit: '40',
              sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }],
              namespaceSelectors: [{ matchLabels: { pool: 'dn-shared' } }],
            })
            const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] }
            const deployments = '/apis/apps/v1/namespaces/dn-blocked/deployments'
            await world.create(deployments, {
              metadata: { name: 'many' },
              spec: {
                replicas: 20,
                selector: { matchLabels: { app: 'many' } },
                template: { metadata: { labels: { app: 'many' } }, spec },
              },
            })
            await world.until(few, ({ status }) => status.used.pods === '6')
            const { status } = await world.until(
              `${deployments}/many`,
              (deployment) => condition(deployment, 'ReplicaFailure') !== undefined,
            )
            expect(condition({ status }, 'ReplicaFailure')).toMatchObject({
              reason: 'FailedCreate',
              message: expect.stringContaining('exceeded quota: few, requested: pods=1, used: pods=6, limited: pods=6'),
            })
            const pods = Array.from({ length: 34 }, (_, index) => ({ metadata: { name: `p${index}` }, spec }))
            const answers = await Promise.all(pods.map((pod) => world.send('POST', podsIn('dn-free'), pod)))
            expect(answers.map((answer) => answer.status)).toEqual(pods.map(() => 201))
            const ledger = `${ledgersIn('capsule-system')}/dn-shared`
            await world.until(ledger, (one) => one.status.reserved === '0' && one.status.allocated === '40')
          },
        )

      for (const file of FILES)
        eachCase(
          file,
          played.filter((one) => one.file === file),
          ({ name }) => name,
          async ({ scenario }) => {
            const play = plays.get(scenario)
            expect(play, 'the scenario was played').toBeDefined()
            await play
          },
        )
    },
  )
