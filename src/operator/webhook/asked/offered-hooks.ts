import type { LabelSelector } from '../../../machinery/selector/label.ts'
import type { ExemptLabel, ServerFeatures } from '../server-features-list.ts'
import type { OperatorHook } from '../configuration.ts'
import { webhookEntries } from './entries.ts'

/** The webhooks as a server with these features can have them. */
export function hooksFor<H extends OperatorHook>(
  hooks: readonly H[],
  features: ServerFeatures,
  exemptLabel?: ExemptLabel,
): readonly H[] {
  const placed = hooks.flatMap((hook) => entriesOf(hook, features, exemptLabel))
  if (features.matchConditions) return placed
  return placed.flatMap((hook) => {
    if (hook.conditions === undefined) return [hook]
    return (hook.withoutConditions ?? []).map((other) => ({ ...hook, conditions: undefined, ...other }))
  })
}

/** A webhook for each set of namespaces. All have the path of the one that they come from. */
function entriesOf<H extends OperatorHook>(
  hook: H,
  { labelsNamespaces }: ServerFeatures,
  exemptLabel: ExemptLabel | undefined,
): readonly H[] {
  const { asked, exempt = new Set(), name, namespaceSelector } = hook
  if (asked === undefined) return [hook]
  return webhookEntries(asked, { exempt, exemptLabel, labelsNamespaces }).map((entry, index) => ({
    ...hook,
    asked: undefined,
    name: index === 0 ? name : `v${index + 1}.${name}`,
    rules: entry.rules,
    namespaceSelector: both(namespaceSelector, entry.namespaceSelector),
  }))
}

/** The selector that matches what both match; undefined: everything. */
function both(a: LabelSelector | undefined, b: LabelSelector | undefined): LabelSelector | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { ...a, matchExpressions: [...(a.matchExpressions ?? []), ...(b.matchExpressions ?? [])] }
}
