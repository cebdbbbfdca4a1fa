import { Agent } from 'undici'
import type { Operated } from '../operated.ts'

type Kind = 'pool' | 'quota'

interface Event {
  readonly version: bigint
  readonly kind: Kind
  readonly name: string
  readonly pool: string
  readonly gone: boolean
  readonly hard: Readonly<Record<string, string>>
}

/** The objects that it saw of one kind. */
class Sight {
  readonly kind: Kind
  readonly path: string
  readonly events: Event[] = []
  /** The last of each that is there. */
  readonly present = new Map<string, Event>()
  /** Versions after the first and up to the second of which not all were seen: a server that was restarted forgets them. */
  readonly gaps: (readonly [after: bigint, upTo: bigint])[] = []
  /** Where the watch goes on; '' when all is to be read anew. */
  version = ''
  reached: bigint | undefined

  constructor(kind: Kind, path: string) {
    this.kind = kind
    this.path = path
  }

  take(event: Event): void {
    this.events.push(event)
    if (event.gone) this.present.delete(event.name)
    else this.present.set(event.name, event)
  }

  isAt(version: string): void {
    this.version = version
    this.reached = BigInt(version)
  }
}

/** Watches pools and their quotas beside everything, and says whether ever more was allowed than a pool holds. */
export class PoolJudge {
  readonly #sights = [
    new Sight('pool', '/apis/capsule.clastix.io/v1beta2/resourcepools'),
    new Sight('quota', '/api/v1/resourcequotas'),
  ]
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false }, bodyTimeout: 0 })
  readonly #abort = new AbortController()
  readonly #watching: readonly Promise<void>[]
  readonly #token: string
  readonly #url: string

  constructor({ url, token }: Pick<Operated, 'url' | 'token'>) {
    this.#url = url
    this.#token = token
    this.#watching = this.#sights.map((sight) => this.#follow(sight))
  }

  /** How many versions of pools, and of their quotas, it has seen. */
  get seen(): readonly number[] {
    return this.#sights.map(({ events }) => events.length)
  }

  /** One line for each moment at which the limits that admission enforced came to more than the pool held. */
  async verdict(): Promise<readonly string[]> {
    this.#abort.abort()
    await Promise.all(this.#watching)
    await this.#agent.destroy()
    const gaps = this.#sights.flatMap((sight) => sight.gaps)
    const events = this.#sights.flatMap((sight) => sight.events)
    const hard = new Map<string, Readonly<Record<string, string>>>()
    const enforced = new Map<string, Event>()
    const wrongs: string[] = []
    for (const event of events.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
      if (event.kind === 'pool') hard.set(event.name, event.hard)
      else if (event.gone) enforced.delete(event.name)
      else enforced.set(event.name, event)
      if (event.kind !== 'quota' || gaps.some(([after, upTo]) => after < event.version && event.version <= upTo))
        continue
      for (const [resource, limit] of Object.entries(hard.get(event.pool) ?? {})) {
        const sum = [...enforced.values()]
          .filter(({ pool }) => pool === event.pool)
          .reduce((total, { hard: of }) => total + Number(of[resource] ?? 0), 0)
        if (sum > Number(limit)) wrongs.push(`${event.pool} at ${event.version}: ${sum} of ${limit} ${resource}`)
      }
    }
    return wrongs
  }

  async #follow(sight: Sight): Promise<void> {
    while (!this.#abort.signal.aborted) {
      try {
        if (sight.version === '') await this.#read(sight)
        await this.#watch(sight)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  async #read(sight: Sight): Promise<void> {
    const { statusCode, body } = await this.#get(sight.path)
    if (statusCode !== 200) throw new Error(`${sight.path} was answered with ${statusCode}: ${await body.text()}`)
    const { items, metadata } = JSON.parse(await body.text())
    const upTo = BigInt(metadata.resourceVersion)
    const there = new Map<string, Event>()
    for (const item of items) {
      const event = eventOf(sight.kind, 'ADDED', item)
      if (event !== undefined) there.set(event.name, event)
    }
    const gone = [...sight.present.values()].filter(({ name }) => !there.has(name))
    for (const event of gone) sight.take({ ...event, version: upTo, gone: true })
    for (const event of there.values()) if (sight.present.get(event.name)?.version !== event.version) sight.take(event)
    if (sight.reached !== undefined) sight.gaps.push([sight.reached, upTo])
    sight.isAt(metadata.resourceVersion)
  }

  async #watch(sight: Sight): Promise<void> {
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${sight.version}`
    const { statusCode, body } = await this.#get(sight.path + query)
    if (statusCode === 410) sight.version = ''
    if (statusCode !== 200) throw new Error(`${sight.path} was answered with ${statusCode}: ${await body.text()}`)
    let rest = ''
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { type, object } = JSON.parse(line)
        if (type === 'ERROR') {
          sight.version = ''
          return
        }
        const event = type === 'BOOKMARK' ? undefined : eventOf(sight.kind, type, object)
        if (event !== undefined) sight.take(event)
        sight.isAt(object.metadata.resourceVersion)
      }
    }
  }

  #get(path: string) {
    return this.#agent.request({
      origin: this.#url,
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${this.#token}` },
      signal: this.#abort.signal,
    })
  }
}

/** Undefined for a quota that belongs to no pool. */
function eventOf(
  kind: Kind,
  type: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- as the server sent it
  { metadata, spec, status }: any,
): Event | undefined {
  const pool = metadata.labels?.['projectcapsule.dev/pool'] ?? ''
  if (kind === 'quota' && pool === '') return undefined
  return {
    version: BigInt(metadata.resourceVersion),
    kind,
    name: kind === 'pool' ? metadata.name : `${metadata.namespace}/${metadata.name}`,
    pool,
    gone: type === 'DELETED',
    hard: (kind === 'pool' ? spec.quota.hard : status?.hard) ?? {},
  }
}
