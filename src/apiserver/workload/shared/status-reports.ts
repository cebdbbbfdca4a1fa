import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'

/**
 * The statuses that a controller last wrote to its objects. Some of it is counted nowhere else, such as a Job's
 * completions: a write of another client over it is found here, and reverted.
 */
export class StatusReports {
  readonly #last = new Map<string, unknown>()
  /** Written now, and perhaps refused. */
  readonly #pending = new Map<string, unknown>()

  /** The object with the status that was last reported of it; as it is where nothing was. */
  restored(object: KubeObject): KubeObject {
    const uid = uidOf(object)
    return this.#last.has(uid) ? { ...object, status: this.#last.get(uid) } : object
  }

  /** Does the object show what was reported? */
  isOwn(object: KubeObject): boolean {
    const uid = uidOf(object)
    return [this.#last, this.#pending].some((reports) => reports.has(uid) && jsonEqual(object.status, reports.get(uid)))
  }

  begin(object: KubeObject, status: object): void {
    this.#pending.set(uidOf(object), status)
  }

  /** The report that has begun was stored, or not. */
  end(object: KubeObject, isStored: boolean): void {
    const uid = uidOf(object)
    if (isStored && this.#pending.has(uid)) this.#last.set(uid, this.#pending.get(uid))
    this.#pending.delete(uid)
  }

  forget(object: KubeObject): void {
    this.#last.delete(uidOf(object))
  }
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
