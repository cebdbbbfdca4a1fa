import { karmadaQuota, type KarmadaQuotaSpec } from '../../../src/systems/karmada-quota/api/karmada-quota.ts'
import { bindingCharges } from '../../../src/systems/karmada-quota/decide/binding-charges.ts'
import { compileKarmadaQuota, costsOf } from '../../../src/systems/karmada-quota/decide/costs.ts'
import type { CountedCost, KindView, LedgerViews } from '../../../src/systems/counted/protocol/kind-view.ts'
import { LedgerAdmission } from '../../../src/systems/counted/protocol/ledger-admission.ts'
import { LedgerRefused } from '../../../src/systems/counted/protocol/ledger-errors.ts'
import { totalsOf } from '../../../src/systems/counted/protocol/ledger-state.ts'
import { firstLedger, type LedgerStatus, readLedger } from '../../../src/systems/counted/protocol/ledger-status.ts'
import { ledgerText } from '../../../src/systems/counted/protocol/ledger-text.ts'
import { exceededText } from '../../../src/charges/refusal-text.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../src/quantity/resource-list.ts'

export interface StoredQuota {
  readonly name: string
  readonly spec: KarmadaQuotaSpec
  readonly status: { readonly hard?: Record<string, string>; readonly used?: Record<string, string> | null }
}

const AMOUNT = (kind: string): string => kind

/** The ledger of one quota that counted its usage before the request, as one replica has it. */
export class QuotaUnderTest {
  readonly compiled: ReturnType<typeof compileKarmadaQuota>
  readonly admission: LedgerAdmission
  readonly #name: string
  #status: LedgerStatus
  #version = 1

  constructor({ name, spec, status }: StoredQuota, oldObject: KubeObject | undefined) {
    this.#name = name
    // Decisions go by the spec, where a vector says what is in it.
    const hard = spec.hard ?? status.hard ?? {}
    this.compiled = compileKarmadaQuota({ ...spec, hard })
    const old = oldObject === undefined ? {} : costsOf(this.compiled, oldObject)
    const kinds = Object.keys(hard).map((kind): [string, KindView] => [
      kind,
      new FixedView(Quantity.parse(status.used?.[kind] ?? '0'), quantityOf(old, kind)),
    ])
    const views: LedgerViews = { generation: 1, selection: '', kinds: new Map(kinds) }
    // A quota whose usage nobody has counted has no ledger either.
    this.#status = status.used ? { outstanding: ledgerText(firstLedger([], views, '')) } : {}
    this.admission = new LedgerAdmission({
      ref: { group: karmadaQuota.group, kind: karmadaQuota.kind, namespace: 'ns', name },
      store: {
        read: () => ({ version: String(this.#version), status: this.#status }),
        readLive: async () => ({ version: String(this.#version), status: this.#status }),
        write: async (_version, written) => {
          this.#status = written
          return { version: String(++this.#version), status: written }
        },
      },
      views: { current: () => views, catchUp: async () => undefined },
      limits: () => this.compiled.hard,
      amountOf: AMOUNT,
      clock: () => 0,
      statusOf: (state) => ({ outstanding: ledgerText(state) }),
      patience: 60_000,
    })
  }

  get used(): ResourceList {
    const read = readLedger(this.#status)
    return read.type === 'ledger' ? totalsOf(read.state, AMOUNT) : {}
  }

  get writes(): number {
    return this.#version - 1
  }

  charges(operation: 'CREATE' | 'UPDATE', object: KubeObject, oldObject: KubeObject | undefined, id: string) {
    const charges = bindingCharges(this.compiled, object, oldObject).map(({ limit: kind, ...costs }) => ({
      operation,
      kind,
      namespace: 'ns',
      name: object.metadata.name ?? '',
      uid: 'uid',
      base: operation === 'CREATE' ? '' : '5',
      ...costs,
      id,
    }))
    return { ledger: this.admission, charges }
  }

  refusalText(error: unknown): string {
    if (error instanceof LedgerRefused)
      return error.refusals.map(({ budget, excesses }) => exceededText(budget.name, excesses)).join('; ')
    return `${this.#name}: ${String(error)}`
  }
}

class FixedView implements KindView {
  readonly revision = '5'
  readonly newest = '5'
  readonly total: Quantity
  readonly #cost: Quantity | undefined

  constructor(total: Quantity, cost: Quantity | undefined) {
    this.total = total
    this.#cost = cost
  }

  get(): CountedCost | undefined {
    return this.#cost === undefined ? undefined : { uid: 'uid', version: '5', cost: this.#cost }
  }

  lastSight() {
    return this.#cost === undefined ? undefined : { version: '5', isGone: false }
  }
}
