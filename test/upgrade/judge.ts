import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import { Quantity } from '../../src/quantity/quantity.ts'
import type { BareServer } from '../bare-server.ts'
import { GLOBAL_QUOTAS } from '../operator/custom-quota/quota-world.ts'
import { GROUP } from '../operator/pool-objects.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
type Read = any

/** A kind of quota: where it is, and the amounts that its status shows. */
interface Watched {
  readonly path: string
  readonly amounts: (status: Read, spec: Read) => { readonly used: Read; readonly hard: Read }
}

const amountsOfList = (status: Read): { readonly used: Read; readonly hard: Read } => ({
  used: status?.used ?? {},
  hard: status?.hard ?? {},
})
const amountOfUsage = (status: Read, spec: Read): { readonly used: Read; readonly hard: Read } => ({
  used: { limit: status?.usage?.used ?? '0' },
  hard: { limit: spec.limit },
})
const QUOTAS: readonly Watched[] = [
  { path: '/api/v1/resourcequotas', amounts: amountsOfList },
  { path: '/apis/quota.karmada.io/v1alpha1/karmadaquotas', amounts: amountsOfList },
  { path: `${GROUP}/customquotas`, amounts: amountOfUsage },
  { path: GLOBAL_QUOTAS, amounts: amountOfUsage },
]

const EXPIRED = 410

/** Watches quotas, and objects of which a limit is never changed, and says at which versions there was more than the limit. */
export class UpgradeJudge implements AsyncDisposable {
  readonly #server: BareServer
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false }, bodyTimeout: 0 })
  readonly #abort = new AbortController()
  readonly #watching: Promise<void>[] = []
  readonly #wrong: string[] = []
  #seen = 0

  private constructor(server: BareServer) {
    this.#server = server
  }

  /** `counted`: the objects at these paths, with how many of them there may be. */
  static async start(server: BareServer, counted: Readonly<Record<string, number>>): Promise<UpgradeJudge> {
    const judge = new UpgradeJudge(server)
    for (const { path, amounts } of QUOTAS)
      await judge.#follow(path, (_, object) => {
        const { used, hard } = amounts(object.status, object.spec)
        for (const [name, amount] of Object.entries(used))
          if (name in hard && Quantity.fromJson(amount).cmp(Quantity.fromJson(hard[name])) > 0)
            judge.#wrong.push(
              `${path} ${object.metadata.name} at ${object.metadata.resourceVersion}: ${String(amount)} of ${hard[name]} ${name}`,
            )
      })
    for (const [path, most] of Object.entries(counted)) {
      const present = new Set<string>()
      await judge.#follow(path, (type, { metadata }) => {
        const key = `${metadata.namespace}/${metadata.name}`
        if (type === 'DELETED') present.delete(key)
        else present.add(key)
        if (present.size > most) judge.#wrong.push(`${path} at ${metadata.resourceVersion}: ${present.size} of ${most}`)
      })
    }
    return judge
  }

  /** How many states of objects it has seen. */
  get seen(): number {
    return this.#seen
  }

  /** Each moment at which there was more than a limit, and each watch that ended. */
  get wrong(): readonly string[] {
    return this.#wrong
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#watching)
    await this.#agent.destroy()
  }

  async #follow(path: string, take: (type: string, object: Read) => void): Promise<void> {
    const known = new Map<string, Read>()
    const taken = (type: string, object: Read): void => {
      this.#seen++
      if (type === 'DELETED') known.delete(object.metadata.uid)
      else known.set(object.metadata.uid, object)
      take(type, object)
    }
    let version = ''
    const list = async (): Promise<void> => {
      const { status, json } = await this.#server.send('GET', path)
      if (status !== 200) throw new Error(`${path} was answered with ${status}`)
      const uids = new Set(json.items.map(({ metadata }: Read) => metadata.uid))
      for (const [uid, object] of known) if (!uids.has(uid)) taken('DELETED', object)
      for (const object of json.items) taken('ADDED', object)
      version = json.metadata.resourceVersion
    }
    await list()
    const read = async (body: Readable): Promise<void> => {
      let rest = ''
      for await (const chunk of body.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const { type, object } = JSON.parse(line)
          // An API server whose definition of the kind has changed remembers nothing of before.
          if (type === 'ERROR' && object.code === EXPIRED) return list()
          if (type === 'ERROR') throw new Error(line)
          version = object.metadata.resourceVersion
          taken(type, object)
        }
      }
    }
    const first = await this.#watch(path, version)
    const follow = async (): Promise<void> => {
      await read(first)
      // An API server ends the watches of a kind whose definition changes, as an upgrade changes it.
      while (path.startsWith('/apis/')) await read(await this.#watch(path, version))
    }
    this.#watching.push(
      follow().then(
        () => void this.#wrong.push(`the watch of ${path} ended`),
        (error: unknown) => {
          if (!this.#abort.signal.aborted) this.#wrong.push(`the watch of ${path} broke: ${String(error)}`)
        },
      ),
    )
  }

  async #watch(path: string, version: string): Promise<Readable> {
    const [place, query = ''] = path.split('?')
    const { statusCode, body } = await this.#agent.request({
      origin: this.#server.url,
      method: 'GET',
      path: `${place}?watch=true&resourceVersion=${version}&timeoutSeconds=86400&${query}`,
      headers: { authorization: `Bearer ${this.#server.token}` },
      signal: this.#abort.signal,
    })
    if (statusCode !== 200) throw new Error(`the watch of ${path} was answered with ${statusCode}`)
    return body
  }
}
