import type { CountedCost, KindView, LedgerViews, Sight } from '../../../src/systems/counted/protocol/kind-view.ts'
import type { LedgerStatus } from '../../../src/systems/counted/protocol/ledger-status.ts'
import type { LedgerStore, LedgerViewSource, StoredLedger } from '../../../src/systems/counted/protocol/ledger-store.ts'
import type { ChargeRequest } from '../../../src/systems/counted/protocol/reserve.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'

export const PODS = '/v1/Pod'

interface Stored {
  readonly uid: string
  readonly version: number
  readonly cost: number
}

/** An API server with one namespace of pods and one ledger, as far as a ledger's protocol sees it. */
export class ScriptedServer {
  revision = 10
  readonly objects = new Map<string, Stored>()
  ledger: StoredLedger | undefined = { version: '10', status: undefined }
  readonly events: { readonly name: string; readonly uid: string; readonly version: number; readonly cost?: number }[] =
    []
  writes = 0

  put(name: string, uid: string, cost: number): void {
    const version = ++this.revision
    this.objects.set(name, { uid, version, cost })
    this.events.push({ name, uid, version, cost })
  }

  remove(name: string): void {
    const gone = this.objects.get(name)
    if (gone === undefined) return
    this.objects.delete(name)
    this.events.push({ name, uid: gone.uid, version: ++this.revision })
  }

  write(version: string, status: LedgerStatus): StoredLedger | 'conflict' {
    if (this.ledger?.version !== version) return 'conflict'
    this.writes++
    this.ledger = { version: String(++this.revision), status }
    return this.ledger
  }

  get total(): number {
    return this.objects.values().reduce((sum, { cost }) => sum + cost, 0)
  }
}

/** The part of it that one replica has seen. */
export class ScriptedView implements KindView, LedgerViewSource {
  readonly #server: ScriptedServer
  readonly #seen = new Map<string, Sight>()
  readonly #objects = new Map<string, CountedCost>()
  #at = 0
  revision = '10'
  generation = 1
  widenedAt = 1

  constructor(server: ScriptedServer) {
    this.#server = server
  }

  get newest(): string {
    return this.revision
  }

  get total(): Quantity {
    return this.#objects.values().reduce((sum, { cost }) => sum.add(cost), Quantity.zero)
  }

  get(_namespace: string, name: string): CountedCost | undefined {
    return this.#objects.get(name)
  }

  lastSight(_namespace: string, _name: string, uid: string): Sight | undefined {
    return this.#seen.get(uid)
  }

  current(): LedgerViews {
    const { generation, widenedAt } = this
    return { generation, widenedAt, selection: '', kinds: new Map([[PODS, this]]) }
  }

  async catchUp(): Promise<void> {
    await Promise.resolve()
    this.see()
  }

  /** Sees so many events, or all. */
  see(count = Infinity): void {
    for (const { name, uid, version, cost } of this.#server.events.slice(this.#at, this.#at + count)) {
      this.#at++
      this.revision = String(version)
      this.#seen.set(uid, { version: String(version), isGone: cost === undefined })
      if (cost === undefined) this.#objects.delete(name)
      else this.#objects.set(name, { uid, version: String(version), cost: Quantity.of(cost) })
    }
    if (count === Infinity) this.revision = String(this.#server.revision)
  }
}

/** The ledger as one replica reaches it. */
export class ScriptedStore implements LedgerStore {
  readonly server: ScriptedServer
  /** The versions that somebody else wrote than a replica. */
  readonly foreign = new Set<string>()
  #known: StoredLedger | undefined

  constructor(server: ScriptedServer) {
    this.server = server
    this.#known = server.ledger
  }

  read(): StoredLedger | undefined {
    const known = this.#known
    return known !== undefined && this.foreign.has(known.version) ? { ...known, isForeign: true } : known
  }

  async readLive(): Promise<StoredLedger | undefined> {
    await Promise.resolve()
    this.#known = this.server.ledger
    return this.read()
  }

  async write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'> {
    await Promise.resolve()
    const written = this.server.write(version, status)
    if (written !== 'conflict') this.#known = written
    return written
  }
}

let ids = 0

/** A request to create an object. */
export const creating = (name: string, uid: string, cost: number): ChargeRequest => ({
  operation: 'CREATE',
  kind: PODS,
  namespace: 'n',
  name,
  uid,
  base: '',
  cost: Quantity.of(cost),
  oldCost: Quantity.zero,
  id: `c${++ids}`,
})

/** A request to update the object of a name as the server has it. */
export function updating(server: ScriptedServer, name: string, cost: number): ChargeRequest {
  const { uid, version, cost: oldCost } = server.objects.get(name) ?? { uid: '', version: 0, cost: 0 }
  return {
    ...creating(name, uid, cost),
    operation: 'UPDATE',
    base: String(version),
    oldCost: Quantity.of(oldCost),
  }
}
