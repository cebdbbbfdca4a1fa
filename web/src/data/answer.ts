import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import type { RefusalRow } from '../../../src/dashboard/answer/refusal-row.ts'
import type { LimitRow } from '../../../src/insight/top/limit-row.ts'
import type { ClaimRow, QueueRow } from '../../../src/insight/top/top.ts'

export type { RefusalRow }

/** A limit, with the time until nothing more fits where its history tells one. */
export type QuotaRow = LimitRow & { readonly exhaustedInSeconds?: number }

/** What the viewer may not list. */
export interface NotSeen {
  readonly resource: string
  readonly reason: string
}

export interface Settings {
  readonly warnAt: readonly number[]
  /** May the viewer list the ResourceQuotas of all namespaces? */
  readonly seesAll: boolean
}

export interface QuotasAnswer {
  readonly rows: readonly QuotaRow[]
  readonly notSeen: readonly NotSeen[]
}

export interface RefusalsAnswer {
  readonly rows: readonly RefusalRow[]
  readonly isWhole: boolean
  readonly notSeen: readonly NotSeen[]
}

export interface PoolAnswerRow {
  readonly pool: string
  readonly limits: readonly LimitRow[]
  readonly claims: number
  readonly waiting: number
  readonly namespaces: readonly {
    readonly namespace: string
    readonly claims: readonly { readonly name: string; readonly amounts: Readonly<Record<string, string>> }[]
  }[]
  readonly queue: readonly QueueRow[]
  readonly isWhole: boolean
}

export interface PoolsAnswer {
  readonly rows: readonly PoolAnswerRow[]
  /** Was the viewer's access to all namespaces of the pools looked at? */
  readonly isComplete: boolean
  readonly notSeen: readonly NotSeen[]
}

export interface IncreaseRow {
  readonly name: string
  readonly verdict: Explanation['verdict']
  readonly summary: string
  readonly causes: Explanation['causes']
}

export interface NamespaceAnswer {
  readonly namespace: string
  readonly quotas: readonly QuotaRow[]
  readonly claims: readonly ClaimRow[]
  readonly increases: readonly IncreaseRow[]
  readonly blocked: readonly Explanation[]
  readonly isWhole: boolean
  readonly unread: readonly string[]
  readonly refusals: readonly RefusalRow[]
  readonly notSeen: readonly NotSeen[]
}

export interface HistoryRow {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly resource: string
  readonly samples: readonly { readonly at: string; readonly used: string; readonly hard: string }[]
  readonly exhaustedInSeconds?: number
}

export interface HistoryAnswer {
  /** Absent: nothing is recorded yet. */
  readonly since?: string
  readonly rows: readonly HistoryRow[]
  readonly isWhole: boolean
  readonly notSeen: readonly NotSeen[]
}
