import type { Excess } from '../../charges/refusal.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { exceededText } from '../explain/causes.ts'

/** What a refusal says, in the words of `allot explain`. */
export interface RefusalNote {
  /** Equal for refusals of the same amounts by the same budgets, however much of these is used. */
  readonly cause: string
  readonly note: string
}

/** As API servers word it, and allot for ResourceQuotas and KarmadaQuotas. */
const EXCEEDED =
  /exceeded quota: (?<name>[^,]+), requested: (?<requested>\S*), used: (?<used>\S*), limited: (?<hard>[^;\s]*)/g
const DEMANDED = /failed quota: (?<name>[^:]+): must specify (?<demands>.*?)(?=; (?:exceeded|failed) quota|$)/g
/** As Capsule words it, and allot for custom quotas. */
const OF_CUSTOM =
  /(?<kind>(?:Global)?CustomQuota) "(?<name>[^"]+)" \(requested=(?<requested>[^,]+), currentUsed=(?<used>[^,]+), available=[^,]+, limit=(?<hard>[^,]+),/g

/** The note on a message of a controller that could not make an object; undefined where no quota is the reason. */
export function refusalNote(message: string): RefusalNote | undefined {
  const found = [...exceededParts(message), ...demandedParts(message), ...customParts(message)]
  if (found.length === 0) return undefined
  return { cause: found.map(({ cause }) => cause).join('; '), note: found.map(({ note }) => note).join('; ') }
}

function exceededParts(message: string): readonly RefusalNote[] {
  return [...message.matchAll(EXCEEDED)].flatMap(({ groups = {} }) => {
    const { name = '' } = groups
    const [requested, used, hard] = [
      amountsIn(groups['requested']),
      amountsIn(groups['used']),
      amountsIn(groups['hard']),
    ]
    const excesses = [...requested].flatMap(([resource, amount]): readonly Excess[] => {
      const [has, most] = [used.get(resource), hard.get(resource)]
      return has === undefined || most === undefined ? [] : [{ resource, requested: amount, used: has, hard: most }]
    })
    if (excesses.length === 0) return []
    return [{ cause: `${name} ${groups['requested'] ?? ''}`, note: exceededText(`quota ${name}`, excesses) }]
  })
}

function demandedParts(message: string): readonly RefusalNote[] {
  return [...message.matchAll(DEMANDED)].map(({ groups = {} }) => {
    const { name = '', demands = '' } = groups
    const values = demands.split('; ').map((demand) => {
      const [resource = '', containers = ''] = demand.split(' for: ')
      return containers === '' ? resource : `${resource} (missing in ${containers.split(',').join(', ')})`
    })
    const note = `quota ${name}: each container must specify ${values.join('; ')}`
    return { cause: note, note }
  })
}

function customParts(message: string): readonly RefusalNote[] {
  return [...message.matchAll(OF_CUSTOM)].map(({ groups = {} }) => {
    const { kind = '', name = '', requested = '', used = '', hard = '' } = groups
    return {
      cause: `${kind} ${name} ${requested}`,
      note: `${kind} ${name}: ${used} of ${hard} used, ${requested} more requested`,
    }
  })
}

/** The amounts of a list as `pods=1,requests.cpu=500m`. */
function amountsIn(list = ''): ReadonlyMap<string, Quantity> {
  return new Map(
    list.split(',').flatMap((text): readonly (readonly [string, Quantity])[] => {
      const at = text.indexOf('=')
      try {
        return at === -1 ? [] : [[text.slice(0, at), Quantity.parse(text.slice(at + 1))]]
      } catch (error) {
        if (!(error instanceof QuantityError)) throw error
        return []
      }
    }),
  )
}
