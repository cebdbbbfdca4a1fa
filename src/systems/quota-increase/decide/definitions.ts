import { BASE_LABEL, INCREASES_MANAGED_BY_LABEL } from '../api/increase-names.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import { compileLabelSelector } from '../../../machinery/selector/label.ts'
import type { LabelMatcher, Labels } from '../../../machinery/selector/requirement.ts'

/** The definitions of base quotas that are in use, with what is not theirs. */
export interface QuotaDefinitions {
  /** In their order: a namespace follows the first that selects it. */
  readonly quotas: readonly QuotaDefinition[]
  /** Definitions of other programs, whose namespaces are left alone. */
  readonly external: readonly string[]
}

/** The facts that decide which definition a namespace follows. */
export interface LabelledNamespace {
  readonly labels?: Labels
}

const matcherOf = oncePerObject(({ selector }: QuotaDefinition): LabelMatcher =>
  selector === undefined ? () => true : compileLabelSelector(selector),
)

/** Does the definition select a namespace with these labels? Without a selector it selects all. Throws SelectorError. */
export const selects = (definition: QuotaDefinition, labels: Labels = {}): boolean => matcherOf(definition)(labels)

/**
 * The definition that a namespace follows: the first that selects it (quota operator 1.0). Undefined where none does, and
 * where another program keeps the namespace.
 */
export function definitionFor(
  { quotas, external }: QuotaDefinitions,
  { labels = {} }: LabelledNamespace,
  provider: string,
): QuotaDefinition | undefined {
  if (isForeign(labels, external, provider)) return undefined
  return quotas.find((definition) => selects(definition, labels))
}

/** Reports whether another program keeps the namespace: another provider, or one with a definition of its own. */
export function isForeign(labels: Labels, external: readonly string[], provider: string): boolean {
  const keeper = labels[INCREASES_MANAGED_BY_LABEL]
  const base = labels[BASE_LABEL]
  return (keeper !== undefined && keeper !== provider) || (base !== undefined && external.includes(base))
}
