import { quotaIncrease } from '../../../src/systems/quota-increase/api/quota-increase.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { eventually } from '../../eventually.ts'
import type { Answer } from '../../start-allot.ts'
import type { BareServer } from '../operated.ts'

export const EFFECT = 'quota.openmcp.cloud/effect'
export const MODE = 'quota.openmcp.cloud/mode'
export const BASE = 'quota.openmcp.cloud/base'
export const USE = 'quota.openmcp.cloud/use'
export const PROBLEM = 'quota.allot.dev/problem'
const NAMESPACES = '/api/v1/namespaces'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const MERGE = { 'content-type': 'application/merge-patch+json' }

export type Labels = Readonly<Record<string, string | null>>
export type Hard = Readonly<Record<string, string | number>>

interface ReadObject extends KubeObject {
  readonly spec: { readonly hard: Record<string, string>; readonly scopes?: readonly string[] }
}

export const increasesIn = (namespace: string): string =>
  `/apis/openmcp.cloud/v1alpha1/namespaces/${namespace}/quotaincreases`
export const quotasIn = (namespace: string): string => `${NAMESPACES}/${namespace}/resourcequotas`

/** Namespaces, increases and quotas of one API server, as tests make and read them. */
export class IncreaseWorld {
  readonly server: Pick<BareServer, 'send' | 'until'>

  constructor(server: Pick<BareServer, 'send' | 'until'>) {
    this.server = server
  }

  /** Defines increases on a server that no operator has seen; a borrowed one may have them. */
  async define(): Promise<void> {
    const answer = await this.server.send('POST', DEFINITIONS, quotaIncrease.crd)
    if (answer.status !== 409) demand(answer, 201)
    await this.server.until('/apis/openmcp.cloud/v1alpha1/quotaincreases', ({ status }) => status === 200)
  }

  async namespace(name: string, labels: Labels = {}): Promise<void> {
    await this.#made(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
  }

  /** Changes the labels of a namespace; null takes one away. */
  async label(name: string, labels: Labels): Promise<void> {
    await this.patch(`${NAMESPACES}/${name}`, { metadata: { labels } })
  }

  async increase(namespace: string, name: string, hard: Hard, more: object = {}, metadata: object = {}): Promise<void> {
    const answer = await this.tryIncrease(namespace, name, { hard, ...more }, metadata)
    demand(answer, 201)
  }

  /** `spec`: left out where it is undefined. */
  tryIncrease(namespace: string, name: string, spec: unknown, more: object = {}): Promise<Answer> {
    const metadata = { ...more, name, namespace }
    const object = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'QuotaIncrease', metadata, spec }
    return this.server.send('POST', increasesIn(namespace), object)
  }

  async patch(path: string, body: unknown): Promise<void> {
    const answer = await this.server.send('PATCH', path, body, MERGE)
    demand(answer, 200)
  }

  async delete(path: string): Promise<void> {
    const answer = await this.server.send('DELETE', path)
    demand(answer, 200)
  }

  async read(path: string): Promise<ReadObject> {
    return (await this.server.send('GET', path)).json as ReadObject
  }

  /** Waits until a quota has these limits, and gives it. */
  async quota(namespace: string, name: string, hard: Hard): Promise<ReadObject> {
    const path = `${quotasIn(namespace)}/${name}`
    const wanted = Object.fromEntries(Object.entries(hard).map(([resource, amount]) => [resource, String(amount)]))
    const answer = await this.server.until(path, ({ status, json }) => {
      const found = (json as Partial<ReadObject>).spec?.hard ?? {}
      return status === 200 && sorted(found) === sorted(wanted)
    })
    return answer.json as ReadObject
  }

  /** Makes a quota that no definition has generated. */
  async makeQuota(namespace: string, name: string, spec: object, metadata: object = {}): Promise<KubeObject> {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { ...metadata, name }, spec }
    return await this.#made(quotasIn(namespace), quota)
  }

  /** Waits until these quotas are in a namespace, and no others. Gives their names. */
  async quotas(namespace: string, ...names: readonly string[]): Promise<readonly string[]> {
    return await this.#names(quotasIn(namespace), names)
  }

  /** Makes a ResourcePool. */
  async pool(name: string, spec: object): Promise<void> {
    await this.#made('/apis/capsule.clastix.io/v1beta2/resourcepools', {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name },
      spec,
    })
  }

  /** Waits until there is a quota in a namespace. Gives the names of all. */
  async someQuotas(namespace: string): Promise<readonly string[]> {
    return await eventually(
      () => this.quotaNames(namespace),
      (names) => names.length > 0,
    )
  }

  /** The names of the quotas in a namespace. */
  quotaNames(namespace: string): Promise<readonly string[]> {
    return this.#namesOf(quotasIn(namespace))
  }

  /** Waits until these increases are left in a namespace. Gives their names, sorted. */
  async left(namespace: string, ...names: readonly string[]): Promise<readonly string[]> {
    return await this.#names(increasesIn(namespace), names)
  }

  /** Waits until increases say these effects. */
  async effects(namespace: string, effects: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, effect] of Object.entries(effects))
      await this.server.until(
        `${increasesIn(namespace)}/${name}`,
        ({ json }) => (json as KubeObject).metadata?.annotations?.[EFFECT] === effect,
      )
  }

  /** Waits until a namespace has these labels; null: it has none of the name. */
  async labels(name: string, labels: Labels): Promise<void> {
    await this.server.until(`${NAMESPACES}/${name}`, ({ json }) => {
      const found = (json as KubeObject).metadata?.labels ?? {}
      return Object.entries(labels).every(([key, value]) => (found[key] ?? null) === value)
    })
  }

  /** Waits until an Event about the object of this name has the reason; in whatever namespace the server takes those of namespaces. */
  async event(about: string, reason: string): Promise<string> {
    const path = '/apis/events.k8s.io/v1/events'
    const { json } = await this.server.until(path, (answer) =>
      eventsIn(answer.json).some((event) => event.regarding.name === about && event.reason === reason),
    )
    return eventsIn(json).find((event) => event.regarding.name === about && event.reason === reason)?.note ?? ''
  }

  /** Waits until an Event of a namespace about itself has the reason: `kubectl --namespace NAME get events` shows it. */
  async eventOfNamespace(name: string, reason: string): Promise<string> {
    const path = `/apis/events.k8s.io/v1/namespaces/${name}/events`
    const isIt = (event: ReadEvent): boolean =>
      event.regarding.kind === 'Namespace' && event.regarding.name === name && event.reason === reason
    const { json } = await this.server.until(path, (answer) => eventsIn(answer.json).some(isIt))
    return eventsIn(json).find(isIt)?.note ?? ''
  }

  /** Waits until a namespace says why it lacks its base quota, and gives the reason; its labels name none that is not in force. */
  async blocked(name: string): Promise<string> {
    const { json } = await this.server.until(`${NAMESPACES}/${name}`, ({ text }) => text.includes(PROBLEM))
    const { labels, annotations } = (json as KubeObject).metadata
    if (labels?.[BASE] !== undefined) throw new Error(`the label of ${name} names ${labels[BASE]}`)
    return annotations?.[PROBLEM] ?? ''
  }

  async #made(path: string, object: unknown): Promise<KubeObject> {
    const answer = await this.server.send('POST', path, object)
    demand(answer, 201)
    return answer.json as KubeObject
  }

  async #namesOf(path: string): Promise<readonly string[]> {
    const { items = [] } = (await this.server.send('GET', path)).json as { readonly items?: readonly KubeObject[] }
    return items.map(({ metadata }) => metadata.name ?? '').toSorted()
  }

  async #names(path: string, names: readonly string[]): Promise<readonly string[]> {
    return await eventually(
      () => this.#namesOf(path),
      (found) => sorted(found) === sorted(names.toSorted()),
      { what: path },
    )
  }
}

/** Throws unless the server answered so. */
function demand({ status, text }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`${status} where ${wanted} was expected: ${text}`)
}

interface ReadEvent {
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly kind: string; readonly name: string }
}

const eventsIn = (json: unknown): readonly ReadEvent[] =>
  (json as { readonly items?: readonly ReadEvent[] }).items ?? []

const sorted = (value: object): string =>
  JSON.stringify(
    Array.isArray(value)
      ? value
      : Object.entries(value)
          .map((entry) => entry.join('='))
          .toSorted(),
  )
