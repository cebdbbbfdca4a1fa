import type { KubeClient, ListCallOptions, ObjectName, ResourceKind } from '../kube/client/kube-client.ts'
import type { Clock } from '../kube/time/clock.ts'
import { readAllResources } from '../kube/client/all-resources.ts'
import { readResources } from '../kube/client/server-discovery-document.ts'
import { resourcePath } from '../kube/client/http-kube-client.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { objectOf, textsOf } from '../machinery/read.ts'
import { ApiError, isNotFound } from '../machinery/status.ts'
import { inParallel } from '../runtime/tasks/in-parallel.ts'

const WRITES = 16
const LOOK_MS = 250
const PATIENCE_MS = 60_000

/** An object that was deleted and is not gone. */
interface Held {
  readonly kind: ResourceKind
  readonly name: ObjectName
  readonly finalizers: string
}

/** What is done to the objects of a cluster when allot goes. What is gone already is no error, so that each step can be repeated. */
export class ClusterObjects {
  readonly #client: KubeClient
  readonly #signal: AbortSignal
  readonly #say: (line: string) => void
  readonly #held = new Map<string, Held>()

  /** `say` is told what was changed. */
  constructor(client: KubeClient, signal: AbortSignal, say: (line: string) => void) {
    this.#client = client
    this.#signal = signal
    this.#say = say
  }

  /** The resource of a kind; undefined where the API server does not offer it. */
  async kindOf(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    const document = await this.#unlessGone(
      this.#client.request('GET', group === '' ? `/api/${version}` : `/apis/${apiVersion}`, undefined, this.#call),
    )
    return readResources(group, version, document).find((one) => one.kind === kind)
  }

  /**
   * The kinds of objects that can be in a namespace and be deleted, in whatever version they are served, as far as the API server can say. Each is
   * in the list once.
   */
  async namespacedKinds(): Promise<{ readonly kinds: readonly ResourceKind[]; readonly unknown: readonly string[] }> {
    const { resources, unlisted } = await readAllResources(this.#client, this.#signal)
    const kinds = new Map<string, ResourceKind>()
    for (const one of resources) {
      const name = `${one.resource}.${one.group}`
      const isAsked = one.namespaced && ['list', 'delete'].every((verb) => one.verbs.includes(verb))
      if (isAsked && !kinds.has(name)) kinds.set(name, one)
    }
    return { kinds: [...kinds.values()], unknown: [...new Set(unlisted.map(({ group }) => group))] }
  }

  async find(kind: ResourceKind, name: ObjectName): Promise<KubeObject | undefined> {
    return await this.#unlessGone(this.#client.get(kind, name, this.#call))
  }

  /** None where the kind is not served. */
  async list(kind: ResourceKind, options: ListCallOptions = {}): Promise<readonly KubeObject[]> {
    return (await this.#unlessGone(this.#client.list(kind, { ...options, ...this.#call })))?.items ?? []
  }

  async delete(kind: ResourceKind, ...objects: readonly ObjectName[]): Promise<void> {
    await inParallel(objects, WRITES, async (name) => this.#delete(kind, name))
  }

  /** Deletes an object unless it has changed since it was read. Rejects with ApiError (409) then. */
  async deleteAsRead(kind: ResourceKind, object: KubeObject): Promise<void> {
    const { uid, resourceVersion } = object.metadata
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } }
    await this.#delete(kind, nameOf(object), body)
  }

  /** What was deleted and is not gone, with the finalizers that keep it. Looks once more. */
  async held(): Promise<readonly string[]> {
    for (const { kind, name } of this.#held.values()) await this.#delete(kind, name)
    return [...this.#held].map(([title, { finalizers }]) => `${title} (${finalizers})`)
  }

  async #delete(kind: ResourceKind, name: ObjectName, body?: JsonObject): Promise<void> {
    const title = titleOf(kind, name)
    const path = resourcePath(kind, { ...name, subresource: '' })
    const answer = await this.#unlessGone(this.#client.request('DELETE', path, body, this.#call))
    const { metadata, spec } = objectOf(answer)
    // Namespaces have some in their spec.
    const finalizers = [...textsOf(objectOf(metadata)['finalizers']), ...textsOf(objectOf(spec)['finalizers'])].join(
      ', ',
    )
    if (finalizers !== '') this.#held.set(title, { kind, name, finalizers })
    else if (this.#held.delete(title) || answer !== undefined) this.#tell(kind, name, 'deleted')
  }

  /** Waits for a minute at most until an object that was deleted is gone. */
  async isGone(kind: ResourceKind, name: ObjectName, clock: Pick<Clock, 'monotonic' | 'sleep'>): Promise<boolean> {
    const until = clock.monotonic() + PATIENCE_MS
    while ((await this.find(kind, name)) !== undefined) {
      if (clock.monotonic() > until) return false
      await clock.sleep(LOOK_MS, this.#signal)
    }
    if (this.#held.delete(titleOf(kind, name))) this.#tell(kind, name, 'deleted')
    return true
  }

  /** A merge patch; `done` says what it does. */
  async patch(kind: ResourceKind, name: ObjectName, body: JsonObject, done: string): Promise<void> {
    const patched = this.#client.patchMetadata(kind, name, { type: 'merge', body }, this.#call)
    if (!(await this.#isDone(patched))) return
    this.#held.delete(titleOf(kind, name))
    this.#tell(kind, name, done)
  }

  /** Changes some of the objects of a kind. */
  async patchEach(
    kind: ResourceKind,
    objects: readonly KubeObject[],
    body: (object: KubeObject) => JsonObject,
    done: string,
  ): Promise<void> {
    await inParallel(objects, WRITES, async (object) => this.patch(kind, nameOf(object), body(object), done))
  }

  get #call() {
    return { signal: this.#signal }
  }

  async #isDone(work: Promise<unknown>): Promise<boolean> {
    try {
      await work
      return true
    } catch (error) {
      if (error instanceof ApiError && isNotFound(error)) return false
      throw error
    }
  }

  async #unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #tell(kind: ResourceKind, name: ObjectName, done: string): void {
    this.#say(`${titleOf(kind, name)} ${done}`)
  }
}

const titleOf = ({ resource, group }: ResourceKind, { namespace, name }: ObjectName): string =>
  `${resource}${group === '' ? '' : `.${group}`}/${name}${namespace === '' ? '' : ` in ${namespace}`}`

export const nameOf = ({ metadata }: KubeObject): ObjectName => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
})
