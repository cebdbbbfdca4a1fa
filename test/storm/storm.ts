import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { Reply } from '../api-client.ts'
import { type Arena, mustCreate, untilSettled } from '../arena.ts'
import { SeededRandom, soak } from '../seeded-random.ts'
import { amount, amounts, specOf } from './expected-usage.ts'
import { collectionPath, miscounted, Observer } from './observer.ts'
import type { QuotaSpec, Scenario } from './storm-scenario.ts'

export interface StormOptions {
  readonly arena: Arena
  readonly scenario: Scenario
  readonly namespace: string
  readonly seed: number
  /** Clients leave some requests before they are answered. */
  readonly cancellations?: boolean
  /** The server is killed and started again in the middle. */
  readonly kill?: boolean
}

export interface StormResult {
  /** How many requests were answered, by operation and code. */
  readonly answers: Readonly<Record<string, number>>
  readonly events: number
  readonly wrong: readonly string[]
}

type Operation = 'create' | 'duplicate' | 'remove' | 'change' | 'dryRun' | 'wrong' | 'race'

const CLIENTS = 64
const OPERATIONS = soak ? 30 : 10
const CREATES: Readonly<Partial<Record<Operation, number>>> = { create: 7, duplicate: 1, dryRun: 1, wrong: 1, race: 1 }
const MIXED: Readonly<Partial<Record<Operation, number>>> = {
  create: 6,
  duplicate: 1,
  dryRun: 1,
  wrong: 1,
  race: 1,
  remove: 3,
  change: 3,
}
/** The allowed answers of each operation, besides a refusal by quota where it could cost something. */
const EXPECTED: Readonly<Record<Operation, readonly number[]>> = {
  create: [201],
  duplicate: [201, 409],
  race: [201, 409],
  dryRun: [201],
  wrong: [400, 422],
  remove: [200, 404],
  change: [200, 404],
}

/** One round: 64 clients at once against the quotas of a fresh namespace. Throws when something cannot be explained. */
export async function storm(options: StormOptions): Promise<StormResult> {
  const { arena, scenario, namespace } = options
  const random = new SeededRandom(options.seed)
  await mustCreate(arena.client, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  for (const quota of scenario.quotas(random))
    await mustCreate(arena.client, collectionPath('resourcequotas', namespace), quotaObject(quota))
  const round = new Round(options)
  const observer = await Observer.start(arena.client, namespace, [scenario.resource])
  const calm = new AbortController()
  const nuisance =
    scenario.limitsChange === true
      ? round.changeLimits(new SeededRandom(random.between(0, 1e9)), calm.signal)
      : Promise.resolve()
  const killing = options.kill === true ? killSoon(arena, observer, random.between(20, 400)) : Promise.resolve()
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    round.client(index, new SeededRandom(random.between(0, 1e9))),
  )
  await Promise.all(clients)
  calm.abort()
  await Promise.all([nuisance, killing])
  let lists = await observer.catchUp()
  await untilSettled(async () => {
    lists = await observer.catchUp()
    return miscounted(lists)
  })
  const { events, wrong } = observer.replay(lists)
  await observer.stop()
  return { answers: round.answers, events, wrong: [...round.wrong, ...wrong, ...round.compare(lists)] }
}

async function killSoon(arena: Arena, observer: Observer, milliseconds: number): Promise<void> {
  await sleep(milliseconds)
  await arena.killAndRestart()
  await observer.resume()
}

class Round {
  readonly answers: Record<string, number> = {}
  readonly wrong: string[] = []
  readonly #options: StormOptions
  readonly #path: string
  readonly #known: string[] = []
  #unknown = 0

  constructor(options: StormOptions) {
    this.#options = options
    this.#path = collectionPath(options.scenario.resource, options.namespace)
  }

  async client(index: number, random: SeededRandom): Promise<void> {
    const { onlyCreates } = this.#options.scenario
    for (let n = 0; n < OPERATIONS; n++) {
      const operation = random.weighted(onlyCreates === true ? CREATES : MIXED)
      await this.#attempt(operation, (signal) => this.#perform(operation, `${index}-${n}`, random, signal), random)
    }
  }

  /** Runs one request. Where its connection broke with the server, or was broken on purpose, nothing is known of it. */
  async #attempt(
    operation: Operation,
    perform: (signal?: AbortSignal) => Promise<Reply | undefined>,
    random: SeededRandom,
  ): Promise<void> {
    const cancel =
      this.#options.cancellations === true && random.chance(0.15)
        ? AbortSignal.timeout(random.between(0, 12))
        : undefined
    const kills = this.#options.arena.kills
    try {
      const reply = await perform(cancel)
      if (reply !== undefined) this.#judge(operation, reply)
    } catch (error) {
      this.#unknown++
      if (cancel?.aborted === true) return
      await this.#options.arena.whenUp()
      if (this.#options.kill !== true || (kills === this.#options.arena.kills && kills === 0)) throw error
    }
  }

  async #perform(
    operation: Operation,
    id: string,
    random: SeededRandom,
    signal?: AbortSignal,
  ): Promise<Reply | undefined> {
    const { arena, scenario } = this.#options
    const { client } = arena
    const more = signal === undefined ? {} : { signal }
    const post = (object: object, query = ''): Promise<Reply> => client.send('POST', this.#path + query, object, more)
    switch (operation) {
      case 'create': {
        const reply = await post(scenario.object(random, `c-${id}`))
        if (reply.code === 201) this.#known.push(`c-${id}`)
        return reply
      }
      case 'duplicate':
        return this.#known.length === 0 ? undefined : await post(scenario.object(random, random.pick(this.#known)))
      case 'race':
        return await post(scenario.object(random, `race-${random.between(0, 5)}`))
      case 'dryRun':
        return await post(scenario.object(random, `dry-${id}`), '?dryRun=All')
      case 'wrong':
        return await post(scenario.wrong(random, `wrong-${id}`))
      case 'remove': {
        if (this.#known.length === 0) return undefined
        const [name] = this.#known.splice(random.between(0, this.#known.length - 1), 1)
        const path = `${this.#path}/${name}`
        if (scenario.protected === true) await client.patch(path, { metadata: { finalizers: null } }, signal)
        return await client.send('DELETE', path, undefined, more)
      }
      case 'change': {
        if (this.#known.length === 0 || scenario.change === undefined) return undefined
        const path = `${this.#path}/${random.pick(this.#known)}`
        const current = await client.send('GET', path, undefined, more)
        if (current.code !== 200) return current
        const change = scenario.change(random, current.object)
        return await client.patch(path + change.path, change.patch, signal)
      }
      default:
        return operation satisfies never
    }
  }

  #judge(operation: Operation, { code, text }: Reply): void {
    const key = `${operation} ${code}`
    this.answers[key] = (this.answers[key] ?? 0) + 1
    if (code === 403 && operation !== 'remove') {
      const problem = refusalProblem(text)
      if (problem !== undefined) this.wrong.push(`${operation}: ${problem}: ${text}`)
    } else if (code === 422 && operation === 'change' && MAY_NOT_CHANGE.test(text)) return
    else if (!EXPECTED[operation].includes(code)) this.wrong.push(`${operation} was answered with ${code}: ${text}`)
  }

  /** Raises and lowers limits, and deletes quotas and makes them again, until the storm is over. */
  async changeLimits(random: SeededRandom, calm: AbortSignal): Promise<void> {
    const { arena, scenario, namespace } = this.#options
    const path = collectionPath('resourcequotas', namespace)
    while (!calm.aborted) {
      const quota = random.pick(scenario.quotas(random))
      try {
        if (random.chance(0.2)) {
          await arena.client.send('DELETE', `${path}/${quota.name}`)
          if (random.chance(0.5)) await sleep(random.between(0, 10))
          await arena.client.send('POST', path, quotaObject(quota))
        } else await arena.client.patch(`${path}/${quota.name}`, { spec: { hard: quota.hard } })
      } catch {
        await arena.whenUp()
      }
      await sleep(random.between(0, 15))
    }
    for (const quota of scenario.quotas(random)) await arena.client.send('POST', path, quotaObject(quota))
  }

  /** The objects that the storm should have left behind. */
  compare(lists: ReadonlyMap<string, readonly KubeObject[]>): readonly string[] {
    const { scenario } = this.#options
    const objects = lists.get(scenario.resource) ?? []
    const ghosts = objects
      .filter(({ metadata }) => /^(dry|wrong)-/.test(metadata.name ?? ''))
      .map(({ metadata }) => `${metadata.name} should not exist`)
    if (scenario.onlyCreates !== true || this.#unknown > 0) return ghosts
    const [quota] = lists.get('resourcequotas') ?? []
    const room = Math.min(...[...amounts(specOf(quota!).hard).values()].map((value) => Number(value / 1000n)))
    return objects.length === room ? ghosts : [...ghosts, `${objects.length} objects got in where ${room} fit`]
  }
}

/** Changes that Kubernetes forbids whatever the quota: a pod that has an end may only get a nearer one, claims never shrink. */
const MAY_NOT_CHANGE =
  /activeDeadlineSeconds|less than|immutable|may not change|cannot be changed|must be bound|finished|is forbidden|Forbidden/i

/** Returns the error of a refusal: it must be a 403 that names each quota that refused, with numbers that do not fit. */
function refusalProblem(text: string): string | undefined {
  const { kind, status, reason, code, message = '' } = JSON.parse(text) as Readonly<Record<string, string | number>>
  if (kind !== 'Status' || status !== 'Failure' || reason !== 'Forbidden' || code !== 403) return 'no proper Status'
  const [, all = ''] = / is forbidden: (.+)$/.exec(String(message)) ?? []
  const refusals = all.split(/; (?=(?:exceeded|failed) quota: )/)
  return refusals.map(oneRefusalProblem).find((problem) => problem !== undefined)
}

function oneRefusalProblem(refusal: string): string | undefined {
  if (/^failed quota: [\w-]+: must specify [\w.,:; -]+$/.test(refusal)) return undefined
  const [, requested = '', used = '', limited = ''] =
    /^exceeded quota: [\w-]+, requested: (.+), used: (.+), limited: (.+)$/.exec(refusal) ?? []
  const [more, before, limits] = [requested, used, limited].map(listed) as [
    Map<string, bigint>,
    Map<string, bigint>,
    Map<string, bigint>,
  ]
  if (more.size === 0) return 'no quota is named'
  const fits = [...more].filter(([name, value]) => value + (before.get(name) ?? 0n) <= (limits.get(name) ?? 0n))
  return fits.length === 0 ? undefined : `what was refused fits: ${fits.map(([name]) => name).join(',')}`
}

const listed = (text: string): Map<string, bigint> =>
  new Map(
    text
      .split(',')
      .filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')), amount(part.slice(part.indexOf('=') + 1))]),
  )

function quotaObject({ name, hard, scopes, scopeSelector }: QuotaSpec): object {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: {
      hard,
      ...(scopes === undefined ? {} : { scopes }),
      ...(scopeSelector === undefined ? {} : { scopeSelector }),
    },
  }
}
