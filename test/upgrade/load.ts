import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import type { BareServer } from '../bare-server.ts'
import { COUNTED_MAPS, map, mapsIn, QuotaWorld } from '../operator/custom-quota/quota-world.ts'
import { bindingsIn, deployed, KarmadaWorld } from '../operator/karmada-quota/karmada-world.ts'
import { claimsIn, type Conditioned, isTrue, quotasIn } from '../operator/pool-objects.ts'
import { increasesIn, IncreaseWorld } from '../operator/quota-increase/increase-world.ts'
import { type Ledger, LEDGERS } from '../operator/resource-quota/lacking.ts'
import { soak } from '../seeded-random.ts'
import type { Answer } from '../start-allot.ts'

/** Objects that nobody but the test touches. */
const COUNTED = 'count/podtemplates'
const templatesIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/podtemplates`
const template = (name: string): object => ({
  metadata: { name },
  template: { metadata: { labels: { name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
})
const COUNTED_BY_LABEL = 'labelSelector=counted%3Dyes'
const LIMIT = 3
const REST_MS = soak ? 50 : 300
/** A leader of a busy machine that ended in the midst is followed after its lease. */
const PATIENCE_MS = 180_000

/** The words of a refusal by a quota, in any system. */
const QUOTA_WORDS = /exceeded quota: |resource exceeds limit for /

/** The definition of base quotas that the operators follow. */
export const DEFINITION = {
  quotas: [
    {
      name: 'base',
      selector: { matchLabels: { upgrade: 'increased' } },
      mode: 'maximum',
      template: { spec: { hard: { [COUNTED]: String(LIMIT) } } },
    },
  ],
}

/** The paths of objects of which there may be no more than so many at any time. */
export const AT_MOST: Readonly<Record<string, number>> = {
  [`${mapsIn('up-maps')}?${COUNTED_BY_LABEL}`]: LIMIT,
  [`/api/v1/configmaps?${COUNTED_BY_LABEL}`]: 2 * LIMIT - 1,
  [bindingsIn('up-federated')]: LIMIT,
  [templatesIn('up-native')]: LIMIT,
}

/** The namespaces of the load. */
export const NAMESPACES: readonly string[] = [
  'up-pool',
  'up-maps',
  'up-others',
  'up-native',
  'up-increased',
  'up-federated',
].map((name) => `/api/v1/namespaces/${name}`)

type System = 'pools' | 'custom quotas' | 'global custom quotas' | 'increases' | 'ResourceQuotas' | 'KarmadaQuotas'

/** What writers of one system were answered. */
interface Answered {
  readonly admitted: number
  readonly refused: number
}

/** Writers of all systems, each of which keeps its quota at the limit. */
export class UpgradeLoad implements AsyncDisposable {
  readonly #server: BareServer
  readonly #enforces: boolean
  readonly #abort = new AbortController()
  readonly #running: Promise<void>[] = []
  readonly #answered = new Map<System, Answered>()
  /** Answers that nobody is to get, whichever versions run. */
  readonly wrong: string[] = []
  #next = 0

  private constructor(server: BareServer, enforces: boolean) {
    this.#server = server
    this.#enforces = enforces
  }

  /** `enforces`: do operators enforce ResourceQuotas, rather than the API server? */
  static async start(server: BareServer, enforces: boolean): Promise<UpgradeLoad> {
    const load = new UpgradeLoad(server, enforces)
    await load.#prepare()
    for (const [system, collection, object] of [
      ['custom quotas', mapsIn('up-maps'), (name: string) => map(name)],
      ['custom quotas', mapsIn('up-maps'), (name: string) => map(name)],
      ['global custom quotas', mapsIn('up-others'), (name: string) => map(name)],
      ['global custom quotas', mapsIn('up-others'), (name: string) => map(name)],
      ['ResourceQuotas', templatesIn('up-native'), template],
      ['ResourceQuotas', templatesIn('up-native'), template],
      ['KarmadaQuotas', bindingsIn('up-federated'), binding],
      ['KarmadaQuotas', bindingsIn('up-federated'), binding],
    ] as const)
      load.#run(() => load.#fillAndEmpty(system, collection, object))
    // A claim that is in use cannot be deleted.
    const isUnused = (read: Conditioned): boolean => isTrue(read, 'Bound') === false
    load.#run(() => load.#raise('pools', 'up-pool', 'capsule-pool-up', claimsIn('up-pool'), claim, isUnused))
    load.#run(() => load.#raise('increases', 'up-increased', 'base', increasesIn('up-increased'), increase, () => true))
    return load
  }

  /** Resolves when each system has admitted and refused some more writes. */
  async goesOn(): Promise<void> {
    const before = new Map(this.#answered)
    const rests = (): readonly string[] =>
      [...before]
        .filter(([system, { admitted, refused }]) => {
          const now = this.#answered.get(system)
          return now === undefined || now.admitted < admitted + LIMIT || now.refused <= refused
        })
        .map(([system]) => system)
    await eventually(rests, (systems) => systems.length === 0 || this.wrong.length > 0, {
      what: 'that writes of all systems are decided',
      patienceMs: PATIENCE_MS,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#running)
  }

  async #prepare(): Promise<void> {
    const world = new QuotaWorld(this.#server)
    const sources = [COUNTED_MAPS]
    const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
    await world.namespace('up-pool')
    for (const namespace of ['up-maps', 'up-others']) await world.namespace(namespace, 'up-global')
    await world.namespace('up-native')
    await world.namespace('up-federated')
    await new IncreaseWorld(this.#server).namespace('up-increased', { upgrade: 'increased' })
    await world.pool('up', { [COUNTED]: String(2 * LIMIT) }, { config: { defaultsZero: true } }, 'up-pool')
    await world.claim('up-pool', 'first', { [COUNTED]: String(LIMIT) })
    await world.quota('up-maps', 'own', { limit: String(LIMIT), sources, scopeSelectors })
    const namespaceSelectors = [{ matchLabels: { pool: 'up-global' } }]
    const limit = String(2 * LIMIT - 1)
    await world.quota(undefined, 'up-all', { limit, sources, scopeSelectors, namespaceSelectors })
    await world.create(quotasIn('up-native'), {
      metadata: { name: 'own' },
      spec: { hard: { [COUNTED]: String(LIMIT) } },
    })
    await new KarmadaWorld(this.#server).quota('up-federated', 'own', { cpu: String(LIMIT) })
    for (const [namespace, name] of [
      ['up-pool', 'capsule-pool-up'],
      ['up-increased', 'base'],
      ['up-native', 'own'],
    ] as const) {
      await this.#limit(namespace, name, LIMIT)
      if (this.#enforces) await this.#until(LEDGERS, (ledgers) => isOpen(ledgerOf(ledgers, namespace, name)))
    }
  }

  #run(work: () => Promise<void>): void {
    const { signal } = this.#abort
    const loop = async (): Promise<void> => {
      while (!signal.aborted) await work()
    }
    this.#running.push(
      loop().catch((error: unknown) => {
        if (!signal.aborted) this.wrong.push(String(error))
      }),
    )
  }

  /** Creates until a quota refuses, and deletes what it has created. */
  async #fillAndEmpty(system: System, collection: string, object: (name: string) => object): Promise<void> {
    const made: string[] = []
    for (;;) {
      const name = `o${this.#next++}`
      const outcome = await this.#send(system, 'POST', collection, object(name))
      if (outcome === 'admitted') made.push(name)
      else if (outcome === 'refused') break
    }
    for (const name of made) await this.#send(undefined, 'DELETE', `${collection}/${name}`)
    await this.#rest()
  }

  /** Raises a quota, fills it, empties it, and takes back what has raised it. */
  async #raise(
    system: System,
    namespace: string,
    quota: string,
    raises: string,
    raise: (name: string) => object,
    mayGo: (raise: Conditioned) => boolean,
  ): Promise<void> {
    const name = `r${this.#next++}`
    await this.#send(undefined, 'POST', raises, raise(name))
    await this.#limit(namespace, quota, 2 * LIMIT)
    await this.#fillAndEmpty(system, templatesIn(namespace), template)
    // Where allot enforces it, the status shows what its ledger contains, and the ledger may learn of the deletions last.
    if (this.#enforces)
      await this.#until(LEDGERS, (ledgers) => {
        const { allocated = {} } = ledgerOf(ledgers, namespace, quota)?.status?.resourceQuota ?? {}
        return Object.values(allocated).every((amount) => amount === '0')
      })
    await this.#until(`${quotasIn(namespace)}/${quota}`, ({ status }) => status?.used?.[COUNTED] === '0')
    await this.#until(`${raises}/${name}`, mayGo)
    await this.#send(undefined, 'DELETE', `${raises}/${name}`)
    await this.#limit(namespace, quota, LIMIT)
    await this.#fillAndEmpty(system, templatesIn(namespace), template)
  }

  #limit(namespace: string, quota: string, limit: number): Promise<void> {
    return this.#until(`${quotasIn(namespace)}/${quota}`, ({ status }) => status?.hard?.[COUNTED] === String(limit))
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
  async #until(path: string, isGood: (object: any) => boolean): Promise<void> {
    const { signal } = this.#abort
    await eventually(
      () => this.#server.send('GET', path),
      ({ status, json }) => signal.aborted || (status === 200 && isGood(json)),
      { what: path, patienceMs: PATIENCE_MS },
    )
  }

  /** Sends a request, and again as long as the answer asks for that. `system`: whose quota may refuse it. */
  async #send(
    system: System | undefined,
    method: string,
    path: string,
    body?: object,
  ): Promise<'admitted' | 'refused'> {
    const { signal } = this.#abort
    for (;;) {
      const answer = await this.#server.send(method, path, body)
      const outcome = outcomeOf(answer, system !== undefined)
      if (outcome === 'wrong') this.wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`)
      else if (outcome !== 'again') {
        if (system !== undefined) this.#count(system, outcome)
        return outcome
      }
      if (signal.aborted || this.wrong.length > 0) throw new Error(`${method} ${path} was not decided`)
      await this.#rest()
    }
  }

  #count(system: System, outcome: 'admitted' | 'refused'): void {
    const { admitted, refused } = this.#answered.get(system) ?? { admitted: 0, refused: 0 }
    this.#answered.set(
      system,
      outcome === 'admitted' ? { admitted: admitted + 1, refused } : { admitted, refused: refused + 1 },
    )
  }

  /** A load is no flood. */
  async #rest(): Promise<void> {
    await sleep(REST_MS)
  }
}

function outcomeOf({ status, text }: Answer, mayBeRefused: boolean): 'admitted' | 'refused' | 'again' | 'wrong' {
  if (status < 300) return 'admitted'
  if (status === 403 && mayBeRefused && QUOTA_WORDS.test(text)) return 'refused'
  // 409: Kubernetes' plugin has lost the race for the status of a ResourceQuota.
  if (status === 429 || (status === 409 && text.includes('on resourcequotas'))) return 'again'
  return 'wrong'
}

const ledgerOf = (
  { items }: { readonly items: readonly Ledger[] },
  namespace: string,
  name: string,
): Ledger | undefined =>
  items.find(({ spec: { targetRef } }) => targetRef.namespace === namespace && targetRef.name === name)

const isOpen = (ledger: Ledger | undefined): boolean => ledger?.status?.outstanding !== undefined

const binding = (name: string): object => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { name },
  spec: deployed({ requests: { cpu: '1' }, replicas: 1 }),
})
const claim = (name: string): object => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePoolClaim',
  metadata: { name },
  spec: { pool: 'up', claim: { [COUNTED]: String(LIMIT) } },
})
const increase = (name: string): object => ({
  apiVersion: 'openmcp.cloud/v1alpha1',
  kind: 'QuotaIncrease',
  metadata: { name },
  spec: { hard: { [COUNTED]: String(2 * LIMIT) } },
})
