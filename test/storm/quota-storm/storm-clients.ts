import { Pool } from 'undici'
import type { BareServer } from '../../operator/operated.ts'
import { map, mapsIn } from '../../operator/custom-quota/quota-world.ts'
import type { SeededRandom } from '../../seeded-random.ts'

export interface StormClientsOptions {
  readonly random: SeededRandom
  readonly clients: number
  /** Each as often as it stands here. */
  readonly namespaces: readonly string[]
  /** Objects are created under so many names in each namespace. */
  readonly names: number
  readonly largest: number
  /** Called with each answer, in the order in which they come. */
  readonly answered: (answer: StormAnswer) => void
}

export interface StormAnswer {
  readonly action: Action
  readonly namespace: string
  /** 0 where the connection ended. */
  readonly status: number
  readonly text: string
}

const ACTIONS = { create: 10, resize: 5, relabel: 1, remove: 4 } as const
export type Action = keyof typeof ACTIONS

const MERGE = 'application/merge-patch+json'

/** Clients that create, patch and delete config maps of mixed size as fast as they are answered, and try nothing twice. */
export class StormClients implements AsyncDisposable {
  readonly #options: StormClientsOptions
  readonly #pool: Pool
  readonly #token: string
  /** The names that were created and not deleted since, by namespace: what is patched and deleted are mostly those. */
  readonly #created = new Map<string, Set<string>>()

  constructor({ url, token }: BareServer, options: StormClientsOptions) {
    this.#options = options
    this.#token = token
    this.#pool = new Pool(url, { connections: options.clients, connect: { rejectUnauthorized: false }, allowH2: false })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy()
  }

  /** Resolves after so many operations of all clients together. */
  async run(operations: number): Promise<void> {
    let left = operations
    const work = async (): Promise<void> => {
      while (left-- > 0) await this.#act()
    }
    await Promise.all(Array.from({ length: this.#options.clients }, work))
  }

  async #act(): Promise<void> {
    const { random, namespaces, names, largest, answered } = this.#options
    const action = random.weighted(ACTIONS)
    const namespace = random.pick(namespaces)
    const created = this.#created.get(namespace) ?? new Set()
    this.#created.set(namespace, created)
    const isKnown = action !== 'create' && created.size > 0 && random.chance(0.9)
    const name = isKnown ? random.pick([...created]) : `m${random.between(1, names)}`
    const size = random.between(1, largest)
    const counted = random.chance(0.7) ? 'yes' : 'no'
    const at = `${mapsIn(namespace)}/${name}`
    const { status, text } = await {
      create: () => this.#send('POST', mapsIn(namespace), map(name, size)),
      resize: () => this.#send('PATCH', at, { data: { size: String(size) } }),
      relabel: () => this.#send('PATCH', at, { metadata: { labels: { counted } } }),
      remove: () => this.#send('DELETE', at),
    }[action]()
    if (status === 201) created.add(name)
    else if (action === 'remove' && (status === 200 || status === 404)) created.delete(name)
    answered({ action, namespace, status, text })
  }

  async #send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const answer = await this.#pool.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { 'content-type': method === 'PATCH' ? MERGE : 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      return { status: answer.statusCode, text: await answer.body.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }
}
