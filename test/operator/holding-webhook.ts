import type { ServerResponse } from 'node:http'
import { eventually } from '../eventually.ts'
import { TlsServer } from '../kube/tls-server.ts'
import type { PoolWorld } from './pool-objects.ts'

export const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** The objects whose creates a holder keeps waiting. */
interface HeldResource {
  readonly group: string
  readonly resource: string
}

const CONFIG_MAPS: HeldResource = { group: '', resource: 'configmaps' }

type World = Pick<PoolWorld, 'create' | 'delete'>

interface Held {
  readonly namespace: string
  readonly answer: () => void
}

/**
 * A webhook that answers only when it is let go, so that requests stay in flight that allot has allowed: creates of objects whose label
 * `held` has its name. API servers ask all webhooks at once: a request that it holds may be one that allot has not been asked about
 * yet, and one that allot has allowed may come here later.
 */
export class Holder implements AsyncDisposable {
  readonly #world: World
  readonly #name: string
  readonly #resource: HeldResource
  readonly #server: TlsServer
  #held: readonly Held[] = []
  /** The namespaces whose requests go on. */
  readonly #free = new Set<string>()
  #isOpen = false

  private constructor(world: World, name: string, resource: HeldResource, server: TlsServer) {
    this.#world = world
    this.#name = name
    this.#resource = resource
    this.#server = server
  }

  static async start(world: World, name: string, resource = CONFIG_MAPS): Promise<Holder> {
    const server = await TlsServer.start((_, response, body) => {
      const [, namespace = ''] = /"namespace":"([^"]+)"/.exec(body) ?? []
      holder.#take({ namespace, answer: () => answer(response, body, true) })
    })
    const holder = new Holder(world, name, resource, server)
    await world.create(HOOKS, holder.#configuration)
    return holder
  }

  get #configuration() {
    return { metadata: { name: this.#name }, webhooks: [webhookFor(this.#name, this.#server, this.#resource)] }
  }

  #take(one: Held): void {
    if (this.#isOpen || this.#free.has(one.namespace)) one.answer()
    else this.#held = [...this.#held, one]
  }

  /** Resolves when it holds so many requests of a namespace. */
  async holds(namespace: string, count: number): Promise<void> {
    const held = (): Promise<number> => Promise.resolve(this.#held.filter((one) => one.namespace === namespace).length)
    await eventually(held, (now) => now === count, { what: `the requests that ${this.#name} holds` })
  }

  /** Lets the requests of a namespace go on, or without one all: those that it holds, and those that come later. */
  letGo(namespace?: string): void {
    if (namespace === undefined) this.#isOpen = true
    else this.#free.add(namespace)
    const isMeant = (one: Held): boolean => namespace === undefined || one.namespace === namespace
    const going = this.#held.filter(isMeant)
    this.#held = this.#held.filter((one) => !isMeant(one))
    for (const { answer } of going) answer()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.letGo()
    await this.#world.delete(`${HOOKS}/${this.#name}`)
    await this.#server[Symbol.asyncDispose]()
  }
}

/** A webhook that refuses creates of ConfigMaps whose label `held` has its name: requests that allot may have allowed. */
export class RefusingWebhook implements AsyncDisposable {
  /** Of its own, so that tests of one server may have one each. */
  readonly name: string
  readonly #world: World
  readonly #server: TlsServer

  private constructor(world: World, server: TlsServer) {
    this.name = `refusing-${new URL(server.url).port}.allot.test`
    this.#world = world
    this.#server = server
  }

  /** Resolves when the API server asks it: it learns of webhooks by a watch. */
  static async start(world: World & Pick<PoolWorld, 'settled'>): Promise<RefusingWebhook> {
    const server = await TlsServer.start((_, response, body) => answer(response, body, false))
    const refusing = new RefusingWebhook(world, server)
    await world.create(HOOKS, {
      metadata: { name: refusing.name },
      webhooks: [webhookFor(refusing.name, server, CONFIG_MAPS)],
    })
    const tried = { metadata: { generateName: 'refused-', labels: { held: refusing.name } } }
    await eventually(
      () => world.settled('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', tried),
      ({ status }) => status === 400,
      { what: `the first refusal of ${refusing.name}` },
    )
    return refusing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.delete(`${HOOKS}/${this.name}`)
    await this.#server[Symbol.asyncDispose]()
  }
}

/** Answers the review in `body`. */
function answer(response: ServerResponse, body: string, allowed: boolean): void {
  const [, uid = ''] = /"uid":"([^"]+)"/.exec(body) ?? []
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review))
}

function webhookFor(name: string, server: TlsServer, { group, resource }: HeldResource): object {
  return {
    name,
    clientConfig: { url: server.url, caBundle: Buffer.from(server.authority.certificate).toString('base64') },
    rules: [{ apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['CREATE'] }],
    objectSelector: { matchLabels: { held: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    timeoutSeconds: 30,
  }
}
