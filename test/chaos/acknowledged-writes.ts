import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../src/machinery/object.ts'
import { type ApiClient, type Reply, revisionOf } from '../api-client.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { type ChaosKind, chaosObject, chaosPatch, collectionOf, markOf } from './chaos-object.ts'

/** The knowledge about one object: its last acknowledged state, and its unanswered requests. */
interface Entry {
  readonly kind: ChaosKind
  readonly namespace: string
  readonly name: string
  /** Undefined: it does not exist. */
  acknowledged: KubeObject | undefined
  /** The mark that a write without an answer would have given it; `gone`: a deletion. */
  pending: { readonly mark: string } | { readonly gone: true } | undefined
}

/** One client that writes objects of its own, one request at a time, and remembers what was acknowledged. */
export class Writer {
  readonly entries: Entry[] = []
  readonly wrong: string[] = []
  acknowledgements = 0
  readonly #id: number
  readonly #client: ApiClient
  readonly #random: SeededRandom
  readonly #revisions: Map<number, string>
  #marks = 0

  constructor(
    id: number,
    client: ApiClient,
    random: SeededRandom,
    places: readonly { readonly kind: ChaosKind; readonly namespace: string }[],
    revisions: Map<number, string>,
  ) {
    this.#id = id
    this.#client = client
    this.#random = random
    this.#revisions = revisions
    for (const { kind, namespace } of places) {
      for (const number of [0, 1])
        this.entries.push({ kind, namespace, name: `w${id}-${number}`, acknowledged: undefined, pending: undefined })
    }
  }

  /** Writes until a connection breaks. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const entry = this.#random.pick(this.entries)
      if (entry.pending !== undefined) return
      try {
        await this.#write(entry)
      } catch {
        return
      }
    }
  }

  async #write(entry: Entry): Promise<void> {
    const { kind, namespace, name, acknowledged } = entry
    const path = collectionOf(kind, namespace)
    const mark = `m${this.#id}-${this.#marks++}`
    const how = acknowledged === undefined ? 'create' : this.#random.weighted({ patch: 4, put: 3, remove: 3 })
    if (how === 'remove') {
      entry.pending = { gone: true }
      const reply = await this.#client.send('DELETE', `${path}/${name}`)
      entry.pending = undefined
      if (reply.code !== 200) this.wrong.push(`DELETE ${path}/${name}: ${reply.code} ${reply.text}`)
      else entry.acknowledged = undefined
      return
    }
    entry.pending = { mark }
    let reply: Reply
    if (how === 'create') reply = await this.#client.send('POST', path, chaosObject(kind, name, mark))
    else if (how === 'patch' || acknowledged === undefined)
      reply = await this.#client.patch(`${path}/${name}`, chaosPatch(kind, mark))
    else {
      const next = { ...acknowledged, ...merged(acknowledged, chaosPatch(kind, mark)) }
      reply = await this.#client.send('PUT', `${path}/${name}`, next)
    }
    entry.pending = undefined
    const refused = reply.code === 403 && how === 'create' && reply.text.includes('exceeded quota')
    if (refused) return
    if (reply.code !== 200 && reply.code !== 201) {
      this.wrong.push(`${how} of ${path}/${name}: ${reply.code} ${reply.text.slice(0, 500)}`)
      return
    }
    entry.acknowledged = reply.object
    this.acknowledgements++
    this.#claim(reply.object, `${path}/${name}`, mark)
    if (markOf(kind, reply.object) !== mark)
      this.wrong.push(`${how} of ${path}/${name} as ${mark} was answered with ${reply.text.slice(0, 500)}`)
  }

  /** A revision belongs to one write for ever. */
  #claim(object: KubeObject, path: string, mark: string): void {
    const revision = revisionOf(object)
    const owner = this.#revisions.get(revision)
    if (owner !== undefined) this.wrong.push(`revision ${revision} was given to ${owner} and to ${path} ${mark}`)
    this.#revisions.set(revision, `${path} ${mark}`)
  }

  /** Compares what is there after a restart with what was acknowledged, and takes it for the truth from then on. */
  verify(lists: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>): void {
    for (const entry of this.entries) {
      const { kind, namespace, name, acknowledged, pending } = entry
      const path = collectionOf(kind, namespace)
      const found = lists.get(path)?.get(name)
      const complaint = difference(entry, found)
      if (complaint !== undefined) {
        const pendingText = pending === undefined ? 'nothing' : JSON.stringify(pending)
        this.wrong.push(
          `${path}/${name}: ${complaint}; acknowledged ${acknowledged === undefined ? 'nothing' : JSON.stringify(acknowledged)}, pending ${pendingText}, found ${JSON.stringify(found)}`,
        )
      }
      entry.acknowledged = found
      entry.pending = undefined
    }
  }
}

function difference({ kind, acknowledged, pending }: Entry, found: KubeObject | undefined): string | undefined {
  if (found === undefined) {
    if (acknowledged === undefined || (pending !== undefined && 'gone' in pending)) return undefined
    return 'an acknowledged write is lost'
  }
  const mark = markOf(kind, found)
  if (mark.startsWith('half')) return `the object is half written (${mark})`
  if (pending !== undefined && 'mark' in pending && mark === pending.mark) {
    return acknowledged !== undefined && revisionOf(found) <= revisionOf(acknowledged)
      ? 'a write went back in revisions'
      : undefined
  }
  if (acknowledged === undefined) return 'an object that was deleted, or never made, is there'
  if (mark !== markOf(kind, acknowledged)) return 'an acknowledged write is lost'
  if (revisionOf(found) < revisionOf(acknowledged)) return 'an acknowledged revision is lost'
  if (revisionOf(found) === revisionOf(acknowledged) && !isDeepStrictEqual(found, acknowledged))
    return 'one revision has two contents'
  return undefined
}

/** A JSON merge patch, as far as the patches of the suite need one. */
function merged(object: object, patch: object): object {
  const result: Record<string, unknown> = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    const old = result[key]
    const both =
      typeof value === 'object' && value !== null && !Array.isArray(value) && typeof old === 'object' && old !== null
    result[key] = both ? merged(old, value as object) : value
  }
  return result
}
