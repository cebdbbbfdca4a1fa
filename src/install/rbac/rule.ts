import type { Need } from './need.ts'

/** A rule of a Role or ClusterRole about resources. */
export interface RbacRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

/** The rules that allow exactly what is needed: one for each group and set of verbs, in the order in which they are first needed. */
export function rulesFor(needs: readonly Need[]): readonly RbacRule[] {
  const verbs = new Map<string, { readonly need: Need; readonly verbs: Set<string> }>()
  for (const need of needs) {
    const key = JSON.stringify([need.group, resourceOf(need), need.names ?? []])
    const known = verbs.get(key)
    if (known === undefined) verbs.set(key, { need, verbs: new Set(need.verbs) })
    else for (const verb of need.verbs) known.verbs.add(verb)
  }
  const rules = new Map<string, RbacRule>()
  for (const { need, verbs: all } of verbs.values()) {
    const sorted = [...all].toSorted((one, other) => VERBS.indexOf(one) - VERBS.indexOf(other))
    const key = JSON.stringify([need.group, need.names ?? [], sorted])
    rules.set(key, {
      apiGroups: [need.group],
      resources: [...(rules.get(key)?.resources ?? []), resourceOf(need)],
      ...(need.names === undefined ? {} : { resourceNames: need.names }),
      verbs: sorted,
    })
  }
  return [...rules.values()]
}

const resourceOf = ({ resource, subresource }: Need): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`
