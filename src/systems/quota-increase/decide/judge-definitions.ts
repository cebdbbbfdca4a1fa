import { BASE_LABEL } from '../api/increase-names.ts'
import { definitionFor, type QuotaDefinitions } from './definitions.ts'
import { isLeftAlone, type NamespaceState } from './namespace-plan.ts'

export interface JudgeDefinitionsInput {
  readonly candidate: QuotaDefinitions
  /** The definitions that were followed last; undefined if unknown, as when another program kept the quotas. */
  readonly accepted: QuotaDefinitions | undefined
  readonly provider: string
  readonly namespaces: readonly NamespaceState[]
  /** The definitions of which there are quotas, by the namespaces that these are in. */
  readonly inUse: ReadonlyMap<string, ReadonlySet<string>>
}

/** How many namespaces a reason names. */
const MOST_NAMED = 3

/**
 * Why definitions may be an accident that is not to be followed: a file that is empty, or cut off. They lack definitions of
 * which there are quotas, and no definition that is new takes over all namespaces of those. Empty: they are to be followed.
 */
export function reasonsToHold(input: JudgeDefinitionsInput): readonly string[] {
  const { candidate, accepted, inUse } = input
  const named = new Set([...candidate.quotas.map(({ name }) => name), ...candidate.external])
  const known = accepted === undefined ? [...inUse.keys()] : accepted.quotas.map(({ name }) => name)
  const before = new Set(known)
  const lost = known.filter((name) => !named.has(name) && inUse.has(name)).toSorted()
  return lost.flatMap((name) => {
    const left = leftBehind(name, before, input)
    if (left.length === 0) return []
    const shown = left.slice(0, MOST_NAMED).join(', ')
    const more = left.length - MOST_NAMED
    return [
      `the definition ${name} is missing; it is in use in ${shown}${more > 0 ? ` and ${more} more namespaces` : ''}`,
    ]
  })
}

/** The namespaces of a definition that no new one takes over, sorted. */
function leftBehind(
  name: string,
  before: ReadonlySet<string>,
  { candidate, provider, namespaces, inUse }: JudgeDefinitionsInput,
): readonly string[] {
  const users = inUse.get(name) ?? new Set()
  return namespaces
    .filter((namespace) => users.has(namespace.name) && (namespace.labels?.[BASE_LABEL] ?? name) === name)
    .filter((namespace) => !isLeftAlone(namespace, candidate, provider))
    .filter((namespace) => {
      const next = definitionFor(candidate, namespace, provider)
      return next === undefined || before.has(next.name)
    })
    .map((namespace) => namespace.name)
    .toSorted()
}
