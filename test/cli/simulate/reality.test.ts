import { expect, test } from 'vitest'
import { offeredBy } from '../../../src/cli/reading/known-kinds.ts'
import { builtinSchemas } from '../../../src/cli/reading/builtin-schemas.ts'
import { guessedResource } from '../../../src/api/guessed-resource.ts'
import { type KindOf, Simulator } from '../../../src/insight/simulate/simulate.ts'
import { claimStanding } from '../../../src/insight/simulate/report.ts'
import type { World } from '../../../src/insight/simulate/world.ts'
import { canonicalJson } from '../../../src/machinery/json-value.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { timestamp } from '../../../src/runtime/time/timestamp.ts'
import { eventually } from '../../eventually.ts'
import { type Operated, operatedServers } from '../../operator/operated.ts'
import { SeededRandom, seed, soak, tellingSeed } from '../../seeded-random.ts'
import { type Case, type Manifest, randomCase, SHARED, type Step } from './random-case.ts'

const CASES = soak ? 2_000 : 200
/** So many cases at a time are on the server; all of them are looked at once more before they go. */
const BATCH = 50
const AT_A_TIME = 8

const CLUSTER_WIDE = new Set([
  'Namespace',
  'ResourcePool',
  'QuotaServiceConfig',
  'Node',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'GlobalCustomQuota',
  'CustomResourceDefinition',
])
/** The node that the server makes for itself. */
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'simulated-node' } }
const kinds: KindOf = (apiVersion, kind) => ({
  ...guessedResource(apiVersion, kind),
  kind,
  namespaced: !CLUSTER_WIDE.has(kind),
})

const offered = offeredBy(SHARED)
const schemas = builtinSchemas()

/** What is compared: all that people see of quotas, pools, claims, increases and pods. */
interface Seen {
  readonly quotas: unknown
  readonly pool: unknown
  readonly claims: unknown
  readonly increases: unknown
  readonly pods: unknown
  readonly custom: unknown
  readonly karmada: unknown
  /** Quotas may count what controllers put into a namespace, and refuse it where it comes late. */
  readonly configMaps: unknown
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
type Read = any

/** How many pods each owner has of each template; those that nobody owns by their names. */
function podsBy(pods: readonly Read[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { metadata, spec } of pods) {
    const name = /^(?:web|db|agent|pod\d)/.exec(metadata.name)?.[0] ?? metadata.name
    const needs = spec.containers.map(({ resources: { requests = {}, limits = {} } = {} }: Read) =>
      [requests, limits].map((amounts) => Object.entries(sorted(Object.entries(amounts))).join(' ')).join(' of '),
    )
    const key = `${name}: ${needs.join('; ')}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return sorted(Object.entries(counts))
}

const isReady = ({ conditions = [] }: Read): boolean =>
  conditions.some(({ type, status }: Read) => type === 'Ready' && status === 'True')

function seenIn(lists: {
  readonly quotas: readonly Read[]
  readonly pool: Read
  readonly claims: readonly Read[]
  readonly increases: readonly Read[]
  readonly pods: readonly Read[]
  readonly custom: readonly Read[]
  readonly karmada: readonly Read[]
  readonly configMaps: readonly Read[]
}): Seen {
  return {
    quotas: sorted(
      lists.quotas.map((quota) => [
        quota.metadata.name,
        { spec: sorted(Object.entries(quota.spec.hard ?? {})), ...quota.status },
      ]),
    ),
    pool: lists.pool?.status?.allocation ?? {},
    claims: sorted(lists.claims.map((claim) => [claim.metadata.name, claimStanding(claim)])),
    increases: sorted(lists.increases.map(({ metadata }) => [metadata.name, metadata.annotations ?? {}])),
    pods: podsBy(lists.pods),
    custom: sorted(
      lists.custom.map(({ kind, metadata, spec, status }) => [
        `${kind} ${metadata.name}`,
        [spec.limit, status?.usage?.used, status?.observedGeneration === metadata.generation && isReady(status)],
      ]),
    ),
    configMaps: lists.configMaps.map(({ metadata }) => String(metadata.name)).toSorted(),
    karmada: sorted(
      lists.karmada.map(({ metadata, spec, status: { hard, used, observedGeneration, conditions = [] } = {} }) => [
        metadata.name,
        [spec.hard, hard, used, observedGeneration === metadata.generation, conditions.length],
      ]),
    ),
  }
}

const GLOBALS = '/apis/capsule.clastix.io/v1beta2/globalcustomquotas'

const ITEMS = {
  quotas: 'api/v1/*/resourcequotas',
  claims: 'apis/capsule.clastix.io/v1beta2/*/resourcepoolclaims',
  increases: 'apis/openmcp.cloud/v1alpha1/*/quotaincreases',
  pods: 'api/v1/*/pods',
  custom: 'apis/capsule.clastix.io/v1beta2/*/customquotas',
  configMaps: 'api/v1/*/configmaps',
  karmada: 'apis/quota.karmada.io/v1alpha1/*/karmadaquotas',
}

function predicted(world: World, { namespace, pool, globals }: Case): Seen {
  const of = (apiVersion: string, kind: string): readonly KubeObject[] =>
    world.list(guessedResource(apiVersion, kind), namespace)
  return seenIn({
    quotas: of('v1', 'ResourceQuota'),
    pool: world.find(guessedResource('capsule.clastix.io/v1beta2', 'ResourcePool'), '', pool),
    claims: of('capsule.clastix.io/v1beta2', 'ResourcePoolClaim'),
    increases: of('openmcp.cloud/v1alpha1', 'QuotaIncrease'),
    pods: of('v1', 'Pod'),
    configMaps: of('v1', 'ConfigMap'),
    karmada: of('quota.karmada.io/v1alpha1', 'KarmadaQuota'),
    custom: [
      ...of('capsule.clastix.io/v1beta2', 'CustomQuota'),
      ...globals.flatMap(
        (name) => world.find(guessedResource('capsule.clastix.io/v1beta2', 'GlobalCustomQuota'), '', name) ?? [],
      ),
    ],
  })
}

async function observed(server: Operated, { namespace, pool, globals }: Case): Promise<Seen> {
  const items = async (path: string): Promise<readonly Read[]> =>
    (await server.send('GET', `/${path.replace('*', `namespaces/${namespace}`)}`)).json.items ?? []
  const [quotas, claims, increases, pods, own, karmada, configMaps, ofPool, ...all] = await Promise.all([
    items(ITEMS.quotas),
    items(ITEMS.claims),
    items(ITEMS.increases),
    items(ITEMS.pods),
    items(ITEMS.custom),
    items(ITEMS.karmada),
    items(ITEMS.configMaps),
    server.send('GET', `/apis/capsule.clastix.io/v1beta2/resourcepools/${pool}`),
    ...globals.map(async (name) => await server.send('GET', `${GLOBALS}/${name}`)),
  ])
  return seenIn({
    quotas,
    claims,
    increases,
    karmada,
    configMaps,
    pods: pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    pool: ofPool.status === 200 ? ofPool.json : undefined,
    custom: [
      ...own.map((one) => ({ ...one, kind: 'CustomQuota' })),
      ...all.filter(({ status }) => status === 200).map(({ json }) => json),
    ],
  })
}

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const { resource } = guessedResource(apiVersion, kind)
  const group = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `/${group}${within}/${resource}/${metadata.name}`
}

/** What the server says to a writer. */
interface Told {
  readonly refusal: string
  readonly warnings: readonly string[]
}

/** The texts of the header that API servers warn with. */
const warningsIn = (header: string | readonly string[] = []): readonly string[] =>
  [
    ...[header]
      .flat()
      .join(', ')
      .matchAll(/299 - ("(?:[^"\\]|\\.)*")/g),
  ]
    .map(([, text = '']) => JSON.parse(text) as string)
    .toSorted()

const APPLY = { 'content-type': 'application/apply-patch+yaml' }

/** Does what a step says, as a server-side apply: what the last manifest had and this one lacks goes, as with `kubectl apply`. */
async function done(server: Operated, { operation, object }: Step): Promise<Told> {
  const { status, json, text, headers } =
    operation === 'delete'
      ? await server.send('DELETE', pathOf(object))
      : await server.send('PATCH', `${pathOf(object)}?fieldManager=case&force=true`, object, APPLY)
  if (status < 300) return { refusal: '', warnings: warningsIn(headers['warning']) }
  // The operator numbers its webhooks that ask about different namespaces.
  return { refusal: (json?.message ?? text).replace(/^(admission webhook ")v\d+\./, '$1'), warnings: [] }
}

/** Do the sets of a rollout wait for the same room? Which of them gets it next is chance. */
function areRivals(world: World, namespace: string): boolean {
  const sets: readonly Read[] = world.list({ group: 'apps', resource: 'replicasets' }, namespace)
  const pods: readonly Read[] = world.list({ group: '', resource: 'pods' }, namespace)
  const has = (uid: string): number => pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid).length
  return sets.filter(({ metadata, spec }) => has(metadata.uid) < spec.replicas).length > 1
}

/** What is to be seen at the end of the case, and how many warnings there were. */
async function live(server: Operated, one: Case): Promise<readonly [Seen, number]> {
  let warned = 0
  const simulator = new Simulator({
    state: [...SHARED, NODE],
    isFromCluster: false,
    kinds,
    offered,
    ...schemas,
    wording: 'all',
    namespace: one.namespace,
    now: Date.now(),
    timestamp,
  })
  let wanted = predicted(simulator.world, one)
  for (const [index, step] of one.steps.entries()) {
    const [result] = simulator.step([step])
    const what = `${one.namespace}, step ${index + 1} of ${JSON.stringify(one.steps.slice(0, index + 1))}`
    const said = await done(server, step)
    const { warnings = [] } = result ?? {}
    warned += warnings.length
    expect(said, what).toEqual({
      refusal: result?.result === 'refused' ? result.message : '',
      warnings: warnings.toSorted(),
    })
    wanted = predicted(simulator.world, one)
    await expectSeen(server, one, wanted, what)
    if (areRivals(simulator.world, one.namespace)) break
  }
  return [wanted, warned]
}

async function expectSeen(server: Operated, one: Case, wanted: Seen, what: string): Promise<void> {
  const text = canonicalJson(wanted)
  let last: Seen | undefined
  try {
    await eventually(
      async () => (last = await observed(server, one)),
      (seen) => canonicalJson(seen) === text,
      { everyMs: 60, patienceMs: 60_000, what },
    )
  } catch {
    expect(last, what).toEqual(wanted)
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const failures: unknown[] = []
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = left.shift(); next !== undefined && failures.length === 0; next = left.shift())
        try {
          await work(next)
        } catch (error) {
          failures.push(error)
        }
    }),
  )
  if (failures.length > 0) throw failures[0]
}

test(
  `what is simulated is what happens on allot up: ${CASES} random states and changes`,
  { timeout: CASES * 2_000 },
  async () => {
    const [{ start } = { start: undefined }] = operatedServers
    if (start === undefined) throw new Error('there is no server')
    await using server = await start({ workloads: true, args: ['--quota-service-config=standard'] })
    for (const object of SHARED)
      expect(await done(server, { operation: 'apply', object })).toMatchObject({ refusal: '' })
    const random = new SeededRandom(seed)
    let warned = 0
    await tellingSeed('a case', async () => {
      for (let first = 0; first < CASES; first += BATCH) {
        const cases = Array.from({ length: Math.min(BATCH, CASES - first) }, (_, at) =>
          randomCase(random, `${first + at}`),
        )
        const wanted = new Map<Case, Seen>()
        await inTurns(cases, async (one) => {
          const [seen, count] = await live(server, one)
          wanted.set(one, seen)
          warned += count
        })
        // What was there in passing is not what it comes to.
        for (const [one, seen] of wanted) await expectSeen(server, one, seen, `${one.namespace}, at last`)
        await inTurns(cases, async ({ namespace, pool, globals }) => {
          for (const name of globals) await server.send('DELETE', `${GLOBALS}/${name}`)
          await server.send('DELETE', `/api/v1/namespaces/${namespace}`)
          await server.send('DELETE', `/apis/capsule.clastix.io/v1beta2/resourcepools/${pool}`)
        })
      }
      // Some of the cases come near a limit, or have a limit that limits nothing.
      expect(warned).toBeGreaterThan(0)
    })
  },
)
