import type { KubeObject } from '../../src/machinery/object.ts'
import { type ApiClient, revisionOf, type RunningWatch, type WatchEvent } from '../api-client.ts'
import { type Amounts, amounts, chargeOf, specOf } from './expected-usage.ts'

interface Seen {
  readonly resource: string
  readonly event: WatchEvent
}

const QUOTAS = 'resourcequotas'
const NOTHING: Amounts = new Map()

export const WIDGETS = 'widgets.storm.allot.test'
const GROUPS: Readonly<Record<string, string>> = { [WIDGETS]: '/apis/storm.allot.test/v1' }

export const collectionPath = (resource: string, namespace: string): string =>
  `${GROUPS[resource] ?? '/api/v1'}/namespaces/${namespace}/${resource.split('.')[0]}`

/** Watches the quotas of a namespace and what they count, and tells afterwards whether every step was right. */
export class Observer {
  readonly #client: ApiClient
  readonly #namespace: string
  readonly #resources: readonly string[]
  readonly #listed = new Map<string, readonly KubeObject[]>()
  readonly #seen: Seen[] = []
  readonly #last = new Map<string, number>()
  readonly #watches: RunningWatch[] = []
  #gap = false

  private constructor(client: ApiClient, namespace: string, resources: readonly string[]) {
    this.#client = client
    this.#namespace = namespace
    this.#resources = [...resources, QUOTAS]
  }

  static async start(client: ApiClient, namespace: string, resources: readonly string[]): Promise<Observer> {
    const observer = new Observer(client, namespace, resources)
    for (const resource of observer.#resources) {
      const { items, revision } = await client.list(collectionPath(resource, namespace))
      observer.#listed.set(resource, items)
      observer.#last.set(resource, revision)
    }
    await observer.resume()
    return observer
  }

  /** Goes on where the watches ended, after the server was killed. */
  async resume(): Promise<void> {
    await Promise.all(this.#watches.splice(0).map((watch) => watch.stop()))
    for (const resource of this.#resources) {
      const path = collectionPath(resource, this.#namespace)
      const onEvent = (event: WatchEvent): void => {
        if (event.type === 'ERROR') this.#gap = true
        else if (event.type !== 'BOOKMARK') {
          this.#seen.push({ resource, event })
          this.#last.set(resource, revisionOf(event.object))
        }
      }
      this.#watches.push(await this.#client.watch(path, this.#last.get(resource) ?? 0, onEvent))
    }
  }

  /** Resolves with the state of the lists when the watches have sent everything up to it. */
  async catchUp(): Promise<ReadonlyMap<string, readonly KubeObject[]>> {
    const lists = new Map<string, readonly KubeObject[]>()
    for (const resource of this.#resources) {
      const { items } = await this.#client.list(collectionPath(resource, this.#namespace))
      lists.set(resource, items)
      const newest = Math.max(0, ...items.map(revisionOf))
      const deadline = Date.now() + 5000
      while (!this.#gap && (this.#last.get(resource) ?? 0) < newest) {
        if (Date.now() > deadline) throw new Error(`the watch of ${resource} does not tell of revision ${newest}`)
        await new Promise((resolve) => {
          setTimeout(resolve, 5)
        })
      }
    }
    return lists
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watches.splice(0).map((watch) => watch.stop()))
  }

  /** Goes through the events in the order of their revisions. Gives what was wrong, and how many of them there were. */
  replay(lists: ReadonlyMap<string, readonly KubeObject[]>): {
    readonly events: number
    readonly wrong: readonly string[]
  } {
    if (this.#gap) return { events: 0, wrong: [] }
    const replay = new Replay(this.#listed)
    const ordered = this.#seen.toSorted((a, b) => revisionOf(a.event.object) - revisionOf(b.event.object))
    for (const seen of ordered) replay.step(seen)
    replay.compare(lists)
    return { events: ordered.length, wrong: replay.wrong }
  }
}

/** The namespace as it was at one revision after another. */
class Replay {
  readonly wrong: string[] = []
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  #revision = 0

  constructor(listed: ReadonlyMap<string, readonly KubeObject[]>) {
    for (const [resource, items] of listed)
      this.#objects.set(resource, new Map(items.map((item) => [item.metadata.name ?? '', item])))
  }

  step({ resource, event: { type, object } }: Seen): void {
    const revision = revisionOf(object)
    if (revision <= this.#revision) this.wrong.push(`revision ${revision} was sent twice, or after ${this.#revision}`)
    this.#revision = revision
    const name = object.metadata.name ?? ''
    const objects = this.#objects.get(resource)!
    const old = objects.get(name)
    if ((type === 'ADDED') !== (old === undefined))
      this.wrong.push(`${revision}: ${type} of ${resource} ${name}, which was ${old === undefined ? 'not ' : ''}there`)
    if (type === 'DELETED') objects.delete(name)
    else objects.set(name, object)
    if (resource === QUOTAS) {
      if (type !== 'DELETED') this.#checkCounted(revision, old, object)
    } else if (type !== 'DELETED') this.#checkAdmitted(revision, resource, old, object)
  }

  /** Checks that an admitted write that costs more than before is within every limit that it counts towards. */
  #checkAdmitted(revision: number, resource: string, old: KubeObject | undefined, object: KubeObject): void {
    for (const [name, quota] of this.#quotas()) {
      const hard = limitsOf(quota)
      const before = old === undefined ? NOTHING : chargeOf(quota, resource, old, hard.keys())
      const now = chargeOf(quota, resource, object, hard.keys())
      const rising = [...now].filter(([of, cost]) => cost > (before.get(of) ?? 0n)).map(([of]) => of)
      if (rising.length === 0) continue
      const total = this.#recount(quota, rising)
      for (const of of rising) {
        const sum = total.get(of) ?? 0n
        if (sum > hard.get(of)!)
          this.wrong.push(
            `${revision}: ${resource} ${object.metadata.name} brings ${of} of quota ${name} to ${sum}m of ${hard.get(of)}m`,
          )
      }
    }
  }

  /** A quota's status shows what there is at its revision, no more and no less, and rises only within its limits. */
  #checkCounted(revision: number, old: KubeObject | undefined, quota: KubeObject): void {
    const { used, hard } = statusOf(quota)
    if (used.size === 0) return
    const before = old !== undefined && old.metadata.uid === quota.metadata.uid ? statusOf(old).used : NOTHING
    const total = this.#recount(quota, used.keys())
    for (const [of, amount] of used) {
      if (amount !== (total.get(of) ?? 0n))
        this.wrong.push(`${revision}: quota ${quota.metadata.name} says ${of}=${amount}m, there are ${total.get(of)}m`)
      const previous = before.get(of)
      if (previous !== undefined && amount > previous && amount > (hard.get(of) ?? 0n))
        this.wrong.push(
          `${revision}: quota ${quota.metadata.name} rises over its limit: ${of} from ${previous}m to ${amount}m of ${hard.get(of)}m`,
        )
    }
  }

  compare(lists: ReadonlyMap<string, readonly KubeObject[]>): void {
    const sketch = (items: Iterable<KubeObject>): string =>
      [...items]
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
        .toSorted()
        .join(' ')
    for (const [resource, items] of lists) {
      const watched = sketch(this.#objects.get(resource)!.values())
      if (watched !== sketch(items))
        this.wrong.push(`watching ${resource} gave ${watched}, listing gives ${sketch(items)}`)
    }
  }

  #quotas(): ReadonlyMap<string, KubeObject> {
    return this.#objects.get(QUOTAS)!
  }

  #recount(quota: KubeObject, names: Iterable<string>): Amounts {
    const lists = new Map([...this.#objects].map(([resource, objects]) => [resource, [...objects.values()]]))
    return recount(quota, [...names], lists)
  }
}

const statusOf = (quota: KubeObject): { readonly hard: Amounts; readonly used: Amounts } => {
  const { hard, used } = (quota['status'] ?? {}) as { readonly hard?: object; readonly used?: object }
  return { hard: amounts(hard), used: amounts(used) }
}

/** The limits in force: those of the status, before there is one those of the spec. */
function limitsOf(quota: KubeObject): Amounts {
  const { hard } = statusOf(quota)
  return hard.size === 0 ? amounts(specOf(quota).hard) : hard
}

/** The sum of what the objects cost to a quota, under these names. */
export function recount(
  quota: KubeObject,
  names: readonly string[],
  lists: ReadonlyMap<string, readonly KubeObject[]>,
): Amounts {
  const total = new Map(names.map((name) => [name, 0n]))
  for (const [resource, objects] of lists) {
    for (const object of objects) {
      for (const [name, cost] of chargeOf(quota, resource, object, names))
        total.set(name, (total.get(name) ?? 0n) + cost)
    }
  }
  return total
}

/** Returns the error of the status of the quotas at rest; undefined when it is exact. */
export function miscounted(lists: ReadonlyMap<string, readonly KubeObject[]>): string | undefined {
  for (const quota of lists.get(QUOTAS) ?? []) {
    const limits = amounts(specOf(quota).hard)
    const { hard, used } = statusOf(quota)
    const expected = recount(quota, [...limits.keys()], lists)
    const wrong = `quota ${quota.metadata.name}: ${JSON.stringify(quota['status'])}, expected used ${show(expected)} of ${show(limits)}`
    if (!same(hard, limits) || !same(used, expected)) return wrong
  }
  return undefined
}

const same = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([name, value]) => b.get(name) === value)
const show = (list: Amounts): string => [...list].map(([name, value]) => `${name}=${value}m`).join(',')
