import { goQuote } from '../../machinery/go/quote.ts'
import { isQualifiedName } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'

/** Finalizers that need no domain, as everybody knows them. */
const STANDARD: ReadonlySet<string> = new Set([
  OWN_FINALIZERS.foreground,
  OWN_FINALIZERS.namespace,
  OWN_FINALIZERS.orphan,
])
const ADVICE =
  'prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers'

/** Returns the warnings about the finalizers of a custom resource: names without a domain. */
export function finalizerWarnings({ metadata: { finalizers = [] } }: KubeObject, old?: KubeObject): readonly string[] {
  if (finalizers.length === 0) return []
  const before = new Set(old?.metadata.finalizers)
  return [...new Set(finalizers)]
    .filter((finalizer) => !before.has(finalizer))
    .toSorted()
    .flatMap((finalizer) =>
      [...isQualifiedName(finalizer), ...(finalizer.includes('/') || STANDARD.has(finalizer) ? [] : [ADVICE])].map(
        (text) => `metadata.finalizers: ${goQuote(finalizer)}: ${text}`,
      ),
    )
}
