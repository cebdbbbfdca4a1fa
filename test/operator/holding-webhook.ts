import { TlsServer } from '../kube/tls-server.ts'

export const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** A webhook that answers only when it is let go, so that requests stay in flight that allot has allowed. */
export class Holder implements AsyncDisposable {
  /** For creates of objects with the label `held`. */
  readonly configuration: object
  readonly #server: TlsServer
  readonly #held: (() => void)[]

  private constructor(configuration: object, server: TlsServer, held: (() => void)[]) {
    this.configuration = configuration
    this.#server = server
    this.#held = held
  }

  /** `name`: of the configuration; `group` and `resource`: of the objects. */
  static async start(name: string, group: string, resource: string): Promise<Holder> {
    const held: (() => void)[] = []
    const server = await TlsServer.start((_, response, body) => {
      const uid = /"uid":"([^"]+)"/.exec(body)?.[1] ?? ''
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }
      held.push(() => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review)))
    })
    const configuration = {
      metadata: { name },
      webhooks: [
        {
          name,
          clientConfig: { url: server.url, caBundle: Buffer.from(server.authority.certificate).toString('base64') },
          rules: [{ apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['CREATE'] }],
          objectSelector: { matchLabels: { held: 'yes' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Ignore',
          timeoutSeconds: 30,
        },
      ],
    }
    return new Holder(configuration, server, held)
  }

  /** How many requests it holds. */
  get holds(): number {
    return this.#held.length
  }

  letGo(): void {
    for (const answer of this.#held.splice(0)) answer()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]()
  }
}
