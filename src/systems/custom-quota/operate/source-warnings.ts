import { kindText, sourceKind } from '../decide/source-kind.ts'
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
    const kind = sourceKind(source)
    const named = `spec.sources[${index}] (${kindText(kind)})`
    if (selectsNamespaces && (await served.find(kind, { signal }))?.namespaced === false)
      warnings.push(
        `${named} counts nothing: its objects are in no namespace, and spec.namespaceSelectors selects namespaces; spec.scopeSelectors selects objects by their labels`,
      )
  }
  return warnings
}
