import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { temporaryDirectory } from '../start-allot.ts'
import type { BareServer } from '../bare-server.ts'
import { freePort } from '../free-ports.ts'
import { type TcpBalancer } from '../operator/tcp-balancer.ts'
import { type LaunchedOperator, launchOperator } from '../operator/operated.ts'
import { created } from '../operator/operator-account.ts'
import { MERGE } from '../operator/pool-objects.ts'

const ACCOUNTS = '/serviceaccounts'

/** A kubeconfig with the token of a ServiceAccount, as its pods have one. */
export async function kubeconfigOf(server: BareServer, namespace: string, account: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: null } }
  const { status } = await created(server, `/api/v1/namespaces/${namespace}${ACCOUNTS}/${account}/token`, request)
  const config = parse(readFileSync(server.kubeconfig, 'utf8')) as { readonly clusters: readonly { cluster: object }[] }
  const file = join(temporaryDirectory(), 'kubeconfig')
  writeFileSync(
    file,
    stringify({
      'current-context': 'pod',
      clusters: [{ name: 'cluster', cluster: config.clusters[0]?.cluster }],
      users: [{ name: account, user: { token: status.token } }],
      contexts: [{ name: 'pod', context: { cluster: 'cluster', user: account, namespace } }],
    }),
  )
  return file
}

/** Runs what a Deployment says as one process, and has its Service lead there: there is neither a kubelet nor a network of pods. */
export class PodProcess implements AsyncDisposable {
  readonly operator: LaunchedOperator
  readonly #balancer: TcpBalancer

  private constructor(operator: LaunchedOperator, balancer: TcpBalancer) {
    this.operator = operator
    this.#balancer = balancer
  }

  /** `balancer`: at the port of the Service. */
  static async start(server: BareServer, namespace: string, name: string, balancer: TcpBalancer): Promise<PodProcess> {
    const { spec } = (await server.send('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)).json
    const pod = spec.template.spec
    const args: readonly string[] = pod.containers[0].args
    // Of a pod the ports are its own.
    const webhooks = await freePort()
    const own = args.map((arg) =>
      arg
        .replace(/^--webhook-port=.*/, `--webhook-port=${webhooks}`)
        .replace(/^(--(?:metrics|health)-port)=.*/, '$1=0'),
    )
    balancer.ports = [webhooks]
    const external = { spec: { type: 'ExternalName', externalName: '127.0.0.1', clusterIP: '', clusterIPs: null } }
    await server.send('PATCH', `/api/v1/namespaces/${namespace}/services/${name}`, external, MERGE)
    const kubeconfig = await kubeconfigOf(server, namespace, pod.serviceAccountName)
    return new PodProcess(launchOperator(kubeconfig, own.slice(1)), balancer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]()
    this.#balancer.ports = []
  }
}
