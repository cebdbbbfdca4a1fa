import type { ObjectName } from '../client/kube-client.ts'

/** Reports that an object has changed; `by` is the writer where it was this process. */
export type ReportChange<T> = (old: T | undefined, current: T | undefined, name: ObjectName, by?: string) => void

/** The changes of an object that are not reported yet, as one. */
interface Withheld<T> {
  readonly old: T | undefined
  current: T | undefined
  readonly versions: Set<string>
  /** When it began, in sweeps. */
  readonly since: number
}

/** An object that this process is writing. */
interface Written<T> {
  readonly name: ObjectName
  /** How many writes are under way. */
  underWay: number
  /** The versions that they made, and their writers. */
  readonly own: Map<string, string>
  withheld: Withheld<T> | undefined
}

/**
 * Reports the changes of objects. A watch often shows a write of this process before the answer to it arrives. So changes of an object
 * that is being written are withheld, and reported together when the answer has shown whose they are.
 */
export class OwnWrites<T> {
  readonly #report: ReportChange<T>
  readonly #withholds: () => void
  readonly #objects = new Map<string, Written<T>>()
  #sweeps = 0

  /** `withholds` is called whenever a change is withheld: then somebody has to sweep after a while. */
  constructor(report: ReportChange<T>, withholds: () => void) {
    this.#report = report
    this.#withholds = withholds
  }

  /** A write of this object is sent. Gives the function that ends this, to be called once. */
  begin(name: ObjectName): () => void {
    const key = keyOf(name)
    const written = this.#objects.get(key) ?? { name, underWay: 0, own: new Map(), withheld: undefined }
    this.#objects.set(key, written)
    written.underWay++
    return () => {
      written.underWay--
      if (written.underWay > 0) return
      this.#objects.delete(key)
      this.#release(written)
    }
  }

  /** The answer to a write has come: the object had this version then. */
  answered(name: ObjectName, version: string, by: string): void {
    this.#objects.get(keyOf(name))?.own.set(version, by)
  }

  /** An object has changed, and is of this version now. */
  changed(old: T | undefined, current: T | undefined, name: ObjectName, version: string, by?: string): void {
    const written = this.#objects.get(keyOf(name))
    if (written === undefined) return this.#report(old, current, name, by)
    written.withheld ??= { old, current, versions: new Set(), since: this.#sweeps }
    written.withheld.current = current
    written.withheld.versions.add(version)
    this.#withholds()
  }

  /** An object is gone. */
  gone(old: T, name: ObjectName): void {
    const written = this.#objects.get(keyOf(name))
    if (written !== undefined) this.#release(written)
    this.#report(old, undefined, name)
  }

  /** Reports what is withheld: somebody is about to read all that is there. */
  releaseAll(): void {
    for (const written of this.#objects.values()) this.#release(written)
  }

  /** Reports what has been withheld since the sweep before this one. Gives whether anything is withheld still. */
  sweep(): boolean {
    let isLeft = false
    for (const written of this.#objects.values())
      if (written.withheld?.since === this.#sweeps) isLeft = true
      else this.#release(written)
    this.#sweeps++
    return isLeft
  }

  #release(written: Written<T>): void {
    const { withheld, name, own } = written
    if (withheld === undefined) return
    written.withheld = undefined
    const writers = new Set([...withheld.versions].map((version) => own.get(version)))
    const [by] = writers
    // Where somebody else changed it too, what is reported is a change of nobody's own.
    this.#report(withheld.old, withheld.current, name, writers.size === 1 ? by : undefined)
  }
}

const keyOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`
