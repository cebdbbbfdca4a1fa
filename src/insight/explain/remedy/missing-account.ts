import type { Pod } from '../../../builtin/core-v1.ts'
import { specOf, textOf } from '../../../machinery/read.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import type { Remedy } from '../explanation.ts'
import type { Situation } from './situation.ts'

/** The ServiceAccount that pods name and that does not exist is created. Only of one that the template names it is known that it is still wanted. */
export function missingAccount({ causes, pods, facts }: Situation): readonly Remedy[] {
  const name = pods === undefined ? '' : textOf(specOf<Pod>(pods.object).serviceAccountName)
  const isMissed = causes.some(
    ({ type, text }) =>
      (type === 'rejected' || type === 'reported') && text.includes(`serviceaccount ${JSON.stringify(name)} not found`),
  )
  // A controller tries again later, and keeps what it was told before.
  const isThere = facts.classes.get('serviceaccounts')?.some(({ metadata }) => metadata.name === name) === true
  if (name === '' || !isMissed || isThere) return []
  return [
    {
      type: 'create',
      text: `create ServiceAccount ${name}`,
      command: `${facts.kubectl} create serviceaccount ${shellWord(name)}`,
      needs: { verb: 'create', group: '', resource: 'serviceaccounts', name: '' },
    },
  ]
}
