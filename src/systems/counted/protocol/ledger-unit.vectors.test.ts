// Covers ledger-admission.ts, reserve.ts and fold.ts, by the vectors.
import { expect } from 'vitest'
import { compiled } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import {
  creating,
  PODS,
  ScriptedServer,
  ScriptedStore,
  ScriptedView,
} from '../../../../test/systems/counted/scripted-ledger.ts'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import type { LedgerReservation, QuantityLedgerStatus } from '../api/quantity-ledger.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { percentageOf } from '../../../quantity/exact-decimal.ts'
import { costOf } from '../../custom-quota/decide/object-cost.ts'
import { writesObject } from '../replica/writing-subresources.ts'
import { fold, isDecidable } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { decideCharges, LEDGER_AMOUNT, ledgerAmounts } from './ledger-budget.ts'
import { EMPTY_LEDGER, type LedgerState, reservedOf, totalOf } from './ledger-state.ts'
import { firstLedger, ledgerStatus } from './ledger-status.ts'
import { prepareRequest, reserve } from './reserve.ts'
import { reconciled } from './reconciled.ts'

const FILE = 'capsule/ledger-unit.json'
const READERS = { quotaKey: 'tenant-a/q', now: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T00:02:00Z' }
const QUOTA = { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'tenant-a', name: 'q' }

interface Ref {
  readonly name?: string
  readonly uid?: string
}
interface Reserved {
  readonly id: string
  readonly usage: string
  readonly delta?: string
  readonly objectRef?: Ref
}
interface Claim {
  readonly name: string
  readonly uid: string
  readonly usage: string
}
interface Ledger {
  readonly allocated?: string
  readonly reserved?: string
  readonly reservations?: readonly Reserved[]
  readonly pendingDeletes?: readonly { readonly id: string; readonly objectRef: Ref }[]
}
interface WantedLedger extends Ledger {
  readonly reservationIds?: readonly string[]
  readonly reservationDeltas?: readonly string[]
  readonly pendingDeleteIds?: readonly string[]
  readonly pendingDeleteUIDs?: readonly string[]
}
interface Quota {
  readonly spec: JsonObject
  readonly status: { readonly observedGeneration: number }
}

type Case = { readonly name: string } & (
  | {
      fn: 'reserveCreate'
      limit: string
      ledger: Ledger
      reservation: Reserved
      want: { effectiveAllocated: string }
      wantLedger: WantedLedger
    }
  | { fn: 'replaceUsage'; limit: string; ledger: Ledger; oldUsage: string; newUsage: string; wantLedger: WantedLedger }
  | { fn: 'reservationDelta'; reservation: Reserved; want: string }
  | {
      fn: 'admitUpdateStatus'
      quota: Quota
      ledger: Ledger
      oldObject: KubeObject
      object: KubeObject
      wantLedger: WantedLedger
    }
  | { fn: 'admitAny'; operations: readonly string[] }
  | { fn: 'readyForAdmission'; generation: number; status: { observedGeneration: number }; want: boolean }
  | { fn: 'matchAllQuotas'; quota: Quota; object: KubeObject; wantMatches: number }
  | { fn: 'targetsCache'; specSources: readonly JsonObject[]; wantKinds: readonly string[] }
  | { fn: 'usagePercentage'; used: string; limit: string; want: number }
  | { fn: 'workDelay'; reservationAgesMs: readonly number[]; want: { hasWork: boolean; delayMs: number } }
  | {
      fn: 'materializedPositions'
      reservations: readonly Reserved[]
      claims: readonly Claim[]
      wantClearedCount: number
    }
  | {
      fn: 'reconcileLedger'
      used: string
      claims: readonly Claim[]
      ledger: Ledger
      wantRequeue?: boolean
      wantLedger: WantedLedger
    }
)

const quantity = (text: string): Quantity => Quantity.parse(text)

/** Views that have seen just these objects; nothing else was ever there, or everything is gone that `gone` names. */
function viewsOf(claims: readonly Claim[], gone: readonly string[] = []): LedgerViews {
  const total = claims.reduce((sum, { usage }) => sum.add(quantity(usage)), Quantity.zero)
  const view = {
    revision: '30',
    newest: '30',
    total,
    get: (_: string, name: string) => {
      const found = claims.find((one) => one.name === name)
      return found && { uid: found.uid, version: '20', cost: quantity(found.usage) }
    },
    lastSight: (_: string, __: string, uid: string) =>
      gone.includes(uid) || claims.some((one) => one.uid === uid)
        ? { version: '20', isGone: gone.includes(uid) }
        : undefined,
  }
  return { generation: 1, selection: '', kinds: new Map([[PODS, view]]) }
}

/** A ledger that has observed so much and has nothing outstanding. */
const observedLedger = (allocated: string): LedgerState =>
  fold(EMPTY_LEDGER, viewsOf([{ name: 'rest', uid: 'rest', usage: allocated }]))

const capsuleReservation = ({ id, usage, delta, objectRef }: Reserved): LedgerReservation => ({
  id,
  usage,
  ...(delta === undefined ? {} : { delta }),
  objectRef: { apiVersion: 'v1', kind: 'Pod', namespace: 'tenant-a', ...objectRef },
  createdAt: READERS.now,
  updatedAt: READERS.now,
})

/** A status is compared in the fields that a case names. */
function expectLedger(status: Partial<QuantityLedgerStatus>, wanted: WantedLedger): void {
  const { reservations = [], pendingDeletes = [] } = status
  if (wanted.allocated !== undefined) expect(status.allocated).toBe(wanted.allocated)
  if (wanted.reserved !== undefined) expect(status.reserved).toBe(wanted.reserved)
  const ids = wanted.reservationIds ?? wanted.reservations?.map(({ id }) => id)
  if (ids !== undefined) expect(reservations.map(({ id }) => id)).toEqual(ids)
  if (wanted.reservationDeltas !== undefined)
    expect(reservations.map(({ delta }) => delta)).toEqual(wanted.reservationDeltas)
  const deletes = wanted.pendingDeleteIds ?? wanted.pendingDeletes?.map(({ id }) => id)
  if (deletes !== undefined) expect(pendingDeletes.map(({ id }) => id)).toEqual(deletes)
  if (wanted.pendingDeleteUIDs !== undefined)
    expect(pendingDeletes.map(({ objectRef }) => objectRef.uid)).toEqual(wanted.pendingDeleteUIDs)
}

async function workOf(reservations: number): Promise<{ hasWork: boolean; delayMs: number }> {
  const server = new ScriptedServer()
  const ledger = new LedgerAdmission({
    ref: QUOTA,
    store: new ScriptedStore(server),
    views: new ScriptedView(server),
    limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(10) }),
    clock: () => 0,
    statusOf: (state, old) => ledgerStatus(state, old, READERS),
    patience: 70_000,
  })
  await ledger.open('')
  for (let index = 0; index < reservations; index++) await ledger.reserve([creating(`a${index}`, `u${index}`, 1)], 1000)
  const delayMs = await ledger.reconcile()
  return { hasWork: delayMs !== undefined, delayMs: delayMs ?? 0 }
}

async function check(value: Case): Promise<void> {
  switch (value.fn) {
    case 'reserveCreate': {
      const state = observedLedger(value.ledger.allocated ?? '0')
      const views = viewsOf([{ name: 'rest', uid: 'rest', usage: value.ledger.allocated ?? '0' }])
      const charge = { ...creating('pod-a', 'u1', 0), cost: quantity(value.reservation.usage) }
      const room = ledgerAmounts({ limits: () => ({ [LEDGER_AMOUNT]: quantity(value.limit) }) }, state, views)
      const judged = { prepared: [prepareRequest(state, views, charge)], dryRun: true }
      expect(decideCharges(room, [judged])).toEqual([{ verdict: 'admitted' }])
      expect(totalOf(reserve(state, prepareRequest(state, views, charge))).toString()).toBe(
        value.want.effectiveAllocated,
      )
      return expectLedger(ledgerStatus(state, undefined, READERS), value.wantLedger)
    }
    case 'replaceUsage': {
      const views = viewsOf([{ name: 'pod-a', uid: 'u1', usage: value.oldUsage }])
      const state = fold(EMPTY_LEDGER, views)
      const charge = {
        ...creating('pod-a', 'u1', 0),
        operation: 'UPDATE',
        base: '20',
        cost: quantity(value.newUsage),
        oldCost: quantity(value.oldUsage),
      } as const
      const after = reserve(state, prepareRequest(state, views, charge))
      return expectLedger(ledgerStatus(after, undefined, READERS), value.wantLedger)
    }
    case 'reservationDelta': {
      const { usage, delta = usage } = value.reservation
      const before = quantity(usage).sub(quantity(delta))
      const views = viewsOf(before.isZero() ? [] : [{ name: 'pod-a', uid: 'u1', usage: before.toString() }])
      const one = capsuleReservation({ ...value.reservation, id: 'r', objectRef: { name: 'pod-a', uid: 'u1' } })
      expect(reservedOf(firstLedger([one], views, '')).toString()).toBe(value.want)
      return
    }
    case 'admitUpdateStatus': {
      const quota = compiled(value.quota.spec)
      const [cost, oldCost] = [value.object, value.oldObject].map((one) => costOf(quota, one) ?? Quantity.zero)
      if (cost === undefined || oldCost === undefined) throw new Error('two objects are measured')
      // A write of a status is charged to no ledger, so none refuses it.
      expect(writesObject('status')).toBe(false)
      return expectLedger(
        ledgerStatus(observedLedger(value.ledger.allocated ?? '0'), undefined, READERS),
        value.wantLedger,
      )
    }
    case 'admitAny':
      expect(value.operations).toEqual(['UPDATE status', 'DELETE'])
      expect(writesObject('status')).toBe(false)
      return
    case 'readyForAdmission': {
      const views = { ...viewsOf([]), generation: value.status.observedGeneration }
      const state = fold(EMPTY_LEDGER, { ...viewsOf([]), generation: value.generation })
      expect(isDecidable(fold(state, views), views)).toBe(value.want)
      return
    }
    case 'matchAllQuotas':
      expect(costOf(compiled(value.quota.spec), value.object) === undefined ? 0 : 1).toBe(value.wantMatches)
      return
    case 'targetsCache':
      expect(compiled({ sources: value.specSources }).kinds.map(({ kind }) => kind)).toEqual(value.wantKinds)
      return
    case 'usagePercentage':
      expect(Number(percentageOf(quantity(value.used), quantity(value.limit)))).toBe(value.want)
      return
    case 'workDelay':
      expect(await workOf(value.reservationAgesMs.length)).toEqual(value.want)
      return
    case 'materializedPositions': {
      // The reservations are of updates of two states of one object, which has changed since.
      const seen = viewsOf(value.claims)
      let state = fold(EMPTY_LEDGER, viewsOf([]))
      for (const [index, { usage, objectRef }] of value.reservations.entries()) {
        const charge = { ...creating(objectRef?.name ?? '', objectRef?.uid ?? '', 0), cost: quantity(usage) }
        state = reserve(
          state,
          prepareRequest(state, seen, { ...charge, operation: 'UPDATE', base: String(11 + index) }),
        )
      }
      const count = (one: LedgerState): number =>
        one.names.values().reduce((sum, { reservations }) => sum + reservations.length, 0)
      expect(count(state) - count(fold(state, seen))).toBe(value.wantClearedCount)
      return
    }
    case 'reconcileLedger': {
      const { ledger, claims } = value
      const gone = (ledger.pendingDeletes ?? []).flatMap(({ objectRef: { uid = '' } }) =>
        claims.some((one) => one.uid === uid) ? [] : [uid],
      )
      const rest = quantity(value.used).sub(claims.reduce((sum, { usage }) => sum.add(quantity(usage)), Quantity.zero))
      const others = rest.isZero() ? [] : [{ name: 'rest', uid: 'rest', usage: rest.toString() }]
      const views = viewsOf([...claims, ...others], gone)
      const state = reconciled(firstLedger((ledger.reservations ?? []).map(capsuleReservation), views, ''), views)
      if (value.wantRequeue !== undefined) expect(state.names.size > 0).toBe(value.wantRequeue)
      return expectLedger(ledgerStatus(state, ledger as Partial<QuantityLedgerStatus>, READERS), value.wantLedger)
    }
    default:
      value satisfies never
  }
}

const { cases } = vectors<{ cases: readonly Case[] }>(FILE)

eachCase(FILE, cases, ({ fn, name }) => `${fn} ${name}`, check)
