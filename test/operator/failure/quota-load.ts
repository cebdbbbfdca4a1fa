import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../start-allot.ts'
import { deployed, KarmadaWorld, bindingsIn } from '../karmada-quota/karmada-world.ts'
import { COUNTED_MAPS, map, mapsIn, quotasIn as customQuotasIn, QuotaWorld } from '../custom-quota/quota-world.ts'
import type { BareServer } from '../operated.ts'
import { claimsIn, MERGE, quotasIn } from '../pool-objects.ts'
import { increasesIn, IncreaseWorld } from '../quota-increase/increase-world.ts'
import { Lane, type LaneOptions, type Wrong } from './lane.ts'

const FITS = 5
const CPU = 'requests.cpu'
const ROOMY_LIMIT = 60
const RAISE_MS = 300
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]

/** The work of users on the quotas of all systems. */
const LANES: readonly LaneOptions[] = [
  {
    name: 'custom',
    path: mapsIn('f-custom'),
    object: (name) => map(name),
    limit: FITS,
    wanted: 4,
    refusal: 'exceeds limit for',
  },
  // Of this one no create is ever refused.
  { name: 'roomy', path: mapsIn('f-roomy'), object: (name) => map(name), limit: Infinity, wanted: 6 },
  {
    name: 'karmada',
    path: bindingsIn('f-karmada'),
    object: (name) => ({
      apiVersion: 'work.karmada.io/v1alpha2',
      kind: 'ResourceBinding',
      metadata: { name },
      spec: deployed({ requests: { cpu: '1' }, replicas: 1, clusters: { one: 1 } }, name),
    }),
    limit: FITS,
    wanted: 4,
    refusal: 'exceeded quota: tight',
  },
  {
    name: 'native',
    // Nobody else makes any.
    path: '/api/v1/namespaces/f-native/podtemplates',
    object: (name) => ({ metadata: { name }, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
    limit: FITS,
    wanted: 4,
    refusal: 'exceeded quota: limit',
    isKubernetes: true,
  },
  {
    name: 'claims',
    path: claimsIn('f-pool'),
    object: (name) => ({
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePoolClaim',
      metadata: { name },
      spec: { pool: 'f-pool', claim: { [CPU]: '1' } },
    }),
    limit: Infinity,
    wanted: 3,
  },
  {
    name: 'increases',
    path: increasesIn('f-increases'),
    object: (name) => ({
      apiVersion: 'openmcp.cloud/v1alpha1',
      kind: 'QuotaIncrease',
      metadata: { name },
      spec: { hard: { pods: '1' } },
    }),
    limit: Infinity,
    wanted: 3,
  },
]

/** The file of the definitions that the namespace of increases needs. */
export function definitionsFile(): string {
  const file = join(temporaryDirectory(), 'definitions.yaml')
  const selector = { matchLabels: { failing: 'increases' } }
  const quotas = [{ name: 'base', selector, mode: 'cumulative', template: { spec: { hard: { pods: 5 } } } }]
  writeFileSync(file, JSON.stringify({ quotas }))
  return file
}

/** Users of all systems, which create and delete at the limits, and raise one. */
export class QuotaLoad implements AsyncDisposable {
  readonly #world: QuotaWorld
  readonly #lanes: readonly Lane[]
  #raised = 0

  static async open(server: BareServer): Promise<QuotaLoad> {
    const world = new QuotaWorld(server)
    const karmada = new KarmadaWorld(server)
    await karmada.define()
    for (const name of ['f-custom', 'f-roomy', 'f-karmada', 'f-native', 'f-pool']) await world.namespace(name)
    await new IncreaseWorld(server).namespace('f-increases', { failing: 'increases' })
    const sources = [COUNTED_MAPS]
    await world.quota('f-custom', 'tight', { limit: String(FITS), sources, scopeSelectors })
    await world.quota('f-roomy', 'wide', { limit: String(ROOMY_LIMIT), sources, scopeSelectors })
    await karmada.quota('f-karmada', 'tight', { cpu: String(FITS) })
    await world.create(quotasIn('f-native'), {
      metadata: { name: 'limit' },
      spec: { hard: { 'count/podtemplates': String(FITS) } },
    })
    await world.until(`${quotasIn('f-native')}/limit`, ({ status }) => status?.used?.['count/podtemplates'] === '0')
    await world.pool('f-pool', { [CPU]: '3' })
    const lanes: Lane[] = []
    for (const options of LANES) lanes.push(await Lane.open(server, options))
    return new QuotaLoad(world, lanes)
  }

  private constructor(world: QuotaWorld, lanes: readonly Lane[]) {
    this.#world = world
    this.#lanes = lanes
  }

  /** Lets the users work until what is given is done; gives all answers that no user must get, and those of failed requests. */
  async during(
    failure: () => Promise<void>,
  ): Promise<{ readonly wrong: readonly Wrong[]; readonly failed: readonly string[] }> {
    const stop = new AbortController()
    const working = Promise.all([...this.#lanes.map((lane) => lane.run(stop.signal)), this.#raise(stop.signal)])
    try {
      await failure()
    } finally {
      stop.abort()
      await working
    }
    return {
      wrong: [...new Set(this.#lanes.flatMap(({ wrong }) => wrong.splice(0)))],
      failed: [...new Set(this.#lanes.flatMap(({ failed }) => failed.splice(0)))],
    }
  }

  /** How many objects were stored, and how many creates a quota refused. */
  get counts(): { readonly stored: number; readonly refused: number; readonly asked: number } {
    const sum = (of: (lane: Lane) => number): number => this.#lanes.reduce((total, lane) => total + of(lane), 0)
    return {
      stored: sum(({ stored }) => stored),
      refused: sum(({ refused }) => refused),
      asked: sum((lane) => lane.asked),
    }
  }

  /**
   * Creates all that fits and one more, where a quota refuses: gives what is not as it has to be. `isReal`: on a real API server, whose
   * own quota counts anew from a cache that may lack what was created last.
   */
  async healed(isReal: boolean): Promise<readonly Wrong[]> {
    const isExact = ({ options }: Lane): boolean => !isReal || options.isKubernetes !== true
    return (await Promise.all(this.#lanes.map((lane) => lane.healed(isExact(lane))))).flat()
  }

  /** The quotas that had more objects than fit, at any time; `isReal`: on a real API server. */
  async exceeded(isReal: boolean): Promise<readonly string[]> {
    const found: string[] = []
    for (const lane of this.#lanes) {
      const most = await lane.mostAtOnce()
      if (isReal && lane.options.isKubernetes === true) continue
      if (most > lane.options.limit) found.push(`${lane.options.name}: ${most} of ${lane.options.limit}`)
    }
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const lane of this.#lanes) await lane[Symbol.asyncDispose]()
  }

  /** Raises a limit that nobody reaches, and lowers it again. */
  async #raise(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const limit = String(ROOMY_LIMIT + (this.#raised++ % 2))
      await this.#world.server
        .send('PATCH', `${customQuotasIn('f-roomy')}/wide`, { spec: { limit } }, MERGE)
        .catch(String)
      await new Promise((resolve) => setTimeout(resolve, RAISE_MS))
    }
  }
}
