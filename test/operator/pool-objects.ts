import type { BareServer } from '../bare-server.ts'
import { eventually } from '../eventually.ts'
import type { Answer } from '../start-allot.ts'

export const GROUP = '/apis/capsule.clastix.io/v1beta2'
export const POOLS = `${GROUP}/resourcepools`
export const claimsIn = (namespace: string): string => `${GROUP}/namespaces/${namespace}/resourcepoolclaims`
export const quotasIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/resourcequotas`
export const podsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`

export const MERGE = { 'content-type': 'application/merge-patch+json' }

type Amounts = Readonly<Record<string, string>>
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
type Read = any

/** The steps of tests with pools, over one server. */
export class PoolWorld {
  readonly server: BareServer

  constructor(server: BareServer) {
    this.server = server
  }

  async create(path: string, object: object): Promise<Read> {
    return answered(await this.settled('POST', path, object), 201)
  }

  /** The answer to a request, which is repeated as long as it is to be tried again, as clients do. */
  async settled(
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return await eventually(
      () => this.server.send(method, path, body, headers),
      ({ status }) => status !== 429,
      { what: `an answer to ${method} ${path}` },
    )
  }

  async patch(path: string, body: object): Promise<Read> {
    return answered(await this.settled('PATCH', path, body, MERGE), 200)
  }

  async delete(path: string): Promise<void> {
    answered(await this.server.send('DELETE', path), 200, 202)
  }

  async read(path: string): Promise<Read> {
    return answered(await this.server.send('GET', path), 200)
  }

  /** Asks until there is an object that satisfies `test`. */
  async until(path: string, test: (object: Read) => boolean): Promise<Read> {
    return (await this.server.until(path, ({ status, json }) => status === 200 && test(json))).json
  }

  async untilGone(path: string): Promise<void> {
    await this.server.until(path, ({ status }) => status === 404)
  }

  /** Resolves when the user of these headers may read a path: a real API server learns of new roles and bindings a moment later. */
  async untilAllowed(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    await eventually(
      () => this.server.send('GET', path, undefined, headers),
      ({ status }) => status === 200,
    )
  }

  /** `pool`: the value of the label by which pools of that name select it. */
  async namespace(name: string, pool = name): Promise<void> {
    await this.create('/api/v1/namespaces', { metadata: { name, labels: { pool } } })
  }

  async label(namespace: string, pool: string): Promise<void> {
    await this.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels: { pool } } })
  }

  /**
   * A pool that selects the namespaces labelled with its name, or with `selects`. Resolves when the operator has looked at it:
   * only then do the operator's webhooks know it.
   */
  async pool(name: string, hard: Amounts, more: object = {}, selects = name): Promise<Read> {
    const spec = { selectors: [{ matchLabels: { pool: selects } }], quota: { hard }, ...more }
    await this.create(POOLS, {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name },
      spec,
    })
    return await this.until(`${POOLS}/${name}`, ({ status }) => (status?.conditions ?? []).length > 0)
  }

  async claim(namespace: string, name: string, claim: Amounts, pool = ''): Promise<Read> {
    const metadata = { name, namespace }
    const kind = 'ResourcePoolClaim'
    return await this.create(claimsIn(namespace), {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind,
      metadata,
      spec: { pool, claim },
    })
  }

  async pod(namespace: string, name: string, requests: Amounts): Promise<void> {
    const containers = [{ name: 'c', image: 'i', resources: { requests } }]
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } }
    // A real server makes the account of a new namespace, and its token, with a delay.
    await eventually(
      () => this.server.send('POST', podsIn(namespace), pod),
      ({ status }) => status === 201,
    )
  }

  /** Waits until the claim has its part of a pool. */
  async allocated(namespace: string, name: string): Promise<Read> {
    return await this.until(`${claimsIn(namespace)}/${name}`, (claim) => isTrue(claim, 'Exhausted') === false)
  }

  /** Waits until the object is not ready, and says so in these words, for what is known first may be less; gives the reason. */
  async notReady(path: string, words: string): Promise<string | undefined> {
    const object = await this.until(path, (read) => {
      const { status, message = '' } = condition(read, 'Ready') ?? {}
      return status === 'False' && message.includes(words)
    })
    return condition(object, 'Ready')?.reason
  }

  /** The status of a refusal, and what it says. */
  async refused(method: string, path: string, body?: object): Promise<string> {
    const answer = await this.server.send(method, path, body, body === undefined ? {} : MERGE)
    return answered(answer, 403).message
  }
}

/** The body of an answer that has one of these statuses. */
function answered({ status, text, json }: Answer, ...statuses: readonly number[]): Read {
  if (!statuses.includes(status)) throw new Error(`the answer was to be ${statuses.join(' or ')}: ${status} ${text}`)
  return json
}

export interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
    }[]
  }
}

/** The condition of a type; undefined while there is none. */
export const condition = ({ status }: Conditioned, type: string) => status?.conditions?.find((one) => one.type === type)

/** Does the condition hold? Undefined while there is none. */
export function isTrue(object: Conditioned, type: string): boolean | undefined {
  const found = condition(object, type)
  return found === undefined ? undefined : found.status === 'True'
}
