/** The changes that a server makes to an object: the leaves that it adds, changes and drops, by their paths. */
export interface Difference {
  readonly added?: Readonly<Record<string, unknown>>
  readonly changed?: Readonly<Record<string, unknown>>
  readonly dropped?: readonly string[]
}

/** The fields that each request sets again. */
const MADE_ANEW =
  /^\/metadata\/(?:uid|resourceVersion|creationTimestamp|managedFields)(?:\/|$)|\/lastPhaseTransitionTime$/

/** The leaves of an object by their paths; an empty map or list is one, too. */
function leavesOf(value: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const members = Object.entries(value)
  if (members.length === 0) return [[path, Array.isArray(value) ? [] : {}]]
  return members.flatMap(([key, member]) => leavesOf(member, `${path}/${key.replaceAll('/', '~1')}`))
}

export function difference(sent: unknown, answered: unknown): Difference {
  const before = new Map(leavesOf(sent))
  const after = new Map(leavesOf(answered).filter(([path]) => !MADE_ANEW.test(path)))
  const added = [...after].filter(([path]) => !before.has(path))
  const changed = [...after].filter(([path, value]) => before.has(path) && !same(before.get(path), value))
  const dropped = [...before.keys()].filter((path) => !after.has(path))
  return {
    ...(added.length === 0 ? {} : { added: Object.fromEntries(added) }),
    ...(changed.length === 0 ? {} : { changed: Object.fromEntries(changed) }),
    ...(dropped.length === 0 ? {} : { dropped }),
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
