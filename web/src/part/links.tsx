import type { ComponentChildren } from 'preact'
import { hasFullName, objectText } from '../format/object-text.ts'
import { hashOf, type Route } from '../route/route.ts'

export function ToView({ to, children }: { readonly to: Route; readonly children: ComponentChildren }) {
  return <a href={hashOf(to)}>{children}</a>
}

export const CLAIM_KIND = 'ResourcePoolClaim'

/** A link to a namespace; words for what is in none. */
export function ToNamespace({ namespace }: { readonly namespace: string }) {
  return namespace === '' ? (
    <span>all namespaces</span>
  ) : (
    <ToView to={{ view: 'namespace', namespace }}>{namespace}</ToView>
  )
}

interface NamedObject {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** A link to the explanation of an object; words for one that cannot be asked about. */
export function ToExplanation({
  object,
  children,
}: {
  readonly object: NamedObject
  readonly children?: ComponentChildren
}) {
  const { namespace, kind, name } = object
  const shown = children ?? <bdi>{objectText(object)}</bdi>
  if (namespace === '' || !hasFullName(object)) return <span>{shown}</span>
  return <ToView to={{ view: 'explanation', namespace, kind, name }}>{shown}</ToView>
}
