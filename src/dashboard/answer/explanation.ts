import { readFacts } from '../../reading/read-facts.ts'
import { askedObject, explainAsked, withPools, withRights } from '../../reading/explain-object.ts'
import { badRequest } from '../../machinery/status.ts'
import { withOwners } from '../../reading/read-owners.ts'
import { readClaimRoom } from '../../reading/read-claim-room.ts'
import { shellWord } from '../../machinery/text/shell-word.ts'
import { compileInTurns } from './compile-in-turns.ts'
import type { Responder } from './question.ts'

/** Longer than any name of a kind or an object. */
const LONGEST = 253

/** The explanation of one object: what `allot explain -o json` prints for the viewer. */
export const explanation: Responder = async ({ viewer, client, parameters, signal, now, turn }) => {
  const [kind, name, namespace] = [parameters.need('kind'), parameters.need('name'), parameters.namespace()]
  if (namespace === '') throw badRequest('the parameter namespace is missing')
  if (kind.length > LONGEST || name.length > LONGEST) throw badRequest('a name is too long')
  const kinds = await viewer.kinds()
  const [asked, facts] = await Promise.all([
    askedObject(client, kinds, { kind, name, namespace, kubectl: kubectlIn(namespace) }, signal),
    readFacts(client, kinds, namespace, now, kubectlIn(namespace), signal),
  ])
  await compileInTurns(facts, turn)
  await turn()
  const first = explainAsked(asked, facts)
  const whole = await withOwners([first], facts, client, kinds, signal)
  await turn()
  const explained = whole === facts ? first : explainAsked(asked, whole)
  await turn()
  const read = () => readClaimRoom(client, kinds, namespace, kubectlIn(namespace), signal)
  const [known = explained] = await withPools([explained], read)
  return { code: 200, value: await withRights(known, namespace, client, signal) }
}

/** The beginning of the commands of remedies. */
export const kubectlIn = (namespace: string): string => `kubectl -n ${shellWord(namespace)}`
