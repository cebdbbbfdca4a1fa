import { X509Certificate } from 'node:crypto'
import type { Endpoints, Pod, Service } from '../../builtin/core-v1.ts'
import type { EndpointSlice } from '../../builtin/discovery-v1.ts'
import type { CalledService, ClusterFacts, SeenWebhook } from '../../insight/doctor/cluster-facts.ts'
import { serviceProblem } from '../../insight/doctor/service-problem.ts'
import type { KubeClient, ListCallOptions, ResourceKind } from '../../kube/client/kube-client.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, objectsOf, specOf, textEntries, textOf, valueAt } from '../../machinery/read.ts'
import { isForbidden, isNotFound } from '../../machinery/status.ts'
import type { NotSeen, VisibleObjects } from '../../reading/visible-objects.ts'
import { certificatesIn } from '../../runtime/certificate/check.ts'

const ADMISSION = 'admissionregistration.k8s.io'
const WEBHOOKS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] as const
const SERVICES = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true }
const PODS = { ...SERVICES, resource: 'pods', kind: 'Pod' }
const ENDPOINTS = { ...SERVICES, resource: 'endpoints', kind: 'Endpoints' }
const SLICES = { ...SERVICES, group: 'discovery.k8s.io', resource: 'endpointslices', kind: 'EndpointSlice' }
/** The port of a Service that is called where its caller names none. */
const HTTPS = 443

/** The webhooks of all configurations. Rejects as `KubeClient` does. */
export async function readWebhooks(visible: VisibleObjects, services: CalledServices): Promise<readonly SeenWebhook[]> {
  const configurations = (await Promise.all(WEBHOOKS.map((resource) => visible.list(ADMISSION, resource)))).flat()
  return await Promise.all(
    configurations.flatMap((configuration) =>
      objectsOf(configuration['webhooks']).map(async (hook): Promise<SeenWebhook> => {
        const { service, caBundle } = objectOf(hook['clientConfig'])
        return {
          configuration,
          name: textOf(hook['name']),
          rules: objectsOf(hook['rules']),
          isRequired: textOf(hook['failurePolicy']) !== 'Ignore',
          service: service === undefined ? undefined : await services.called(objectOf(service)),
          trustedUntil: trustedUntil(textOf(caBundle)),
        }
      }),
    ),
  )
}

/** The definitions whose objects a webhook converts. */
export async function conversionsOf(
  definitions: readonly KubeObject[],
  services: CalledServices,
): Promise<ClusterFacts['conversions']> {
  const found = await Promise.all(
    definitions.map(async (definition) => {
      const service = valueAt(definition, 'spec', 'conversion', 'webhook', 'clientConfig', 'service')
      const called = service === undefined ? undefined : await services.called(objectOf(service))
      return called === undefined ? [] : [{ definition, service: called }]
    }),
  )
  return found.flat()
}

/** The Services that an API server calls. */
export class CalledServices {
  readonly #client: KubeClient
  readonly #notSeen: NotSeen[]
  readonly #signal: AbortSignal
  /** Many webhooks call the same one. */
  readonly #known = new Map<string, Promise<CalledService | undefined>>()

  /** `notSeen`: what the caller may not read is added to it. */
  constructor(client: KubeClient, notSeen: NotSeen[], signal: AbortSignal) {
    this.#client = client
    this.#notSeen = notSeen
    this.#signal = signal
  }

  /** The Service that a client configuration names; undefined where the caller may not read it. Rejects as `KubeClient` does. */
  async called(of: JsonObject): Promise<CalledService | undefined> {
    const [namespace, name, port] = [textOf(of['namespace']), textOf(of['name']), numberOf(of['port']) ?? HTTPS]
    const key = `${namespace}/${name}:${port}`
    const found = this.#known.get(key) ?? this.#read(namespace, name, port)
    this.#known.set(key, found)
    return await found
  }

  async #read(namespace: string, name: string, port: number): Promise<CalledService | undefined> {
    const called = { namespace, name, port }
    const get = <T extends KubeObject>(kind: ResourceKind): Promise<T | undefined> =>
      this.#client.get<T>(kind, { namespace, name }, { signal: this.#signal }).catch(unlessMissing)
    const list = async <T extends KubeObject>(kind: ResourceKind, options: ListCallOptions): Promise<readonly T[]> => {
      const found = await this.#client
        .list<T>(kind, { namespace, ...options, signal: this.#signal })
        .catch(unlessMissing)
      return found?.items ?? []
    }
    try {
      const service = await get<Service>(SERVICES)
      if (service === undefined)
        return { ...called, problem: serviceProblem(port, { service, slices: [], endpoints: undefined, pods: [] }) }
      const facts = {
        service,
        // Kubernetes before 1.21 serves EndpointSlices in no stable version.
        slices: await list<EndpointSlice>(SLICES, { labelSelector: `kubernetes.io/service-name=${name}` }),
        endpoints: await get<Endpoints>(ENDPOINTS),
      }
      const problem = serviceProblem(port, { ...facts, pods: undefined })
      if (problem === undefined) return { ...called, problem }
      return { ...called, problem: serviceProblem(port, { ...facts, pods: await this.#podsOf(service, list) }) }
    } catch (error) {
      if (!isForbidden(error)) throw error
      // Its name tells of a namespace that the caller may not read.
      this.#notSeen.push({
        resource: 'services',
        reason: 'you may not read all that webhooks call, and their endpoints',
      })
      return undefined
    }
  }

  /** They only say more about a problem; undefined where somebody else writes the endpoints. */
  async #podsOf(
    service: Service,
    list: (kind: ResourceKind, options: ListCallOptions) => Promise<readonly Pod[]>,
  ): Promise<readonly Pod[] | undefined> {
    const labels = textEntries(specOf(service).selector).map(([label, value]) => `${label}=${value}`)
    if (labels.length === 0) return undefined
    return await list(PODS, { labelSelector: labels.join(',') }).catch((error: unknown) => {
      if (!isForbidden(error)) throw error
      return undefined
    })
  }
}

function unlessMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

function trustedUntil(caBundle: string): readonly number[] {
  try {
    return certificatesIn(Buffer.from(caBundle, 'base64').toString('utf8')).map((pem) =>
      new X509Certificate(pem).validToDate.getTime(),
    )
  } catch {
    // What is no certificate is refused by the API server when it is written.
    return []
  }
}
