import { Quantity } from '../../../src/quantity/quantity.ts'
import { ifReadable } from '../../../src/quantity/error.ts'
import type { WantedRoom } from '../data/room-request.ts'
import { type AmountKind, kindOfAmount } from './kind-of-amount.ts'

/** What is wrong with a form, by its field; the API server decides about all that is not here. */
export type RoomMistakes = Partial<Record<'name' | 'resource' | 'amount' | 'pool', string>>

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/
const NAME_RULE = 'lower-case letters, digits, - and ., for example more-room'
/** As manifests write amounts. */
const EXAMPLES: Readonly<Record<AmountKind, string>> = {
  cores: '2, or 500m for half a core',
  bytes: '4Gi or 512Mi',
  number: '10',
}

/** Says what to write instead, with an example. */
export function roomMistakes({ kind, name, resource, amount, pool }: WantedRoom): RoomMistakes {
  const example = EXAMPLES[kindOfAmount(resource)]
  return {
    ...(name === ''
      ? { name: `Enter a name: ${NAME_RULE}.` }
      : NAME.test(name)
        ? {}
        : { name: `“${name}” is no name. A name has ${NAME_RULE}.` }),
    ...(resource === '' ? { resource: 'Enter a resource, for example requests.cpu.' } : {}),
    ...(amount === ''
      ? { amount: `Enter an amount, for example ${example}.` }
      : isAmount(amount)
        ? {}
        : { amount: `“${amount}” is no amount. Enter one as manifests have it, for example ${example}.` }),
    ...(kind !== 'claim' || pool === '' || NAME.test(pool)
      ? {}
      : { pool: `“${pool}” is no name of a pool. A name has ${NAME_RULE}.` }),
  }
}

const isAmount = (text: string): boolean => ifReadable(() => Quantity.parse(text).sign() > 0, false)
