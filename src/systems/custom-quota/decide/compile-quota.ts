import { Run } from '../../../cel/types/run-budget.ts'
import type { CustomQuotaSpec } from '../api/custom-quota.ts'
import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import type { QuotaSource } from '../api/source.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { Quantity, QuantityError } from '../../../quantity/quantity.ts'
import { limitProblem } from '../../../quantity/limit.ts'
import {
  compileAnyLabelSelector,
  type LabelSelector,
  validateLabelSelector,
} from '../../../machinery/selector/label.ts'
import type { LabelMatcher } from '../../../machinery/selector/requirement.ts'
import { type AmountOf, compileAmount, pathFinder } from './compile-amount.ts'
import { type CompileContext, compileSelectors, type Dialect, type ObjectMatcher } from './compile-selectors.ts'
import { countsNothing } from './counts-nothing.ts'
import { kindProblems } from './kind-problems.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { DEFAULT_BOUNDS, type Effort, MAX_COMPILE_COST, type QuotaBounds } from './quota-bounds.ts'
import { selfWrittenProblems } from './self-written.ts'
import { sizeProblems } from './size-problems.ts'
import { kindText, type SourceKind, sourceKind } from './source-kind.ts'

/** One source of a quota, ready to measure objects. */
export interface CompiledSource {
  readonly source: QuotaSource
  readonly kind: SourceKind
  readonly selects: ObjectMatcher
  readonly amount: AmountOf
  /** Does the path of the source find anything in an object? Undefined for a source without a path. */
  readonly finds: ((object: KubeObject, effort: Effort) => boolean) | undefined
}

/** A custom quota, ready to measure objects. A value: it stays valid as long as the spec does. */
export interface CompiledQuota {
  readonly limit: Quantity
  /** In the order of the spec. */
  readonly sources: readonly CompiledSource[]
  /** The kinds that are counted, each once, in the order of the sources. */
  readonly kinds: readonly SourceKind[]
  /** Matches the labels of the objects that are counted. */
  readonly inScope: LabelMatcher
  /** Whether objects outside namespaces, and those of every namespace, are counted. True for a CustomQuota, which counts its own. */
  readonly everywhere: boolean
  /** The selectors of namespaces that can match any. */
  readonly namespaceSelectors: readonly LabelSelector[]
  /** Whether a namespace with these labels is selected; where `everywhere`, any is. */
  readonly selectsNamespace: LabelMatcher
  /** Why the quota, or a source of it, counts nothing whatever there is. */
  readonly countsNothing: readonly string[]
}

export interface QuotaCompileOptions extends Dialect {
  readonly bounds?: QuotaBounds
}

/** A quota that can be counted, or what is wrong with its spec. */
export type Compilation =
  | { readonly ok: true; readonly quota: CompiledQuota }
  | { readonly ok: false; readonly problems: readonly [FieldError, ...FieldError[]] }

type Spec = CustomQuotaSpec & Pick<GlobalCustomQuotaSpec, 'namespaceSelectors'>

/** Compiles the spec of a CustomQuota or a GlobalCustomQuota. It may take milliseconds: the result is worth keeping. */
export function compileQuota(spec: Spec, options: QuotaCompileOptions): Compilation {
  const { bounds = DEFAULT_BOUNDS } = options
  const problems: FieldError[] = [...sizeProblems(spec, bounds)]
  const limit = limitOf(spec, problems)
  // A spec beyond the bounds is not compiled at all.
  if (problems.some(({ code }) => code === 'FieldValueTooMany') || limit === undefined) return failed(problems)
  const context = { ...options, work: new Run(MAX_COMPILE_COST) }
  const sources = spec.sources.flatMap((source, index) =>
    compileSource(source, `spec.sources[${index}]`, context, problems),
  )
  problems.push(...kindProblems(spec.sources), ...selfWrittenProblems(spec.sources))
  const { scopeSelectors = [], namespaceSelectors = [] } = spec
  // As in Capsule, an entry without any member stands for an absent one, which selects nothing.
  const selecting = namespaceSelectors.filter(isSelector)
  problems.push(...selectorProblems(scopeSelectors, 'spec.scopeSelectors'))
  problems.push(...selectorProblems(namespaceSelectors, 'spec.namespaceSelectors'))
  if (problems.length > 0) return failed(problems)
  const quota: CompiledQuota = {
    limit,
    sources,
    kinds: distinctKinds(sources.map(({ kind }) => kind)),
    inScope: scopeSelectors.length === 0 ? () => true : compileAnyLabelSelector(scopeSelectors),
    everywhere: namespaceSelectors.length === 0,
    namespaceSelectors: selecting,
    selectsNamespace: namespaceSelectors.length === 0 ? () => true : compileAnyLabelSelector(selecting),
    countsNothing: countsNothing(spec, selecting),
  }
  return { ok: true, quota }
}

function failed([first, ...others]: readonly FieldError[]): Compilation {
  return { ok: false, problems: [first ?? invalid('spec', undefined, 'cannot be counted'), ...others] }
}

/** The limit of a spec, without compiling it; undefined where it is not valid. */
export function validLimit(spec: Spec): Quantity | undefined {
  const problems: FieldError[] = []
  const limit = limitOf(spec, problems)
  return problems.length === 0 ? limit : undefined
}

function limitOf({ limit }: Spec, problems: FieldError[]): Quantity | undefined {
  try {
    const quantity = Quantity.fromJson(limit)
    const problem = limitProblem(quantity)
    if (problem !== undefined) problems.push(invalid('spec.limit', limit, problem))
    return quantity
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    problems.push(invalid('spec.limit', limit, error.message))
    return undefined
  }
}

function compileSource(
  source: QuotaSource,
  at: string,
  context: CompileContext,
  problems: FieldError[],
): readonly CompiledSource[] {
  const selects = compileSelectors(source, at, context, problems)
  const amount = compileAmount(source, at, context, problems)
  if (amount === undefined) return []
  return [{ source, kind: sourceKind(source), selects, amount, finds: pathFinder(source) }]
}

function selectorProblems(selectors: readonly LabelSelector[], path: string): FieldError[] {
  return selectors.flatMap((selector, index) => validateLabelSelector(selector, `${path}[${index}]`))
}

function isSelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchLabels ?? matchExpressions ?? undefined) !== undefined
}

function distinctKinds(kinds: readonly SourceKind[]): readonly SourceKind[] {
  return [...new Map(kinds.map((kind) => [kindText(kind), kind])).values()]
}
