import { randomUUID } from 'node:crypto'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { type Answer, type InProcess, startInProcess } from '../in-process.ts'
import { excess } from '../growth.ts'

export const NAMESPACE = 'sweep'
/** How much larger objects are where a look is taken again. The measurement is most of what a sweep costs. */
export const CLOSER = process.env['ALLOT_SOAK'] === undefined ? 2 : 4

/** A swept kind: where its objects are served and stored. */
export interface Kind {
  readonly path: string
  readonly bucket: string
  readonly namespaced: boolean
}

/** The JSON of an object with so many entries somewhere. */
export type Document = (count: number) => JsonObject

/** A control plane in this process, so that all the CPU time of a request counts. Nothing is kept: requests run dry. */
export class SweptPlane {
  readonly plane: InProcess
  readonly #slow: string[] = []
  readonly #codes = new Map<number, number>()

  private constructor(plane: InProcess) {
    this.plane = plane
  }

  static async start(): Promise<SweptPlane> {
    const plane = await startInProcess({ store: { freeze: false } })
    const swept = new SweptPlane(plane)
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    await plane.send('POST', `/api/v1/namespaces/${NAMESPACE}/resourcequotas`, {
      metadata: { name: 'all' },
      spec: {
        hard: { pods: '1000', 'requests.cpu': '1000', 'services.nodeports': '1000', 'count/configmaps': '1000' },
      },
    })
    await plane.send('POST', `/api/v1/namespaces/${NAMESPACE}/limitranges`, {
      metadata: { name: 'all' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1m' }, max: { cpu: '100' } }] },
    })
    return swept
  }

  /** Returns the slow fields since the last call, and how often each code was answered. */
  found(): { readonly slow: readonly string[]; readonly codes: ReadonlyMap<number, number> } {
    const found = { slow: this.#slow.splice(0), codes: new Map(this.#codes) }
    this.#codes.clear()
    return found
  }

  /** Notes what the requests take whose time grows faster than n log n. */
  async look(what: string, run: (count: number) => Promise<unknown>, count: number, quickMs: number): Promise<void> {
    const times = await excess(run, count, quickMs, CLOSER)
    if (times !== undefined) this.#slow.push(`${what}: eight times the size took ${times.toFixed(0)} times as long`)
  }

  async send(method: string, path: string, text: string, type = 'application/json'): Promise<Answer> {
    const answer = await this.plane.send(method, path, text, { 'content-type': type })
    this.#codes.set(answer.status, (this.#codes.get(answer.status) ?? 0) + 1)
    const [complaint] = this.plane.complaints.filter((line) => line.includes('a request failed unexpectedly'))
    if (complaint !== undefined) throw new Error(`${method} ${path}: ${complaint}`)
    return answer
  }

  create({ path }: Kind, document: Document): (count: number) => Promise<unknown> {
    return keeping(
      (count) => JSON.stringify(document(count)),
      (text) => this.send('POST', `${path}?dryRun=All`, text),
    )
  }

  /**
   * Does something to an object that is stored as it is, whether it is valid or not. One that does not fit into the store is
   * passed over.
   */
  async onStored(
    { bucket, namespaced }: Kind,
    object: JsonObject,
    run: (revision: string) => Promise<unknown>,
  ): Promise<void> {
    const key = namespaced ? `${NAMESPACE}/${NAMESPACE}` : NAMESPACE
    if (JSON.stringify(object).length > 1_000_000) return
    const put = { type: 'put' as const, bucket, key, object: identified(object, namespaced) }
    const [record] = await this.plane.store.commit([put])
    try {
      await run(String(record?.revision))
    } finally {
      await this.plane.store.commit([{ type: 'delete', bucket, key }])
    }
  }

  stop(): Promise<void> {
    return this.plane.stop()
  }
}

/** Makes the text of a size once, as its making does not count. */
export function keeping<T>(
  make: (count: number) => string,
  run: (text: string) => Promise<T>,
): (count: number) => Promise<T> {
  const texts = new Map<number, string>()
  return (count) => {
    const text = texts.get(count) ?? make(count)
    texts.set(count, text)
    return run(text)
  }
}

function identified(object: JsonObject, namespaced: boolean): KubeObject {
  const { metadata, ...rest } = object as unknown as KubeObject
  const own = { uid: randomUUID(), creationTimestamp: '2026-11-21T00:00:00Z' }
  return {
    ...rest,
    metadata: { ...metadata, ...own, name: NAMESPACE, ...(namespaced ? { namespace: NAMESPACE } : {}) },
  }
}
