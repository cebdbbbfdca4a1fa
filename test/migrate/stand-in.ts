import type { Answer } from '../start-allot.ts'
import type { BareServer } from '../bare-server.ts'
import { PodProcess } from '../install/pod-process.ts'
import { json, TlsServer } from '../kube/tls-server.ts'
import { created } from '../operator/operator-account.ts'
import { MERGE, podsIn } from '../operator/pool-objects.ts'
import type { TcpBalancer } from '../operator/tcp-balancer.ts'

const LOOK_MS = 200

export const deploymentPath = (namespace: string, name: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`

/** Creates a Deployment that is never more than an image's name. */
export async function deploy(
  server: BareServer,
  {
    namespace,
    name,
    image,
    replicas,
    volumes = [],
  }: Record<'namespace' | 'name' | 'image', string> & {
    readonly replicas: number
    readonly volumes?: readonly object[]
  },
): Promise<void> {
  const labels = { 'app.kubernetes.io/name': name }
  await created(server, deploymentPath(namespace, name).replace(/\/[^/]+$/, ''), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'manager', image }], volumes } },
    },
  })
}

/** Answers the webhooks of a peer while it has replicas, as the peer does: it refuses what carries the label `counted`. */
export async function peerWebhooks(isAlive: () => boolean): Promise<TlsServer> {
  return await TlsServer.start((_request, response, body) => {
    if (!isAlive()) return json(response, 503, 'no endpoints')
    const { request } = JSON.parse(body)
    const isCounted = request.operation === 'CREATE' && request.object?.metadata?.labels?.counted !== undefined
    const refusal = isCounted ? { status: { code: 403, message: 'creating resource exceeds limit' } } : {}
    json(response, 200, {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: !isCounted, ...refusal },
    })
  })
}

interface Peer {
  readonly namespace: string
  readonly name: string
  /** The path of the Lease that it renews while it has replicas. */
  readonly lease?: string
}

/** Stands for the nodes: says that pods are ready, and lets the processes of a peer and of allot live as long as their Deployments have replicas. */
export class StandInNodes implements AsyncDisposable {
  readonly #abort = new AbortController()
  readonly #server: BareServer
  readonly #peer: Peer
  readonly #balancer: TcpBalancer
  readonly #over: Promise<void>
  #pod: PodProcess | undefined
  #hasEnded = false
  #isPeerAlive = true
  #renewals = 0
  /** The order in which the two ended and began. */
  readonly events: string[] = []

  constructor(server: BareServer, peer: Peer, balancer: TcpBalancer) {
    this.#server = server
    this.#peer = peer
    this.#balancer = balancer
    this.#over = this.#run()
  }

  get isPeerAlive(): boolean {
    return this.#isPeerAlive
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#lookAtPeer()
      await this.#lookAtAllot()
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async #lookAtPeer(): Promise<void> {
    const { namespace, name, lease } = this.#peer
    const replicas = await this.#replicas(namespace, name)
    if (this.#isPeerAlive !== replicas > 0) this.events.push(replicas > 0 ? 'the peer begins' : 'the peer ends')
    this.#isPeerAlive = replicas > 0
    if (this.#isPeerAlive) await this.#readyPods(namespace)
    if (lease === undefined) return
    const holderIdentity = this.#isPeerAlive ? 'peer-0' : ''
    const spec = { holderIdentity, leaseDurationSeconds: 3, leaseTransitions: ++this.#renewals }
    await this.#send('PATCH', lease, { spec }, MERGE)
  }

  async #lookAtAllot(): Promise<void> {
    const replicas = await this.#replicas('allot', 'allot')
    if (replicas > 0) await this.#readyPods('allot')
    // A pod that ends is started again.
    if (replicas > 0 && this.#hasEnded) this.#pod = undefined
    if (replicas > 0 && this.#pod === undefined && !this.#isPeerAlive) {
      this.#hasEnded = false
      this.events.push('allot begins')
      const pod = await PodProcess.start(this.#server, 'allot', 'allot', this.#balancer)
      void pod.operator.exited.then(() => (this.#hasEnded = true))
      this.#pod = pod
    } else if (replicas === 0 && this.#pod !== undefined) {
      await this.#pod[Symbol.asyncDispose]()
      this.events.push('allot ends')
      this.#pod = undefined
    }
  }

  async #replicas(namespace: string, name: string): Promise<number> {
    return (await this.#send('GET', deploymentPath(namespace, name))).json.spec?.replicas ?? 0
  }

  /** On a real server nobody runs pods. */
  async #readyPods(namespace: string): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }]
    for (const { metadata, status } of (await this.#send('GET', podsIn(namespace))).json.items ?? [])
      if (status?.phase !== 'Running')
        await this.#send(
          'PATCH',
          `${podsIn(namespace)}/${metadata.name}/status`,
          { status: { phase: 'Running', conditions } },
          MERGE,
        )
  }

  #send(...args: Parameters<BareServer['send']>): Promise<Answer> {
    return this.#server.send(...args)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await this.#over
    await this.#pod?.[Symbol.asyncDispose]()
  }
}
