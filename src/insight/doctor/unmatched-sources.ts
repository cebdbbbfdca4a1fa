import type { KubeObject } from '../../machinery/object.ts'
import { compileAnyLabelSelector, type LabelSelector } from '../../machinery/selector/label.ts'
import type { GlobalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { CompiledQuota } from '../../systems/custom-quota/decide/compile-quota.ts'
import { countsIn } from '../../systems/custom-quota/decide/object-cost.ts'
import { Effort } from '../../systems/custom-quota/decide/quota-bounds.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { objectsOfKind } from './counted-objects.ts'
import type { UnmatchedPart } from './finding.ts'
import { orUnknown } from './unmatched-scopes.ts'

/** Selectors of namespaces that select none of them. */
export function unmatchedNamespaces(
  selectors: readonly LabelSelector[],
  path: string,
  { namespaces }: ClusterFacts,
  place: (index: number) => string = (index) => `[${index}]`,
): readonly UnmatchedPart[] {
  if (namespaces === undefined) return []
  return selectors.flatMap((selector, index) => {
    const matches = compileAnyLabelSelector([selector], { skipInvalid: true })
    if (namespaces.values().some(({ metadata }) => matches(metadata.labels))) return []
    const part = `${path}${place(index)}`
    return [{ part, text: `${part} selects no namespace now` }]
  })
}

/** The selectors of a custom quota: of namespaces, of all its objects, and of each source. What can never match has a finding of its own. */
export function unmatchedSources(
  { metadata, spec }: ClusterFacts['customQuotas'][number],
  quota: CompiledQuota,
  facts: ClusterFacts,
): readonly UnmatchedPart[] {
  if (quota.countsNothing.length > 0) return []
  const own = metadata.namespace
  const namespaces =
    own === undefined ? unmatchedNamespaces(namespaceSelectorsOf(spec), 'spec.namespaceSelectors', facts) : []
  const { scopeSelectors = [] } = spec
  if (scopeSelectors.length === 0 && quota.sources.every(({ source }) => isEmpty(source.selectors))) return namespaces
  if (own === undefined && !quota.everywhere && facts.namespaces === undefined) return namespaces
  const isIn = ({ metadata: { namespace = '' } }: KubeObject): boolean =>
    own === undefined
      ? countsIn(quota, namespace, facts.namespaces?.get(namespace)?.metadata.labels)
      : namespace === own
  const objects = quota.sources.map(({ kind }) => objectsOfKind(kind, facts)?.filter(isIn))
  const read = objects.filter((list) => list !== undefined)
  const scopes =
    read.length < objects.length
      ? []
      : scopeSelectors.flatMap((selector, index) => {
          const matches = compileAnyLabelSelector([selector], { skipInvalid: true })
          if (read.some((list) => list.some(({ metadata: { labels } }) => matches(labels)))) return []
          const part = `spec.scopeSelectors[${index}]`
          return [{ part, text: `${part} selects none of the objects that it may count now` }]
        })
  const isUnscoped = scopes.length > 0 && scopes.length === scopeSelectors.length
  const sources = quota.sources.flatMap(({ source, kind, selects }, index): readonly UnmatchedPart[] => {
    const all = objects[index]
    if (isUnscoped || isEmpty(source.selectors) || all === undefined) return []
    const isSelected = all.some(
      (one) => quota.inScope(one.metadata.labels) && orUnknown(() => selects(one, new Effort())),
    )
    const part = `spec.sources[${index}].selectors`
    return isSelected ? [] : [{ part, text: `${part} select no ${kind.kind} now` }]
  })
  return [...namespaces, ...scopes, ...sources]
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0

const namespaceSelectorsOf = (spec: Partial<GlobalCustomQuota['spec']>): readonly LabelSelector[] =>
  spec.namespaceSelectors ?? []
