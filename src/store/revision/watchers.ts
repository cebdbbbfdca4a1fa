import type { StoreEvent } from '../record/event.ts'

export type Listener = (event: StoreEvent) => void

/** A running watch. */
export interface WatchHandle {
  /** Every event of this watch up to this revision has been delivered: safe for bookmarks and for resuming. */
  readonly progress: number
  close(): void
}

/** The watchers of a bucket, by namespace, so that an event costs nothing for the watchers of other namespaces. */
interface Audience {
  readonly everywhere: Set<Watcher>
  readonly inNamespace: Map<string, Set<Watcher>>
}

/** Delivers published events to the watchers of their bucket (and namespace), in revision order. */
export class Watchers {
  readonly #byBucket = new Map<string, Audience>()
  /** Everything up to here has been delivered to everyone. */
  delivered: number

  constructor(delivered: number) {
    this.delivered = delivered
  }

  /** Adds a watch that has seen everything up to `position`. */
  add(bucket: string, namespace: string | undefined, position: number, listener: Listener): WatchHandle {
    const watcher = new Watcher(this, bucket, namespace, position, listener)
    this.#audience(bucket, namespace).add(watcher)
    return watcher
  }

  remove(watcher: Watcher): void {
    const { bucket, namespace } = watcher
    const audience = this.#byBucket.get(bucket)
    if (audience === undefined) return
    const watchers = namespace === undefined ? audience.everywhere : audience.inNamespace.get(namespace)
    watchers?.delete(watcher)
    if (namespace !== undefined && watchers?.size === 0) audience.inNamespace.delete(namespace)
    if (audience.everywhere.size === 0 && audience.inNamespace.size === 0) this.#byBucket.delete(bucket)
  }

  deliver(event: StoreEvent): void {
    const { bucket, key } = event.record
    const audience = this.#byBucket.get(bucket)
    if (audience !== undefined) {
      for (const watcher of audience.everywhere) watcher.offer(event)
      const slash = key.indexOf('/')
      if (audience.inNamespace.size > 0 && slash > 0)
        for (const watcher of audience.inNamespace.get(key.slice(0, slash)) ?? []) watcher.offer(event)
    }
    this.delivered = event.revision
  }

  clear(): void {
    this.#byBucket.clear()
  }

  #audience(bucket: string, namespace: string | undefined): Set<Watcher> {
    let audience = this.#byBucket.get(bucket)
    if (audience === undefined)
      this.#byBucket.set(bucket, (audience = { everywhere: new Set(), inNamespace: new Map() }))
    if (namespace === undefined) return audience.everywhere
    let watchers = audience.inNamespace.get(namespace)
    if (watchers === undefined) audience.inNamespace.set(namespace, (watchers = new Set()))
    return watchers
  }
}

class Watcher implements WatchHandle {
  readonly bucket: string
  readonly namespace: string | undefined
  readonly #hub: Watchers
  readonly #listener: Listener
  #position: number

  constructor(hub: Watchers, bucket: string, namespace: string | undefined, position: number, listener: Listener) {
    this.bucket = bucket
    this.#hub = hub
    this.namespace = namespace
    this.#position = position
    this.#listener = listener
  }

  get progress(): number {
    return Math.max(this.#position, this.#hub.delivered)
  }

  close(): void {
    this.#hub.remove(this)
  }

  /** Gives the event to the listener unless it was part of the replay. */
  offer(event: StoreEvent): void {
    if (event.revision <= this.#position) return
    this.#position = event.revision
    notify(this.#listener, event)
  }
}

/** A listener that throws is a bug and must crash, but neither keep events from the others nor fail the write. */
export function notify(listener: Listener, event: StoreEvent): void {
  try {
    listener(event)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
