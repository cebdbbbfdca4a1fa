import { Agent } from 'undici'
import { guardedPath } from '../../../src/operator/webhook/key/guarded-path.ts'
import { WEBHOOK_KEY_SECRET } from '../../../src/install/installed-names.ts'
import type { KeyPair } from '../../../src/runtime/certificate/check.ts'
import type { PoolWorld } from '../pool-objects.ts'

const CONFIGURATIONS = ['mutating', 'validating'].map(
  (phase) => `/apis/admissionregistration.k8s.io/v1/${phase}webhookconfigurations`,
)

/** A webhook as a stored configuration names it. */
export interface StoredHook {
  readonly name: string
  readonly origin: string
  /** As API servers ask for it. */
  readonly path: string
  /** The path without what nobody can guess. */
  readonly bare: string
}

/** The webhooks of allot that stand in the configurations, which have URLs. */
export async function storedHooks(world: PoolWorld): Promise<readonly StoredHook[]> {
  const lists = await Promise.all(CONFIGURATIONS.map((path) => world.read(path)))
  return lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.name.startsWith('allot'))
    .flatMap(({ webhooks = [] }) => webhooks)
    .map(({ name, clientConfig }) => {
      const { origin, pathname } = new URL(clientConfig.url)
      return { name, origin, path: pathname, bare: pathname.replace(/\/[^/]*$/, '') }
    })
}

/** The path at which API servers ask for the webhook of a path, by the key in the Secret. */
export async function askedPath(world: PoolWorld, path: string): Promise<string> {
  const { data } = await world.read(`/api/v1/namespaces/allot-system/secrets/${WEBHOOK_KEY_SECRET}`)
  return guardedPath(path, Buffer.from(data.current, 'base64'))
}

/** Has the stored configurations lead to paths that anybody can guess, as operators of earlier versions write them. */
export async function forgetParts(world: PoolWorld): Promise<void> {
  for (const path of CONFIGURATIONS)
    for (const configuration of (await world.read(path)).items) {
      const { name } = configuration.metadata
      if (!name.startsWith('allot')) continue
      const webhooks = configuration.webhooks.map((hook: { readonly clientConfig: { readonly url: string } }) => ({
        ...hook,
        clientConfig: { ...hook.clientConfig, url: hook.clientConfig.url.replace(/\/[^/]*$/, '') },
      }))
      const { status, text } = await world.server.send('PUT', `${path}/${name}`, { ...configuration, webhooks })
      if (status !== 200) throw new Error(text)
    }
}

/** The answer to a call of a webhook. */
export interface CallAnswer {
  readonly status: number
  readonly text: string
}

/** Anybody who can reach a port. */
export class Anybody implements AsyncDisposable {
  readonly #agent: Agent

  /** `client`: the certificate that is presented; left out: none. `localAddress`: where it is, on loopback. */
  constructor(client?: KeyPair, localAddress = '127.0.0.1') {
    const presented = client === undefined ? {} : { cert: client.certificate, key: client.key }
    this.#agent = new Agent({ connect: { rejectUnauthorized: false, ...presented }, localAddress, connections: 8 })
  }

  /** The path goes out as it is. */
  async post(
    origin: string,
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CallAnswer> {
    const answer = await this.#agent.request({
      origin,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }
}

/** An AdmissionReview as an API server sends it. */
export const reviewOf = (request: object): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', userInfo: { username: 'anybody', groups: ['system:authenticated'] }, ...request },
  })
