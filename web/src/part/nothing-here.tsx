import type { NamespaceAnswer } from '../data/answer.ts'

/** Says of a namespace in which there is nothing at all that its name may be wrong: the API server gives empty lists of one that does not exist. */
export function NothingHere({ answer }: { readonly answer: NamespaceAnswer }) {
  const { namespace, quotas, claims, increases, blocked, refusals, notSeen } = answer
  const found = [quotas, claims, increases, blocked, refusals, notSeen]
  if (found.some((list) => list.length > 0)) return null
  return <p>Nothing was found in {namespace}. Is the name right, or was it deleted?</p>
}

/** Where the API server says that there is no namespace of the name. */
export const NoNamespace = () => <p>It was deleted, or its name is not right.</p>
