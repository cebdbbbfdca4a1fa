import { outsideNamespacesText } from '../decide/counts-nothing.ts'
import { sourceKind } from '../decide/source-kind.ts'
import type { ServedKinds } from '../../../operator/shell/served-kinds.ts'
import type { AnyQuota } from './tracking/tracked-custom-quota.ts'

/** Why sources of a valid quota count less than their author may expect. Rejects as `KubeClient` does. */
export async function sourceWarnings(
  { served }: { readonly served: Pick<ServedKinds, 'find'> },
  spec: AnyQuota['spec'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const selectsNamespaces = 'namespaceSelectors' in spec && (spec.namespaceSelectors ?? []).length > 0
  const warnings: string[] = []
  for (const [index, source] of spec.sources.entries()) {
    if (selectsNamespaces && (await served.find(sourceKind(source), { signal }))?.namespaced === false)
      warnings.push(outsideNamespacesText(source, index))
  }
  return warnings
}
