import type { OwnerReference } from '../../machinery/object.ts'

/** An object that names owners. */
export interface Dependent {
  readonly bucket: string
  readonly key: string
  readonly uid: string
  readonly links: readonly Link[]
}

/** One owner of a dependent. */
export interface Link {
  readonly uid: string
  /** Does the dependent keep an owner that is deleted in the foreground? */
  readonly blocks: boolean
  /** How the dependent calls its owner: apiVersion, kind and name. */
  readonly named: string
}

interface Owned {
  readonly uid: string
  readonly named: string
  readonly dependents: Set<Dependent>
  blocking: number
  gone: boolean
}

/** The effect of a change of one object's references on others. */
export interface IndexChange {
  /** Has the object other references than before? */
  readonly changed: boolean
  /** The owners that no dependent keeps any more. */
  readonly freed: readonly string[]
}

const NONE: ReadonlySet<Dependent> = new Set()
const UNCHANGED: IndexChange = { changed: false, freed: [] }

/** The dependents of owners, by uid. Objects without owners take no room in it. */
export class OwnershipIndex {
  readonly #buckets = new Map<string, Map<string, Dependent>>()
  readonly #owned = new Map<string, Owned>()

  dependentsOf(uid: string): ReadonlySet<Dependent> {
    return this.#owned.get(uid)?.dependents ?? NONE
  }

  /** How many dependents keep an owner with this uid. */
  blockersOf(uid: string): number {
    return this.#owned.get(uid)?.blocking ?? 0
  }

  /** Was an owner with this uid seen to go, and has it dependents left? */
  isGone(uid: string): boolean {
    return this.#owned.get(uid)?.gone === true
  }

  /** Takes note that the owner with this uid is gone; gives the dependents that it leaves. */
  leave(uid: string): ReadonlySet<Dependent> {
    const owned = this.#owned.get(uid)
    if (owned !== undefined) owned.gone = true
    return owned?.dependents ?? NONE
  }

  find(bucket: string, key: string): Dependent | undefined {
    return this.#buckets.get(bucket)?.get(key)
  }

  /** Takes note of the references of an object as it is now. */
  put(bucket: string, key: string, uid: string, references: readonly OwnerReference[] | undefined): IndexChange {
    const before = this.find(bucket, key)
    if (references === undefined || references.length === 0)
      return before === undefined ? UNCHANGED : this.remove(bucket, key)
    const links = this.#linksOf(uid, references)
    if (before !== undefined && before.uid === uid && isSame(before.links, links)) return UNCHANGED
    const dependent = { bucket, key, uid, links }
    // Before the old links go, lest an owner's entry go with its only dependent.
    for (const link of links) this.#attach(link, dependent)
    const freed = before === undefined ? [] : this.remove(bucket, key).freed
    let bucketOf = this.#buckets.get(bucket)
    if (bucketOf === undefined) this.#buckets.set(bucket, (bucketOf = new Map()))
    bucketOf.set(key, dependent)
    return { changed: true, freed: freed.filter((owner) => this.blockersOf(owner) === 0) }
  }

  /** Takes note that an object is gone. */
  remove(bucket: string, key: string): IndexChange {
    const dependent = this.find(bucket, key)
    if (dependent === undefined) return UNCHANGED
    this.#buckets.get(bucket)?.delete(key)
    const freed: string[] = []
    for (const { uid, blocks } of dependent.links) {
      const owned = this.#owned.get(uid)
      if (owned === undefined || !owned.dependents.delete(dependent)) continue
      if (blocks && --owned.blocking === 0) freed.push(uid)
      if (owned.dependents.size === 0) this.#owned.delete(uid)
    }
    return { changed: true, freed }
  }

  /** Forgets all dependents of a bucket that is not served any more; gives the owners that none keeps. */
  removeBucket(bucket: string): readonly string[] {
    const freed = [...(this.#buckets.get(bucket)?.keys() ?? [])].flatMap((key) => this.remove(bucket, key).freed)
    this.#buckets.delete(bucket)
    return freed
  }

  #attach({ uid, blocks, named }: Link, dependent: Dependent): void {
    let owned = this.#owned.get(uid)
    if (owned === undefined)
      this.#owned.set(uid, (owned = { uid, named, dependents: new Set(), blocking: 0, gone: false }))
    owned.dependents.add(dependent)
    if (blocks) owned.blocking++
  }

  /** One link for each owner, however often it is named. Nobody keeps itself. Texts are shared with the owner's entry. */
  #linksOf(own: string, references: readonly OwnerReference[]): readonly Link[] {
    const links = new Map<string, Link>()
    for (const { apiVersion, kind, name, uid, blockOwnerDeletion } of references) {
      const known = this.#owned.get(uid)
      const earlier = links.get(uid)
      const text = `${apiVersion}/${kind}/${name}`
      const named = known?.named === text ? known.named : text
      const blocks = (blockOwnerDeletion === true && uid !== own) || earlier?.blocks === true
      links.set(uid, {
        uid: known?.uid ?? uid,
        blocks,
        named: earlier === undefined ? named : `${earlier.named} ${named}`,
      })
    }
    return [...links.values()]
  }
}

const isSame = (before: readonly Link[], after: readonly Link[]): boolean =>
  before.length === after.length &&
  before.every((link, i) => {
    const other = after[i]
    return other !== undefined && link.uid === other.uid && link.blocks === other.blocks && link.named === other.named
  })
