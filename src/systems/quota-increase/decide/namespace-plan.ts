import {
  BASE_LABEL,
  EFFECT_ANNOTATION,
  IGNORE_OPERATION,
  INCREASES_MANAGED_BY_LABEL,
  MODE_LABEL,
  FILE_PROVIDER,
  OPERATION_ANNOTATIONS,
  PROBLEM_ANNOTATION,
} from '../api/increase-names.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import type { QuotaIncrease } from '../api/quota-increase.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { Labels } from '../../../machinery/selector/requirement.ts'
import { enforcesItsLimits } from '../../generated-quota/decide/enforced-limits.ts'
import { applyIncreases, type IncreaseOutcome, type IncreasesOutcome } from './apply-increases.ts'
import { definitionFor, isForeign, type QuotaDefinitions } from './definitions.ts'
import {
  blockedUnder,
  type IncreaseProgress,
  type IncreaseStatus,
  progressUnder,
  statusChange,
  UNSELECTED,
} from './increase-status.ts'
import type { IncreaseProblem } from './usable-increases.ts'
import { generatedQuota, hasScopesOf, isUpToDate, writtenOver } from './generated-quota.ts'

/** The facts about a namespace that its plan needs. */
export interface NamespaceState {
  readonly name: string
  readonly uid: string
  readonly labels?: Labels
  /** Those that are the operator's business. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Is it being deleted? */
  readonly deleting: boolean
}

export interface NamespacePlanInput {
  readonly definitions: QuotaDefinitions
  /** The manager of the quotas, as their label names it. */
  readonly provider: string
  readonly namespace: NamespaceState
  /** Those of the namespace that the provider keeps. */
  readonly quotas: readonly ResourceQuota[]
  readonly increases: readonly QuotaIncrease[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Labels or annotations to set; those that are null go. */
export type MetadataChange = Readonly<Record<string, string | null>>

/** A write to the labels and annotations of a namespace. */
export interface NamespaceChange {
  readonly labels: MetadataChange
  readonly annotations: MetadataChange
}

/** The plan for the quota of the namespace. */
export type QuotaStep =
  /** Nothing is to be done. */
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly quota: ResourceQuota }
  /** A PUT with the version that was seen. `old`: as it was. */
  | { readonly kind: 'update'; readonly quota: ResourceQuota; readonly old: ResourceQuota }
  /** The scopes of a quota cannot change, so what was seen is deleted and another one created at once. */
  | { readonly kind: 'replace'; readonly quota: ResourceQuota; readonly old: ResourceQuota }
  /** It is being deleted, and its finalizers keep it: nobody but the operator may do that. */
  | { readonly kind: 'let-go'; readonly quota: ResourceQuota }
  /** It is being deleted and goes by itself. */
  | { readonly kind: 'wait' }

export interface IncreaseChange {
  readonly increase: QuotaIncrease
  readonly labels: MetadataChange
  readonly annotations: MetadataChange
  /** Why it does not apply, if that is what the annotations begin to say. */
  readonly problem?: IncreaseProblem
  /** What its status is to say, if it says something else. */
  readonly status?: IncreaseStatus
}

/** All that is to be written for a namespace, in the order in which it is to be written. */
export interface NamespacePlan {
  /** The definition that it follows, and what its increases come to. */
  readonly follows: { readonly definition: QuotaDefinition; readonly outcome: IncreasesOutcome } | undefined
  /** The write before the quota is written: it takes the namespace for the provider. */
  readonly take: NamespaceChange
  readonly quota: QuotaStep
  /** The write after that of the quota: it says which one is in force. */
  readonly standing: NamespaceChange
  /** The annotations of increases, written after the quota, so that they report enforced amounts. */
  readonly increases: readonly IncreaseChange[]
  /** Increases that raise nothing, since the namespace follows no definition. */
  readonly unselected: readonly QuotaIncrease[]
  /** Increases that contribute nothing; to be looked at once more before they go. */
  readonly deletions: readonly IncreaseOutcome[]
  /** The write before the last quota is deleted: it releases the namespace. */
  readonly release: NamespaceChange
  /** Quotas of definitions that the namespace does not follow; last, since they say that the namespace was taken. */
  readonly orphans: readonly ResourceQuota[]
}

const NONE: MetadataChange = Object.freeze({})
const NO_CHANGE: NamespaceChange = Object.freeze({ labels: NONE, annotations: NONE })
const NOTHING: NamespacePlan = Object.freeze({
  follows: undefined,
  take: NO_CHANGE,
  quota: { kind: 'none' } as const,
  standing: NO_CHANGE,
  increases: [],
  unselected: [],
  deletions: [],
  release: NO_CHANGE,
  orphans: [],
})

/**
 * Decides what is to be written for a namespace. Another quota takes the place of one only when it is enforced, so that the
 * namespace is never without a limit. Throws QuantityError where a stored quota holds an invalid amount.
 */
export function planNamespace(input: NamespacePlanInput): NamespacePlan {
  const { definitions, provider, namespace } = input
  if (isLeftAlone(namespace, definitions, provider)) return namespace.deleting ? NOTHING : withdraw(input)
  const definition = definitionFor(definitions, namespace, provider)
  return definition === undefined ? leave(input) : follow(input, definition)
}

/** Is nothing done in the namespace: it is being deleted, its users ask for that, or another program keeps it? */
export function isLeftAlone(
  { deleting, labels = {}, annotations = {} }: NamespaceState,
  { external }: QuotaDefinitions,
  provider: string,
): boolean {
  return (
    deleting ||
    OPERATION_ANNOTATIONS.some((name) => annotations[name] === IGNORE_OPERATION) ||
    isForeign(labels, external, provider)
  )
}

/** Takes back what was said of increases that nobody decides about any more: whoever waits for them would wait for ever. */
function withdraw({ increases }: NamespacePlanInput): NamespacePlan {
  const spoken = increases.filter(({ status }) => status?.observedGeneration !== undefined)
  if (spoken.length === 0) return NOTHING
  return { ...NOTHING, increases: spoken.flatMap((increase) => progressChange(increase, undefined)) }
}

function follow(input: NamespacePlanInput, definition: QuotaDefinition): NamespacePlan {
  const { namespace, quotas, increases, provider, now } = input
  const outcome = applyIncreases({ definition, namespace, increases, now })
  const old = quotas.find(({ metadata }) => metadata.name === definition.name)
  const wanted = generatedQuota({ definition, namespace, hard: outcome.hard, provider })
  const quota: QuotaStep = old === undefined ? { kind: 'create', quota: wanted } : stepOver(old, wanted, definition)
  const mayGo = quota.kind === 'none' && old !== undefined && isInForce(old, now)
  const others = quotas.filter((other) => other !== old)
  return {
    follows: { definition, outcome },
    take: { labels: changeOf(namespace.labels, takenBy(provider)), annotations: NONE },
    quota,
    // While another quota is in force, the labels name that one.
    standing: others.length === 0 || mayGo ? standingOf(namespace, definition) : NO_CHANGE,
    increases: outcome.increases
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap((one) => increaseChange(one, definition)),
    unselected: [],
    deletions: outcome.increases.filter(({ isDeleted }) => isDeleted),
    release: NO_CHANGE,
    orphans: mayGo ? others : [],
  }
}

/** The namespace follows no definition any more: what was written for it goes. */
function leave({ namespace, quotas, increases, definitions, provider }: NamespacePlanInput): NamespacePlan {
  const base = namespace.labels?.[BASE_LABEL]
  const isOurs =
    quotas.length > 0 ||
    namespace.labels?.[INCREASES_MANAGED_BY_LABEL] === provider ||
    definitions.quotas.some(({ name }) => name === base)
  if (!isOurs) {
    const statuses = increases.flatMap((increase) => progressChange(increase, UNSELECTED))
    return increases.length === 0 ? NOTHING : { ...NOTHING, unselected: increases, increases: statuses }
  }
  const gone = { [BASE_LABEL]: null, [MODE_LABEL]: null, [INCREASES_MANAGED_BY_LABEL]: null }
  return {
    ...NOTHING,
    increases: increases.flatMap((increase): readonly IncreaseChange[] => {
      const labels = changeOf(increase.metadata.labels, { [MODE_LABEL]: null })
      const annotations = changeOf(increase.metadata.annotations, {
        [EFFECT_ANNOTATION]: null,
        [PROBLEM_ANNOTATION]: null,
      })
      return changes({ increase, labels, annotations, ...statusChange(increase, UNSELECTED) })
    }),
    unselected: increases,
    release: {
      labels: changeOf(namespace.labels, gone),
      annotations: changeOf(namespace.annotations, { [PROBLEM_ANNOTATION]: null }),
    },
    orphans: quotas,
  }
}

/** Decides how a quota takes the place of the one of its name that is there. */
export function stepOver(
  old: ResourceQuota,
  quota: ResourceQuota,
  definition: QuotaDefinition,
): Exclude<QuotaStep, { kind: 'create' }> {
  const { finalizers = [], ...metadata } = old.metadata
  if (metadata.deletionTimestamp !== undefined)
    return finalizers.length === 0 ? { kind: 'wait' } : { kind: 'let-go', quota: { ...old, metadata } }
  if (!hasScopesOf(old, definition)) return { kind: 'replace', quota, old }
  return isUpToDate(old, quota) ? { kind: 'none' } : { kind: 'update', quota: writtenOver(quota, old), old }
}

/** How long a server may take to enforce a quota before another one goes all the same: some servers enforce none. */
const PATIENCE_MS = 60_000

/** Does admission go by the quota, or has it been there for long? */
const isInForce = (quota: ResourceQuota, now: number): boolean =>
  enforcesItsLimits(quota) ?? now - Date.parse(quota.metadata.creationTimestamp ?? '') > PATIENCE_MS

/** Up to 0.18 the operator has one name for all, which says nothing on a namespace. */
const takenBy = (provider: string): MetadataChange =>
  provider === FILE_PROVIDER ? NONE : { [INCREASES_MANAGED_BY_LABEL]: provider }

const standingOf = ({ labels, annotations }: NamespaceState, { name, mode }: QuotaDefinition): NamespaceChange => ({
  labels: changeOf(labels, { [BASE_LABEL]: name, [MODE_LABEL]: mode }),
  annotations: changeOf(annotations, { [PROBLEM_ANNOTATION]: null }),
})

/** The write where a namespace cannot have its quota: it says why, and names no quota where none is in force. */
export function refusedChange(
  { labels, annotations }: NamespaceState,
  quotas: readonly ResourceQuota[],
  why: string,
): NamespaceChange {
  return {
    labels: quotas.length > 0 ? NONE : changeOf(labels, { [BASE_LABEL]: null, [MODE_LABEL]: null }),
    annotations: changeOf(annotations, { [PROBLEM_ANNOTATION]: why }),
  }
}

/** The writes where a namespace cannot have its quota: each increase that would apply says why it does not. */
export function refusedIncreases({ follows }: NamespacePlan, why: string): readonly IncreaseChange[] {
  const kept = follows?.outcome.increases.filter(({ isDeleted }) => !isDeleted) ?? []
  return kept.flatMap(({ increase, problem }) => progressChange(increase, blockedUnder(problem, why)))
}

const progressChange = (increase: QuotaIncrease, progress: IncreaseProgress | undefined): readonly IncreaseChange[] =>
  changes({ increase, labels: NONE, annotations: NONE, ...statusChange(increase, progress) })

function increaseChange(outcome: IncreaseOutcome, { mode }: QuotaDefinition): readonly IncreaseChange[] {
  const { increase, text, problem } = outcome
  const { labels, annotations } = increase.metadata
  const wanted = { [EFFECT_ANNOTATION]: text, [PROBLEM_ANNOTATION]: problem?.message ?? null }
  const changed = changeOf(annotations, wanted)
  return changes({
    increase,
    labels: changeOf(labels, { [MODE_LABEL]: mode }),
    annotations: changed,
    ...statusChange(increase, progressUnder(problem)),
    ...(problem === undefined || changed[PROBLEM_ANNOTATION] === undefined ? {} : { problem }),
  })
}

const changes = (change: IncreaseChange): readonly IncreaseChange[] =>
  isNone(change.labels) && isNone(change.annotations) && change.status === undefined ? [] : [change]

/** Does it change nothing? */
export const isNone = (change: MetadataChange): boolean => Object.keys(change).length === 0

/** The part of what is wanted that is not so yet. */
function changeOf(given: Readonly<Record<string, string>> = {}, wanted: MetadataChange): MetadataChange {
  const entries = Object.entries(wanted).filter(([name, value]) => (given[name] ?? null) !== value)
  return entries.length === 0 ? NONE : Object.fromEntries(entries)
}
